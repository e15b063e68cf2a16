// Parts of the inputs.
#include "client/precompile/shard.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

TEST(ParseShard, TakesPartsFromOne) {
  const auto shard = ParseShard("2/8");
  ASSERT_TRUE(shard.ok()) << shard.status();
  EXPECT_EQ(shard->number, 2u);
  EXPECT_EQ(shard->of, 8u);
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/10001"}) {
    EXPECT_FALSE(ParseShard(text).ok()) << text;
  }
}

TEST(Shard, EachNameIsPartOfOneShard) {
  int largest = 0;
  std::vector<int> sizes(4);
  for (int i = 0; i < 1000; ++i) {
    int parts = 0;
    for (uint32_t number = 1; number <= 4; ++number) {
      if (!Shard{number, 4}.Has("capture.foz", absl::StrCat("compute/", i))) continue;
      ++parts;
      largest = std::max(largest, ++sizes[number - 1]);
    }
    EXPECT_EQ(parts, 1) << i;
  }
  EXPECT_LT(largest, 320);
}

TEST(Shard, OneShardHasAll) { EXPECT_TRUE((Shard{1, 1}.Has("a", "b"))); }

// Machines of different versions must not take the same pipeline, or leave one out.
TEST(Shard, IsTheSameInEveryVersion) {
  std::string numbers;
  for (int i = 0; i < 8; ++i) {
    for (uint32_t number = 1; number <= 3; ++number) {
      if (Shard{number, 3}.Has("a.foz", absl::StrCat("compute/", i))) {
        absl::StrAppend(&numbers, number);
      }
    }
  }
  EXPECT_EQ(numbers, "32322123");
}

}  // namespace
}  // namespace kiln::client
