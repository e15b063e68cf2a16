#include "core/out/container.h"

#include "gtest/gtest.h"

namespace kiln::out {
namespace {

TEST(Container, RowsAreInTheOrderOfTheirValues) {
  for (const ContainerInfo& row : kContainers) {
    EXPECT_EQ(&InfoOf(row.container), &row);
    EXPECT_EQ(FindContainer(row.name), &row);
  }
}

TEST(Container, NoNameIsRawCode) {
  ASSERT_NE(FindContainer(""), nullptr);
  EXPECT_EQ(FindContainer("")->container, Container::kRaw);
  EXPECT_EQ(FindContainer("Raw"), nullptr);
  EXPECT_EQ(FindContainer("zip"), nullptr);
}

}  // namespace
}  // namespace kiln::out
