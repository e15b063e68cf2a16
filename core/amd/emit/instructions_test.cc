// Operands by position, fields of side rows and modifiers become an instruction; what does not fit
// is an error by name.
#include <string>

#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::EmitLine;

TEST(InstructionsTest, ModifiersBelongToTheirSource) {
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 -|%v3| -%v4 {[]}"), "v_fma_f32 v1, v2, -|v3|, -v4");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %v2 %v3 {[omod 1]}"), "v_add_f32_e64 v1, v2, v3 mul:2");
}

// Vector instructions on whole-wave values run with all lanes on; scalar ones have no lanes.
TEST(InstructionsTest, WholeWaveInstructionsSwitchAllLanesOn) {
  EXPECT_EQ(EmitLine("%w4 = v_add_f32 %w5 %w6 {nomask []}"),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, -1; v_add_f32_e32 v4, v5, v6; "
            "s_mov_b32 exec_lo, s104");
  EXPECT_EQ(EmitLine("%s4 = s_add_u32 %s5 %s6 {nomask []}"), "s_add_u32 s4, s5, s6");
}

// An atomic whose result is used asks for it.
TEST(InstructionsTest, AtomicsAskForAResultThatIsUsed) {
  EXPECT_EQ(EmitLine("%v1 = global_atomic_add %v2x2 %v4 {[]}"),
            "global_atomic_add v1, v[2:3], v4, off glc");
  EXPECT_EQ(EmitLine("global_atomic_add %v2x2 %v4 {[]}"), "global_atomic_add v[2:3], v4, off");
  EXPECT_EQ(EmitLine("%v1 = ds_add_rtn_u32 %v2 %v3 {[]}"), "ds_add_rtn_u32 v1, v2, v3");
}

// The high half of v_fma_mix's sources decides whether a constant is a half.
TEST(InstructionsTest, ConstantsOfMixedSources) {
  EXPECT_EQ(EmitLine("%v1 = v_fma_mix_f32 %v2 #0x3f800000 %v3 {[]}"),
            "v_fma_mix_f32 v1, v2, 1.0, v3");
  EXPECT_EQ(EmitLine("%v1 = v_fma_mix_f32 %v2 #0x3c00 %v3 {[op_sel_hi 2]}"),
            "v_fma_mix_f32 v1, v2, 1.0, v3 op_sel_hi:[0,1,0]");
}

TEST(InstructionsTest, WhatDoesNotFitIsNamed) {
  EXPECT_EQ(EmitLine("%v1 %v2 = v_add_f32 %v3 %v4 {[]}"),
            "emission of v_add_f32 (id 0): it has more results than the instruction");
  EXPECT_EQ(EmitLine("%v1 = v_fmamk_f32 %v2 %v3 %v4 {[]}"),
            "emission of v_fmamk_f32 (id 0): its constant is no immediate");
  EXPECT_EQ(EmitLine("%v1x4 = image_load %v4 %s8x8 {[dmask 15 dim 2 flags 16]}"),
            "image_load v[1:4], v[4:6], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_3D unorm");
  EXPECT_EQ(EmitLine("%v1x4 = image_load %v4 %s8x8 _ _ %v9 {[dmask 15 dim 2 flags 16]}"),
            "emission of image_load (id 0): its address has 2 parts instead of 3");
}

}  // namespace
}  // namespace kiln::amd
