#include "client/database/pair_name.h"

#include "gtest/gtest.h"

namespace kiln::client {
namespace {

TEST(PairName, IsPartedAgain) {
  const auto files = FilesOfPair(PairName("a/b c.vert", "a/d+.frag"));
  ASSERT_TRUE(files.has_value());
  EXPECT_EQ(files->first, "a/b c.vert");
  EXPECT_EQ(files->second, "a/d+.frag");
}

TEST(PairName, WithSeveralPlacesIsNotParted) {
  EXPECT_FALSE(FilesOfPair(PairName("a + b.vert", "c.frag")).has_value());
  EXPECT_FALSE(FilesOfPair("a + + b").has_value());
  EXPECT_FALSE(FilesOfPair("a.comp").has_value());
}

}  // namespace
}  // namespace kiln::client
