// Tests which instructions and parameters a plan pairs, and that it leaves what costs more.
#include "core/amd/optimise/plan_pairs.h"

#include <string>
#include <utility>
#include <vector>

#include "core/amd/lir/machine.h"
#include "core/amd/optimise/testing.h"
#include "core/lir/build.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

class PlanPairsTest : public ::testing::Test {
 protected:
  // Plans the pairs of a function, with at most so many groups.
  void Plan(const std::string& body, int groups = 100) {
    f_ = testing::Parsed(body);
    const lir::DefUse info = lir::FindDefUse(f_);
    const Readers readers(f_);
    plan_ = PlanPairs(Gfx1030Machine(), f_, info, readers, [&] { return groups-- > 0; });
  }
  // The values of each pair, low and high.
  std::vector<std::pair<uint32_t, uint32_t>> Values() const {
    std::vector<std::pair<uint32_t, uint32_t>> values;
    for (const WordPair& pair : plan_.pairs) {
      values.emplace_back(pair.values[0].index, pair.values[1].index);
    }
    return values;
  }

  lir::Function f_;
  PairPlan plan_;
};
using List = std::vector<std::pair<uint32_t, uint32_t>>;

// Sums of both words of %0 and %1, between which another instruction stands.
const char kSums[] =
    "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
    "  %11 = v_lshrrev_b32 #0x10 %1 {[]}\n  %12 = v_add_f16 %0 %1 {[]}\n"
    "  %20 = v_not_b32 %2 {[]}\n  %13 = v_add_f16 %10 %11 {[]}\n"
    "  %14 = v_perm_b32 %13 %12 #0x5040100 {[]}\n"
    "  buffer_store_dword %20 _ _ %14 {[]}\n  end\n";

TEST_F(PlanPairsTest, PairsAreNeighbours) {
  Plan(kSums);
  EXPECT_EQ(Values(), (List{{12, 13}}));
  const WordPair& pair = plan_.pairs[0];
  EXPECT_FALSE(pair.is_parameter() || pair.exchanged);
  const std::vector<lir::InstId>& order = f_.blocks[0].insts;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != pair.insts[0]) continue;
    EXPECT_EQ(order[i + 1], pair.insts[1]);
  }
}

TEST_F(PlanPairsTest, PlacesSayWhichWord) {
  Plan(kSums);
  ASSERT_EQ(plan_.pairs.size(), 1u);
  EXPECT_EQ(plan_.PairOf(12), plan_.pairs.data());
  EXPECT_EQ(plan_.PairOf(13), plan_.pairs.data());
  EXPECT_EQ(plan_.PairOf(10), nullptr);
  const auto of = [&](uint32_t value, bool high = false) {
    return plan_.PositionOf({lir::ValueOperand(lir::ValueId(value), 0), high});
  };
  EXPECT_TRUE(of(12).SameDword(of(13)));
  EXPECT_FALSE(of(12).high);
  EXPECT_TRUE(of(13).high);
  EXPECT_TRUE(of(0).SameDword(of(0, true)));
  EXPECT_FALSE(of(0).SameDword(of(1)));
  EXPECT_FALSE(of(0).SameDword(of(12))) << "pair 0 and value 0";
}

TEST_F(PlanPairsTest, SourcesAreExchangedToShareDwords) {
  Plan(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %11 = v_lshrrev_b32 #0x10 %1 {[]}\n  %12 = v_add_f16 %0 %1 {[]}\n"
      "  %13 = v_add_f16 %11 %10 {[]}\n  %14 = v_perm_b32 %13 %12 #0x5040100 {[]}\n"
      "  buffer_store_dword %2 _ _ %14 {[]}\n  end\n");
  ASSERT_EQ(Values(), (List{{12, 13}}));
  EXPECT_TRUE(plan_.pairs[0].exchanged);
}

TEST_F(PlanPairsTest, GroupsGrowToTheirSources) {
  Plan(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n  %6 = v_mul_f16 %0 %0 {[]}\n"
      "  %7 = v_mul_f16 %10 %10 {[]}\n  %12 = v_max_f16 %6 %0 {[]}\n"
      "  %13 = v_max_f16 %7 %10 {[]}\n  %14 = v_perm_b32 %13 %12 #0x5040100 {[]}\n"
      "  buffer_store_dword %2 _ _ %14 {[]}\n  end\n");
  EXPECT_EQ(Values(), (List{{12, 13}, {6, 7}}));
}

TEST_F(PlanPairsTest, AGroupIsAskedForOnce) {
  Plan(kSums, 0);
  EXPECT_TRUE(plan_.pairs.empty());
  for (int32_t place : plan_.place) EXPECT_EQ(place, -1);
  EXPECT_EQ(testing::BlocksText(f_), testing::BlocksText(testing::Parsed(kSums)))
      << "the order is what it was";
  Plan(kSums, 1);
  EXPECT_EQ(plan_.pairs.size(), 1u);
}

TEST_F(PlanPairsTest, WhatCostsAsMuchAsItSavesIsLeft) {
  const std::string apart =
      "block b0 depth 0\n  %12 = v_add_f16 %0 %1 {[]}\n  %13 = v_add_f16 %2 %3 {[]}\n"
      "  buffer_store_dword %2 _ _ %12 {[]}\n  buffer_store_dword %3 _ _ %13 {[]}\n  end\n";
  Plan(apart);
  EXPECT_TRUE(plan_.pairs.empty());
  EXPECT_EQ(testing::BlocksText(f_), testing::BlocksText(testing::Parsed(apart)));
}

TEST_F(PlanPairsTest, ParametersOfALoopArePaired) {
  Plan(
      "block b0 depth 0\n  jump\n  -> b1(%0, %1)\n"
      "block b1 depth 1 params %10 %11\n  %12 = v_add_f16 %2 %10 {[]}\n"
      "  %13 = v_add_f16 %3 %11 {[]}\n  %14 = v_mul_f16 %12 %12 {[]}\n"
      "  %15 = v_mul_f16 %13 %13 {[]}\n  %20 = v_cmp_lt_u32 %2 %3 {[]}\n"
      "  jump\n  -> b2\nblock b2 depth 1\n  jump\n  -> b1(%14, %15)\n");
  ASSERT_EQ(Values(), (List{{10, 11}, {14, 15}, {12, 13}}));
  EXPECT_TRUE(plan_.pairs[0].is_parameter());
}

// A dword of which a reader takes all bits is no word.
TEST_F(PlanPairsTest, ParametersOfDwordsAreNotPaired) {
  Plan(
      "block b0 depth 0\n  jump\n  -> b1(%0, %1)\n"
      "block b1 depth 1 params %10 %11\n  buffer_store_dword %2 _ _ %10 {[]}\n"
      "  %14 = v_mul_f16 %10 %10 {[]}\n  %15 = v_mul_f16 %11 %11 {[]}\n"
      "  jump\n  -> b2\nblock b2 depth 1\n  jump\n  -> b1(%14, %15)\n");
  for (const WordPair& pair : plan_.pairs) EXPECT_FALSE(pair.is_parameter());
}

}  // namespace
}  // namespace kiln::amd
