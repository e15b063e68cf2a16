#include "core/amd/optimise/word.h"

#include <string>

#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/lir/build.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// %0, %1 and %2 are given per lane, %3 is a scalar.
lir::Function Parsed(const std::string& insts) {
  std::string text = "function gfx1030 width 32\n";
  for (int i = 0; i < 8; ++i) {
    text += "value %" + std::to_string(i) + (i == 3 || i == 6 ? " S 4x1\n" : " V 4x1\n");
  }
  text += "livein %0 at 0\nlivein %1 at 1\nlivein %2 at 2\nlivein %3 at 4\nblock b0 depth 0\n";
  auto f = lir::Parse(Gfx1030Machine(), text + insts + "  end\n");
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : lir::Function();
}

// Says which word the last instruction's first definition is.
std::string WordText(const std::string& insts) {
  const lir::Function f = Parsed(insts);
  const lir::InstId last = f.blocks[0].insts[f.blocks[0].insts.size() - 2];
  const Word w = WordOf(f, lir::FindDefUse(f), f.defs(last)[0]);
  return (w.is_constant() ? "#" : w.high ? "high of " : "low of ") + std::to_string(w.dword.id);
}

TEST(Word, ShiftsMasksAndConstantsAreLookedThrough) {
  EXPECT_EQ(WordText("  %4 = v_lshrrev_b32 #0x10 %0 {[]}\n"), "high of 0");
  EXPECT_EQ(WordText("  %4 = v_lshrrev_b32 #0x8 %0 {[]}\n"), "low of 4");
  EXPECT_EQ(WordText("  %4 = v_and_b32 #0xffff %0 {[]}\n"), "low of 0");
  EXPECT_EQ(WordText("  %4 = v_and_b32 #0xfff %0 {[]}\n"), "low of 4");
  EXPECT_EQ(WordText("  %6 = s_lshr_b32 %3 #0x10 {nomask []}\n"), "high of 3");
  EXPECT_EQ(WordText("  %4 = v_copy #0x3c00\n"), "#15360");
  EXPECT_EQ(WordText("  %4 = v_copy #0x12345678\n  %5 = v_lshrrev_b32 #0x10 %4 {[]}\n"), "#4660");
}

// Returns the instruction after its use has become the high word of %2, or "" if it cannot.
std::string High(const std::string& inst, size_t use) {
  lir::Function f = Parsed("  " + inst + "\n");
  const lir::InstId id = f.blocks[0].insts[0];
  if (!CanReadHighWord(f, id, use)) return "";
  ReadHighWord(f, id, use, lir::ValueOperand(lir::ValueId(2), 0));
  const std::string text = lir::Print(Gfx1030Machine(), f);
  const size_t from = text.find("block b0 depth 0\n  ") + 19;
  return text.substr(from, text.find('\n', from) - from);
}

TEST(Word, HighWordsAreReadInPlace) {
  EXPECT_EQ(High("%4 = v_add_f16 -%0 %1 {[]}", 0),
            "%4:b32 = v_add_f16 -%2:b32 %1:b32 {[form 4 sdwa_dst 6 sdwa_src0 5 sdwa_src1 6]}");
  EXPECT_EQ(High("%4 = v_fma_f16 %0 %1 %1 {[]}", 1),
            "%4:b32 = v_fma_f16 %0:b32 %2:b32 %1:b32 {[op_sel 2]}");
  EXPECT_EQ(High("buffer_store_short %0 _ _ %1 {[]}", 3),
            "buffer_store_short_d16_hi %0:b32 _ _ %2:b32 {[]}");
}

TEST(Word, WhatReadsMoreOrHasALiteralDoesNot) {
  EXPECT_EQ(High("%4 = v_add_f32 %0 %1 {[]}", 0), "") << "reads 32 bits";
  EXPECT_EQ(High("%4 = v_mul_f16 #0x3b99 %1 {[]}", 1), "") << "SDWA has no literal";
  EXPECT_NE(High("%4 = v_mul_f16 #0x3c00 %1 {[]}", 1), "") << "an inline constant";
  EXPECT_EQ(High("buffer_store_short %0 _ _ %1 {[]}", 0), "") << "an address";
  EXPECT_EQ(High("%4 = v_mul_f16 %0 %1 {[form 2 dpp_control 5]}", 0), "") << "DPP";
}

}  // namespace
}  // namespace kiln::amd
