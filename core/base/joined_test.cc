#include "core/base/joined.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

constexpr std::array<int, 2> kFirst = {1, 2};
constexpr std::array<int, 3> kSecond = {3, 4, 5};
constexpr auto kAll = Joined(kFirst, kSecond, kFirst);

TEST(Joined, RowsAreInTheOrderOfTheTables) {
  static_assert(kAll.size() == 7);
  EXPECT_EQ(kAll, (std::array<int, 7>{1, 2, 3, 4, 5, 1, 2}));
  EXPECT_EQ(Joined(kSecond), kSecond);
}

}  // namespace
}  // namespace kiln
