// Copies whose shape decides the instructions: constants of two dwords, tuples, the same register.
#include <string>

#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::EmitLine;

// A constant of two dwords is sign-extended; one that 64-bit sources have inline is one move.
TEST(CopiesTest, ConstantsOfTwoDwords) {
  EXPECT_EQ(EmitLine("%p4 = s_copy #0x7"), "s_mov_b64 s[4:5], 7");
  EXPECT_EQ(EmitLine("%p4 = s_copy #0xffffffff"), "s_mov_b64 s[4:5], -1");
  EXPECT_EQ(EmitLine("%p4 = s_copy #0x12345"), "s_mov_b32 s4, 0x12345; s_mov_b32 s5, 0");
  EXPECT_EQ(EmitLine("%p4 = s_copy #0x80000000"), "s_mov_b32 s4, 0x80000000; s_mov_b32 s5, -1");
}

TEST(CopiesTest, ConstantsOfVectors) {
  EXPECT_EQ(EmitLine("%v1 = v_copy #0x7"), "v_mov_b32_e32 v1, 7");
  EXPECT_EQ(EmitLine("%v1 = v_copy #0x3f800000"), "v_mov_b32_e32 v1, 1.0");
  EXPECT_EQ(EmitLine("%v1 = v_copy %s4"), "v_mov_b32_e32 v1, s4");
}

// Two scalars at a time where both pairs are aligned, as 64-bit moves want.
TEST(CopiesTest, TuplesOfScalars) {
  EXPECT_EQ(EmitLine("%s4x4 = s_move %s8x4 {aux 4}"),
            "s_mov_b64 s[4:5], s[8:9]; s_mov_b64 s[6:7], s[10:11]");
  EXPECT_EQ(EmitLine("%s4x3 = s_move %s8x3 {aux 3}"),
            "s_mov_b64 s[4:5], s[8:9]; s_mov_b32 s6, s10");
  EXPECT_EQ(EmitLine("%s5x2 = s_move %s8x2 {aux 2}"), "s_mov_b32 s5, s8; s_mov_b32 s6, s9");
}

TEST(CopiesTest, OntoItselfIsNothing) {
  EXPECT_EQ(EmitLine("%s4 = s_move %s4 {aux 1}"), "");
  EXPECT_EQ(EmitLine("%p4 = s_copy %p4"), "");
  EXPECT_EQ(EmitLine("%w4 = v_move %w4 {nomask aux 1}"), "") << "nor are all lanes switched on";
}

TEST(CopiesTest, SwapsOfTuples) {
  EXPECT_EQ(EmitLine("%v4x2 %v8x2 = v_swap %v8x2 %v4x2 {aux 2}"),
            "v_swap_b32 v4, v8; v_swap_b32 v5, v9");
}

TEST(CopiesTest, SwapsOfScalars) {
  EXPECT_EQ(EmitLine("%s4 %s9 = s_swap %s9 %s4 {aux 1}"),
            "s_mov_b32 s104, s4; s_mov_b32 s4, s9; s_mov_b32 s9, s104");
  EXPECT_EQ(EmitLine("%s4x2 %s8x2 = s_swap %s8x2 %s4x2 {aux 2}"),
            "s_mov_b64 s[104:105], s[4:5]; s_mov_b64 s[4:5], s[8:9]; s_mov_b64 s[8:9], s[104:105]");
}

// Whole-wave values are copied in all lanes, and what reads exec behind them has the old one.
TEST(CopiesTest, WholeWaveSwapsSwitchAllLanesOn) {
  EXPECT_EQ(EmitLine("%w4 %w5 = v_swap %w5 %w4 {nomask aux 1}", 64),
            "s_mov_b64 s[104:105], exec; s_mov_b64 exec, -1; v_swap_b32 v4, v5; "
            "s_mov_b64 exec, s[104:105]");
}

}  // namespace
}  // namespace kiln::amd
