// Passes do not change what random modules compute. random_programs.cc is the long form.
#include <string>

#include "core/mid/testing/random_check.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

class RandomPassTest : public testing::TestWithParam<RandomPass> {};

TEST_P(RandomPassTest, KeepsTheOutcome) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomOutcome outcome = CheckPass(GetParam(), seed);
    ASSERT_EQ(outcome.error, "");
    changed += outcome.changed;
  }
  if (GetParam().of_fragments) {
    EXPECT_EQ(changed, 0);
  } else {
    EXPECT_GT(changed, GetParam().rare ? 0 : 15);
  }
}

TEST_P(RandomPassTest, KeepsTheOutcomeOfDoubles) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const RandomOutcome outcome = CheckPass(GetParam(), seed, mir::Stage::kCompute, true);
    ASSERT_EQ(outcome.error, "");
  }
}

TEST_P(RandomPassTest, KeepsTheOutcomeOfFragments) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const RandomOutcome outcome = CheckPass(GetParam(), seed, mir::Stage::kFragment);
    ASSERT_EQ(outcome.error, "");
    changed += outcome.changed;
  }
  EXPECT_GT(changed, GetParam().of_fragments ? 15 : -1);
}

TEST_P(RandomPassTest, KeepsTheOutcomeOfVertices) {
  int changed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const RandomOutcome outcome = CheckPass(GetParam(), seed, mir::Stage::kVertex);
    ASSERT_EQ(outcome.error, "");
    changed += outcome.changed;
  }
  if (GetParam().of_fragments) {
    EXPECT_EQ(changed, 0);
  } else {
    EXPECT_GT(changed, GetParam().rare ? -1 : 5);
  }
}

INSTANTIATE_TEST_SUITE_P(Mid, RandomPassTest, testing::ValuesIn(RandomPasses()),
                         [](const auto& info) { return std::string(info.param.name); });

// All passes, iteration after iteration, and with a rewrite limit somewhere in between.
TEST(RandomPasses, TogetherAndBisected) {
  int64_t before = 0, after = 0;
  for (uint64_t seed = 5000; seed < 5200; ++seed) {
    const RandomOutcome whole = CheckAllPasses(seed, -1);
    ASSERT_EQ(whole.error, "");
    before += whole.before;
    after += whole.after;
    ASSERT_EQ(CheckAllPasses(seed, static_cast<int64_t>(seed % 23)).error, "");
  }
  EXPECT_LT(after, before);
}

TEST(RandomPasses, TogetherOnFragments) {
  for (uint64_t seed = 5000; seed < 5200; ++seed) {
    ASSERT_EQ(CheckAllPasses(seed, -1, mir::Stage::kFragment).error, "");
  }
}

TEST(RandomPasses, TogetherOnVertices) {
  for (uint64_t seed = 5000; seed < 5200; ++seed) {
    ASSERT_EQ(CheckAllPasses(seed, -1, mir::Stage::kVertex).error, "");
  }
}

}  // namespace
}  // namespace kiln::mid
