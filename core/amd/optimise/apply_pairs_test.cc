// Tests what is written for plans that the tests make themselves.
#include "core/amd/optimise/apply_pairs.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "core/amd/lir/machine.h"
#include "core/amd/optimise/testing.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// A pair of instructions of block 0, or of parameters of a block.
WordPair Pair(const lir::Function& f, uint32_t low, uint32_t high) {
  const lir::DefUse info = lir::FindDefUse(f);
  WordPair pair;
  pair.values = {lir::ValueId(low), lir::ValueId(high)};
  pair.insts = {info.def[low], info.def[high]};
  if (!pair.is_parameter()) pair.block = info.block[pair.insts[0].index];
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    for (lir::ValueId v : f.blocks[b].params) {
      if (v.index == low) pair.block = lir::BlockId(b);
    }
  }
  return pair;
}

PairPlan PlanOf(const lir::Function& f, std::vector<WordPair> pairs) {
  PairPlan plan;
  plan.pairs = std::move(pairs);
  plan.place.assign(f.values.size(), -1);
  for (size_t p = 0; p < plan.pairs.size(); ++p) {
    for (size_t i = 0; i < 2; ++i) {
      plan.place[plan.pairs[p].values[i].index] = static_cast<int32_t>(2 * p + i);
    }
  }
  return plan;
}

struct Applied {
  std::string text;
  bool changed = false;
};

Applied Apply(lir::Function f, const PairPlan& plan, bool may_rewrite = true) {
  const lir::DefUse info = lir::FindDefUse(f);
  const Readers readers(f);
  Applied applied;
  applied.changed =
      ApplyPairs(Gfx1030Machine(), f, plan, info, readers, [&] { return may_rewrite; });
  EXPECT_EQ(lir::Verify(Gfx1030Machine(), f), absl::OkStatus());
  applied.text = testing::BlocksText(f);
  return applied;
}

TEST(ApplyPairs, APairIsOneInstruction) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %6 = v_mul_f16 %0 %1 {[]}\n  %7 = v_mul_f16 %2 %3 {[]}\n"
      "  buffer_store_short %0 _ _ %6 {[]}\n  buffer_store_short %1 _ _ %7 {[]}\n  end\n");
  const Applied applied = Apply(f, PlanOf(f, {Pair(f, 6, 7)}));
  EXPECT_TRUE(applied.changed);
  EXPECT_EQ(testing::Count(applied.text, "v_mul_f16"), 0) << applied.text;
  EXPECT_EQ(testing::Count(applied.text, "v_pk_mul_f16"), 1) << applied.text;
  EXPECT_EQ(testing::Count(applied.text, "v_pack_b32_f16"), 2) << "its sources" << applied.text;
  EXPECT_EQ(testing::Count(applied.text, "buffer_store_short_d16_hi"), 1) << applied.text;
}

// The plan's consequences are no rewrites of their own.
TEST(ApplyPairs, AsksForWhatIsNoConsequence) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %8 = v_lshrrev_b32 #0x10 %0 {[]}\n  %6 = v_mul_f16 %0 %1 {[]}\n"
      "  %7 = v_mul_f16 %2 %3 {[]}\n  %9 = v_add_f16 %8 %1 {[]}\n"
      "  buffer_store_short %0 _ _ %6 {[]}\n  buffer_store_short %1 _ _ %7 {[]}\n"
      "  buffer_store_short %1 _ _ %9 {[]}\n  end\n");
  const PairPlan plan = PlanOf(f, {Pair(f, 6, 7)});
  const std::string asked = Apply(f, plan).text, refused = Apply(f, plan, false).text;
  EXPECT_EQ(testing::Count(refused, "v_pk_mul_f16"), 1) << refused;
  EXPECT_EQ(testing::Count(refused, "v_add_f16 %8:b32"), 1) << refused;
  EXPECT_EQ(testing::Count(asked, "v_add_f16 %8:b32"), 0) << asked;
  EXPECT_TRUE(absl::StrContains(asked, "sdwa_src0 5")) << asked;
}

TEST(ApplyPairs, WithoutPairsAndHighWordsNothingChanges) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %6 = v_mul_f16 %0 %1 {[]}\n  buffer_store_short %0 _ _ %6 {[]}\n"
      "  end\n");
  const Applied applied = Apply(f, PlanOf(f, {}));
  EXPECT_FALSE(applied.changed);
  EXPECT_EQ(applied.text, testing::BlocksText(f));
}

// Readers of whole dwords get the high word shifted down.
TEST(ApplyPairs, HighWordsAreExtractedForOthers) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %6 = v_mul_f16 %0 %1 {[]}\n  %7 = v_mul_f16 %2 %3 {[]}\n"
      "  buffer_store_short %0 _ _ %6 {[]}\n  buffer_store_dword %1 _ _ %7 {[]}\n"
      "  buffer_store_dword %2 _ _ %7 {[]}\n  end\n");
  const Applied applied = Apply(f, PlanOf(f, {Pair(f, 6, 7)}));
  EXPECT_EQ(testing::Count(applied.text, "v_lshrrev_b32 #0x10"), 1) << applied.text;
}

TEST(ApplyPairs, ParametersBecomeOne) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  jump\n  -> b1(#0x3c00, %1)\n"
      "block b1 depth 0 params %10 %11\n  buffer_store_short %0 _ _ %10 {[]}\n"
      "  buffer_store_short %1 _ _ %11 {[]}\n  end\n");
  const Applied applied = Apply(f, PlanOf(f, {Pair(f, 10, 11)}));
  EXPECT_EQ(testing::Count(applied.text, "params %10\n"), 1) << applied.text;
  EXPECT_EQ(testing::Count(applied.text, "v_perm_b32 %1:b32"), 1) << applied.text;
  EXPECT_LT(applied.text.find("v_perm_b32"), applied.text.find("jump")) << applied.text;
}

// At most two sources are scalars, one of them a literal; others are copied.
TEST(ApplyPairs, ScalarsBeyondTwoAreCopied) {
  const lir::Function f = testing::Parsed(
      "block b0 depth 0\n  %6 = v_fma_f16 %4 #0x3b33 #0x3b44 {[]}\n"
      "  %7 = v_fma_f16 %4 #0x3b33 #0x3b44 {[]}\n"
      "  buffer_store_short %0 _ _ %6 {[]}\n  buffer_store_short %1 _ _ %7 {[]}\n  end\n");
  const Applied applied = Apply(f, PlanOf(f, {Pair(f, 6, 7)}));
  EXPECT_EQ(testing::Count(applied.text, "v_pk_fma_f16 %4:b32 #0x3b33:b32 %"), 1) << applied.text;
  EXPECT_EQ(testing::Count(applied.text, "v_copy #0x3b44"), 1) << applied.text;
}

}  // namespace
}  // namespace kiln::amd
