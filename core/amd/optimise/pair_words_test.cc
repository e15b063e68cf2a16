// Tests which operations share an instruction, where their words come from, and where it costs too
// much. Programs are LIR as text; that results are the same, random programs show (tests/exec).
#include "core/amd/optimise/pair_words.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/amd/lir/machine.h"
#include "core/amd/optimise/testing.h"
#include "core/lir/def_use.h"
#include "core/lir/remove_dead.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::Count;
using testing::Parsed;

// Returns the code after the pass, without dead instructions. The program must be well formed.
std::string Paired(const std::string& body, bool may_rewrite = true) {
  lir::Function f = Parsed(body);
  EXPECT_EQ(lir::Verify(Gfx1030Machine(), f), absl::OkStatus());
  PairWords(Gfx1030Machine(), f, [&] { return may_rewrite; });
  lir::DefUse info = lir::FindDefUse(f);
  lir::RemoveDead(Gfx1030Machine().ops, f, info, [] { return true; });
  EXPECT_EQ(lir::Verify(Gfx1030Machine(), f), absl::OkStatus());
  return testing::BlocksText(f);
}

// The words of %0 and %1, added; `then` has their sums, %12 and %13.
std::string Sums(const std::string& op, const std::string& then) {
  return "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
         "  %11 = v_lshrrev_b32 #0x10 %1 {[]}\n  %12 = " +
         op + " %0 %1 {[]}\n  %13 = " + op + " %10 %11 {[]}\n" + then + "  end\n";
}
const std::string kPacked =
    "  %14 = v_perm_b32 %13 %12 #0x5040100 {[]}\n  buffer_store_dword %2 _ _ %14 {[]}\n";

TEST(PairWords, WordsOfDwordsNeedNothingElse) {
  for (const auto& [single, packed] : {std::pair{"v_add_f16", "v_pk_add_f16"},
                                       {"v_mul_f16", "v_pk_mul_f16"},
                                       {"v_min_f16", "v_pk_min_f16"},
                                       {"v_max_f16", "v_pk_max_f16"},
                                       {"v_add_nc_u16", "v_pk_add_u16"},
                                       {"v_sub_nc_u16", "v_pk_sub_u16"},
                                       {"v_mul_lo_u16", "v_pk_mul_lo_u16"},
                                       {"v_min_i16", "v_pk_min_i16"},
                                       {"v_max_u16", "v_pk_max_u16"},
                                       {"v_lshlrev_b16", "v_pk_lshlrev_b16"},
                                       {"v_lshrrev_b16", "v_pk_lshrrev_b16"},
                                       {"v_ashrrev_i16", "v_pk_ashrrev_i16"}}) {
    const std::string text = Paired(Sums(single, kPacked));
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat(packed, " %0:b32 %1:b32 {w32 [op_sel_hi 3]}")))
        << text;
    EXPECT_EQ(Count(text, " = "), 1) << text;
  }
}

TEST(PairWords, NothingChangesIfItMayNot) {
  const std::string text = Paired(Sums("v_add_f16", kPacked), false);
  EXPECT_EQ(Count(text, "v_add_f16"), 2) << text;
  EXPECT_EQ(Count(text, "v_lshrrev_b32"), 2) << text;
}

TEST(PairWords, SignsAndOrdersAreOfEachHalf) {
  // x0 - x1 below x1' - x0': sums with a sign of their own in each half.
  const std::string text = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %11 = v_lshrrev_b32 #0x10 %1 {[]}\n  %12 = v_sub_f16 %0 %1 {[]}\n"
      "  %13 = v_subrev_f16 -%10 %11 {[]}\n" +
      kPacked + "  end\n");
  EXPECT_TRUE(absl::StrContains(text, "v_pk_add_f16 %0:b32 -%1:b32 {w32 [op_sel_hi 3]}")) << text;
  const std::string exchanged = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %12 = v_sub_f16 %10 %1 {[]}\n  %13 = v_sub_f16 %0 %1 {[]}\n" +
      kPacked + "  end\n");
  EXPECT_TRUE(absl::StrContains(exchanged, "v_pk_add_f16 %0:b32 -%1:b32 {w32 [op_sel 1 neg_hi 2]}"))
      << exchanged;
}

TEST(PairWords, ConstantsAreOneLiteralOrInline) {
  const auto sums = [](const std::string& a, const std::string& b) {
    return Paired(absl::StrCat("block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n",
                               "  %12 = v_mul_f16 ", a, " %0 {[]}\n  %13 = v_mul_f16 ", b,
                               " %10 {[]}\n", kPacked, "  end\n"));
  };
  EXPECT_TRUE(absl::StrContains(sums("#0x3c00", "#0x3c00"),
                                "v_pk_mul_f16 #0x3c00:b32 %0:b32 {w32 [op_sel_hi 2]}"));
  EXPECT_TRUE(absl::StrContains(sums("#0x3b33", "#0x3c00"),
                                "v_pk_mul_f16 #0x3c003b33:b32 %0:b32 {w32 [op_sel_hi 3]}"));
  EXPECT_TRUE(absl::StrContains(sums("#0xfff0", "#0xfff0"),
                                "v_pk_mul_f16 #0xfffffff0:b32 %0:b32 {w32 [op_sel_hi 2]}"));
}

// Packing both sources costs what the pair saves.
TEST(PairWords, WordsThatMustBePutTogetherCostAnInstruction) {
  const std::string stores =
      "  buffer_store_dword %2 _ _ %12 {[]}\n  buffer_store_dword %3 _ _ %13 {[]}\n";
  const std::string apart =
      Paired("block b0 depth 0\n  %12 = v_add_f16 %0 %1 {[]}\n  %13 = v_add_f16 %2 %3 {[]}\n" +
             stores + "  end\n");
  EXPECT_EQ(Count(apart, "v_pk_"), 0) << apart;
  // Three operations in a row are worth two packs, if only words are stored.
  const std::string chain = Paired(
      "block b0 depth 0\n  %6 = v_add_f16 %0 %1 {[]}\n  %7 = v_add_f16 %2 %3 {[]}\n"
      "  %8 = v_mul_f16 %6 %6 {[]}\n  %9 = v_mul_f16 %7 %7 {[]}\n"
      "  %12 = v_fma_f16 %8 %8 %6 {[]}\n  %13 = v_fma_f16 %9 %9 %7 {[]}\n"
      "  buffer_store_short %2 _ _ %12 {[]}\n  buffer_store_short %3 _ _ %13 {[]}\n  end\n");
  EXPECT_EQ(Count(chain, "v_pk_"), 3) << chain;
  EXPECT_EQ(Count(chain, "v_pack_b32_f16"), 2) << chain;
  EXPECT_EQ(Count(chain, "buffer_store_short_d16_hi"), 1) << chain;
}

TEST(PairWords, WhatDependsOnTheOtherIsComputedAlone) {
  const std::string text = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n  %12 = v_mul_f16 %0 %0 {[]}\n"
      "  %6 = v_not_b32 %12 {[]}\n  %13 = v_mul_f16 %10 %6 {[]}\n" +
      kPacked + "  end\n");
  EXPECT_EQ(Count(text, "v_pk_"), 0) << text;
}

// An instruction that uses the first before the second is computed moves behind both; a store keeps
// its place among others.
TEST(PairWords, InstructionsBetweenMoveOut) {
  const std::string body =
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n  %12 = v_mul_f16 %0 %0 {[]}\n"
      "  %6 = v_not_b32 %12 {[]}\n  buffer_store_dword %2 _ _ %6 {[]}\n"
      "  %13 = v_mul_f16 %10 %10 {[]}\n" +
      kPacked + "  end\n";
  const std::string text = Paired(body);
  EXPECT_EQ(Count(text, "v_pk_mul_f16"), 1) << text;
  EXPECT_LT(text.find("v_pk_mul_f16"), text.find("v_not_b32")) << text;
  const std::string loaded = Paired(
      "block b0 depth 0\n  %12 = v_mul_f16 %0 %0 {[]}\n  %6 = v_not_b32 %12 {[]}\n"
      "  buffer_store_dword %2 _ _ %6 {[]}\n  %11 = buffer_load_dword %2 _ _ {[]}\n"
      "  %13 = v_mul_f16 %11 %11 {[]}\n" +
      kPacked + "  end\n");
  EXPECT_EQ(Count(loaded, "v_pk_"), 0) << "the load reads what the store wrote: " << loaded;
}

// Two parameters of a loop become one, and what enters it is packed outside.
TEST(PairWords, LoopsCarryPairs) {
  const std::string text = Paired(
      "block b0 depth 0\n  jump\n  -> b1(%0, %1)\n"
      "block b1 depth 1 params %10 %11\n  %12 = v_add_f16 %2 %10 {[]}\n"
      "  %13 = v_add_f16 %3 %11 {[]}\n  %14 = v_mul_f16 %12 %12 {[]}\n"
      "  %15 = v_mul_f16 %13 %13 {[]}\n  %20 = v_cmp_lt_u32 %2 %3 {[]}\n"
      "  jump\n  -> b2\nblock b2 depth 1\n  jump\n  -> b1(%14, %15)\n");
  EXPECT_EQ(Count(text, "params %10\n"), 1) << text;
  EXPECT_EQ(Count(text, "v_pk_mul_f16"), 1) << text;
}

// The high word is read in place by SDWA, op_sel and stores, else shifted once.
TEST(PairWords, ReadersTakeHighWordsInPlace) {
  const auto read = [](const std::string& reader) {
    return Paired(Sums("v_add_f16", "  buffer_store_short %2 _ _ %12 {[]}\n" + reader));
  };
  const std::string stored = read("  buffer_store_short %3 _ _ %13 {[]}\n");
  EXPECT_EQ(Count(stored, "v_lshrrev_b32"), 0) << stored;
  EXPECT_EQ(Count(stored, "buffer_store_short_d16_hi"), 1) << stored;
  const std::string converted =
      read("  %14 = v_cvt_f32_f16 %13 {[]}\n  buffer_store_dword %3 _ _ %14 {[]}\n");
  EXPECT_TRUE(absl::StrContains(converted, "form 4 sdwa_dst 6 sdwa_src0 5")) << converted;
  const std::string fused =
      read("  %14 = v_fma_f16 %3 %13 %2 {[]}\n  buffer_store_dword %3 _ _ %14 {[]}\n");
  EXPECT_TRUE(absl::StrContains(fused, "op_sel 2")) << fused;
  const std::string whole = read("  buffer_store_dword %3 _ _ %13 {[]}\n");
  EXPECT_EQ(Count(whole, "v_lshrrev_b32"), 1) << whole;
}

// A shift goes if all its readers can do without.
TEST(PairWords, HighWordsOfDwordsAreReadInPlace) {
  const std::string text = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n  %12 = v_mul_f16 %1 %10 {[]}\n"
      "  buffer_store_dword %2 _ _ %12 {[]}\n  end\n");
  EXPECT_TRUE(absl::StrContains(text, "v_mul_f16 %1:b32 %0:b32")) << text;
  EXPECT_TRUE(absl::StrContains(text, "sdwa_src0 6 sdwa_src1 5")) << text;
  const std::string literal = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %12 = v_mul_f16 #0x3b99 %10 {[]}\n  buffer_store_dword %2 _ _ %12 {[]}\n  end\n");
  EXPECT_EQ(Count(literal, "v_lshrrev_b32"), 1) << "SDWA has no literal: " << literal;
}

// Words of one dword that are put together again are that dword; others are taken from where they
// are.
TEST(PairWords, PacksOfWordsInPlaceGo) {
  const std::string same = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %14 = v_perm_b32 %10 %0 #0x5040100 {[]}\n  buffer_store_dword %2 _ _ %14 {[]}\n  end\n");
  EXPECT_TRUE(absl::StrContains(same, "buffer_store_dword %2:b32 _ _ %0:b32")) << same;
  const std::string other = Paired(
      "block b0 depth 0\n  %10 = v_lshrrev_b32 #0x10 %0 {[]}\n"
      "  %14 = v_perm_b32 %10 %1 #0x5040100 {[]}\n  buffer_store_dword %2 _ _ %14 {[]}\n  end\n");
  EXPECT_TRUE(absl::StrContains(other, "v_perm_b32 %0:b32 %1:b32 #0x7060100:b32")) << other;
}

}  // namespace
}  // namespace kiln::amd
