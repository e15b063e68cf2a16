// Sums of pass records: by name, in order, from any numbers; lists that do not fit together.
#include "proto/pass_sums.h"

#include <gtest/gtest.h>

#include <limits>

namespace kiln {
namespace {

using v1::PassSums;
using v1::TargetResult;

void AddRecord(const char* pass, int64_t nanoseconds, int64_t before, int64_t after,
               TargetResult* result) {
  auto* record = result->add_passes();
  record->set_pass(pass);
  record->set_changed(before != after);
  record->set_nanoseconds(nanoseconds);
  record->set_instructions_before(before);
  record->set_instructions_after(after);
}

TEST(PassSums, AreByNameInTheOrderOfTheFirst) {
  TargetResult result;
  AddRecord("simplify", 10, 100, 90, &result);
  AddRecord("cse", 7, 90, 90, &result);
  AddRecord("simplify", 5, 90, 95, &result);
  SumPasses(&result);
  EXPECT_EQ(result.passes_size(), 3);
  const std::vector<PassSum> sums = ReadPassSums(result.pass_sums());
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].name, "simplify");
  EXPECT_EQ(sums[0].runs, 2);
  EXPECT_EQ(sums[0].changed, 2);
  EXPECT_EQ(sums[0].nanoseconds, 15);
  EXPECT_EQ(sums[0].instructions_delta, -5);
  EXPECT_EQ(sums[1].name, "cse");
  EXPECT_EQ(sums[1].runs, 1);
  EXPECT_EQ(sums[1].changed, 0);
  EXPECT_EQ(sums[1].nanoseconds, 7);
  EXPECT_EQ(sums[1].instructions_delta, 0);
}

TEST(PassSums, OfNoRecordsAreAbsent) {
  TargetResult result;
  result.mutable_pass_sums()->add_runs(3);
  SumPasses(&result);
  EXPECT_FALSE(result.has_pass_sums());
}

TEST(PassSums, OfNumbersThatDoNotFitWrapAround) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  TargetResult result;
  AddRecord("", kMax, kLeast, kMax, &result);
  AddRecord("", 1, 0, 0, &result);
  SumPasses(&result);
  const std::vector<PassSum> sums = ReadPassSums(result.pass_sums());
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].name, "");
  EXPECT_EQ(sums[0].nanoseconds, kLeast);
  EXPECT_EQ(sums[0].instructions_delta, -1);
}

TEST(PassSums, ThatDoNotFitTogetherAreReadAsFarAsTheyDo) {
  TargetResult result;
  for (const char* pass : {"one", "two", "three"}) AddRecord(pass, 1, 2, 3, &result);
  SumPasses(&result);
  PassSums fewer = result.pass_sums();
  fewer.mutable_changed()->Truncate(2);
  EXPECT_EQ(ReadPassSums(fewer).size(), 2u);
  PassSums longer = result.pass_sums();
  longer.set_name_bytes(1, std::numeric_limits<uint32_t>::max());
  ASSERT_EQ(ReadPassSums(longer).size(), 1u);
  EXPECT_EQ(ReadPassSums(longer)[0].name, "one");
  EXPECT_TRUE(ReadPassSums({}).empty());
}

// The purpose of sums: fewer bytes, in a result with a typical list of passes.
TEST(PassSums, AreAThirdOfTheBytesOfTheRecords) {
  TargetResult result;
  for (int run = 0; run < 160; ++run) {
    AddRecord(("a_pass_of_that_length_" + std::to_string(run % 80)).c_str(), 12'345 + run,
              500 - run, 499 - run, &result);
    result.mutable_passes(run)->set_level("mir");
    result.mutable_passes(run)->set_width(16);
  }
  const size_t records = result.ByteSizeLong();
  SumPasses(&result);
  result.clear_passes();
  EXPECT_LT(result.ByteSizeLong() * 5, records * 2);
}

}  // namespace
}  // namespace kiln
