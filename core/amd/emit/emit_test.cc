// One operation after the other: operands, forms, pseudo operations.
#include "core/amd/emit/emit.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::EmitLine;

TEST(EmitTest, ShortForms) {
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %v2 %v3 {[]}"), "v_add_f32_e32 v1, v2, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %s4 %v3 {[]}"), "v_add_f32_e32 v1, s4, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %v3 %s4 {[]}"), "v_add_f32_e32 v1, s4, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %s5 %s4 {[]}"), "v_add_f32_e64 v1, s5, s4");
  EXPECT_EQ(EmitLine("%v1 = v_sub_f32 %v3 %s4 {[]}"), "v_subrev_f32_e32 v1, s4, v3");
  EXPECT_EQ(EmitLine("%v1 = v_subrev_nc_u32 %v3 %s4 {[]}"), "v_sub_nc_u32_e32 v1, s4, v3");
  EXPECT_EQ(EmitLine("%v1 = v_lshlrev_b32 %v3 %s4 {[]}"), "v_lshlrev_b32_e64 v1, v3, s4");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 -%v2 %v3 {[]}"), "v_add_f32_e64 v1, -v2, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 |%v2| %v3 {sat []}"), "v_add_f32_e64 v1, |v2|, v3 clamp");
  EXPECT_EQ(EmitLine("%v1 = v_mov_b32 %s4 {[]}"), "v_mov_b32_e32 v1, s4");
}

TEST(EmitTest, LaneMasksInVcc) {
  EXPECT_EQ(EmitLine("%mvcc = v_cmp_lt_f32 %v2 %v3 {[]}"), "v_cmp_lt_f32_e32 vcc_lo, v2, v3");
  EXPECT_EQ(EmitLine("%mvcc = v_cmp_lt_f32 %v2 %s3 {[]}"), "v_cmp_gt_f32_e32 vcc_lo, s3, v2");
  EXPECT_EQ(EmitLine("%mvcc = v_cmp_nle_f32 %v2 #0x0 {[]}", 64), "v_cmp_nge_f32_e32 vcc, 0, v2");
  EXPECT_EQ(EmitLine("%m4 = v_cmp_lt_f32 %v2 %s3 {[]}"), "v_cmp_lt_f32_e64 s4, v2, s3");
  EXPECT_EQ(EmitLine("%mvcc = v_cmp_class_f32 %v2 %s3 {[]}"), "v_cmp_class_f32_e64 vcc_lo, v2, s3");
  EXPECT_EQ(EmitLine("%v1 = v_cndmask_b32 %v2 %v3 %mvcc {[]}"),
            "v_cndmask_b32_e32 v1, v2, v3, vcc_lo");
  EXPECT_EQ(EmitLine("%v1 = v_cndmask_b32 %v2 %v3 %m6 {[]}", 64),
            "v_cndmask_b32_e64 v1, v2, v3, s[6:7]");
  EXPECT_EQ(EmitLine("%v1 %mvcc = v_add_co_ci_u32 %v2 %v3 %mvcc {[]}"),
            "v_add_co_ci_u32_e32 v1, vcc_lo, v2, v3, vcc_lo");
  EXPECT_EQ(EmitLine("%v1 %m4 = v_add_co_u32 %v2 %v3 {[]}"), "v_add_co_u32 v1, s4, v2, v3");
}

TEST(EmitTest, Fma) {
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 %v3 %v1 {[]}"), "v_fmac_f32_e32 v1, v2, v3");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 %s3 %v1 {[]}"), "v_fmac_f32_e32 v1, s3, v2");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 %v3 %v4 {[]}"), "v_fma_f32 v1, v2, v3, v4");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 %s3 #0x40490fdb {[]}"),
            "v_fmaak_f32 v1, s3, v2, 0x40490fdb");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 #0x40490fdb %v3 {[]}"),
            "v_fmamk_f32 v1, v2, 0x40490fdb, v3");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 #0x40490fdb %s2 %v3 {[]}"),
            "v_fmamk_f32 v1, s2, 0x40490fdb, v3");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 -%v2 %v3 %v1 {[]}"), "v_fma_f32 v1, -v2, v3, v1");
  EXPECT_EQ(EmitLine("%v1 = v_fmac_f32 %v2 %v3 _ %v1 {[]}"), "v_fmac_f32_e32 v1, v2, v3");
}

TEST(EmitTest, LiteralsOfTheOpcode) {
  EXPECT_EQ(EmitLine("%v1 = v_fmamk_f32 %s2 #0x40490fdb %v3 {[]}"),
            "v_fmamk_f32 v1, s2, 0x40490fdb, v3");
  EXPECT_EQ(EmitLine("%v1 = v_fmaak_f32 #0x3f800000 %v3 #0x40490fdb {[]}"),
            "v_fmaak_f32 v1, 1.0, v3, 0x40490fdb");
  EXPECT_EQ(EmitLine("s_setreg_imm32_b32 #0x3 {[simm 2049]}"),
            "s_setreg_imm32_b32 hwreg(1, 0, 2), 0x3");
  EXPECT_EQ(EmitLine("s_waitcnt_vscnt {[simm 0]}"), "s_waitcnt_vscnt null, 0");
}

TEST(EmitTest, Constants) {
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 #0x3f800000 %v3 {[]}"), "v_add_f32_e32 v1, 1.0, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_nc_u32 #0xfffffff0 %v3 {[]}"), "v_add_nc_u32_e32 v1, -16, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_nc_u32 #0xffffffef %v3 {[]}"),
            "v_add_nc_u32_e32 v1, 0xffffffef, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f16 #0x3c00 %v3 {[]}"), "v_add_f16_e32 v1, 1.0, v3");
  EXPECT_EQ(EmitLine("%v1 = v_add_f16 #0x3c01 %v3 {[]}"), "v_add_f16_e32 v1, 0x3c01, v3");
  EXPECT_EQ(EmitLine("%v1x2 = v_add_f64 %v2x2 #0x3ff00000 {[]}"), "v_add_f64 v[1:2], v[2:3], 1.0");
  EXPECT_EQ(EmitLine("%v1x2 = v_add_f64 %v2x2 #0x3ff80000 {[]}"),
            "v_add_f64 v[1:2], v[2:3], 0x3ff80000");
  EXPECT_EQ(EmitLine("%v1 = v_med3_u32 #0x1234 %v2 #0x1234 {[]}"),
            "v_med3_u32 v1, 0x1234, v2, 0x1234");
  EXPECT_EQ(EmitLine("%p4 = s_and_b64 %p6 #0xffffffff {[]}"), "s_and_b64 s[4:5], s[6:7], -1");
}

TEST(EmitTest, BrokenLimitsAreNamed) {
  EXPECT_EQ(EmitLine("%v1 = v_med3_u32 #0x1234 %v2 #0x1235 {[]}"),
            "emission of v_med3_u32 (id 0): two different literals");
  EXPECT_EQ(EmitLine("%v1 = v_med3_u32 %s1 %s2 %s3 {[]}"),
            "emission of v_med3_u32 (id 0): a vector instruction reads at most two scalars, a "
            "64-bit shift one: v_med3_u32 v1, s1, s2, s3");
  EXPECT_EQ(EmitLine("%p4 = s_and_b64 %p6 #0xffff0000 {[]}"),
            "emission of s_and_b64 (id 0): a literal cannot be 0xffff0000 of 64 bits");
  EXPECT_EQ(EmitLine("%v1 = collect %v1"),
            "emission of collect (id 0): it should not be here after allocation");
}

TEST(EmitTest, ScalarsWithSimm) {
  EXPECT_EQ(EmitLine("%s1 = s_mov_b32 #0x1234 {[]}"), "s_movk_i32 s1, 4660");
  EXPECT_EQ(EmitLine("%s1 = s_copy #0x12345 "), "s_mov_b32 s1, 0x12345");
  EXPECT_EQ(EmitLine("%s1 = s_copy #0xffff8000"), "s_movk_i32 s1, 32768");
  EXPECT_EQ(EmitLine("%s1 = s_add_i32 #0x1234 %s1 {[]}"), "s_addk_i32 s1, 4660");
  EXPECT_EQ(EmitLine("%s1 = s_add_u32 %s1 #0x1234 {[]}"), "s_addk_i32 s1, 4660");
  EXPECT_EQ(EmitLine("%s1 %c = s_add_u32 %s1 #0x1234 {[]}"), "s_add_u32 s1, s1, 0x1234");
  EXPECT_EQ(EmitLine("%s1 = s_mul_i32 %s2 #0x1234 {[]}"), "s_mul_i32 s1, s2, 0x1234");
  EXPECT_EQ(EmitLine("%c = s_cmp_lt_i32 %s2 #0xffffff00 {[]}"), "s_cmpk_lt_i32 s2, 65280");
  EXPECT_EQ(EmitLine("%c = s_cmp_lt_u32 #0xffff %s2 {[]}"), "s_cmpk_gt_u32 s2, 65535");
  EXPECT_EQ(EmitLine("%c = s_cmp_lt_u32 #0x10000 %s2 {[]}"), "s_cmp_gt_u32 s2, 0x10000");
  EXPECT_EQ(EmitLine("%c = s_cmp_eq_u32 %s2 #0xffffff00 {[]}"), "s_cmpk_eq_i32 s2, 65280");
}

TEST(EmitTest, DppAndSdwa) {
  EXPECT_EQ(EmitLine("%v1 = v_add_f32 %v2 %v3 {[form 2 dpp_control 273 dpp_masks 255]}"),
            "v_add_f32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf");
  EXPECT_EQ(EmitLine("%v1 = v_mov_b32 %v2 {[form 4 sdwa_dst 6 sdwa_src0 4]}"),
            "v_mov_b32_sdwa v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0");
}

TEST(EmitTest, Memory) {
  EXPECT_EQ(EmitLine("%s4x4 = s_load_dwordx4 %p0 _ {[offset 16]}"),
            "s_load_dwordx4 s[4:7], s[0:1], 0x10");
  EXPECT_EQ(EmitLine("%v1 = buffer_load_dword %v2 %s4x4 #0x0 {[offset 8 flags 2]}"),
            "buffer_load_dword v1, v2, s[4:7], 0 offen offset:8");
  EXPECT_EQ(EmitLine("buffer_store_dword %v2 %s4x4 %s8 %v3 {[flags 2 cache 1]}"),
            "buffer_store_dword v3, v2, s[4:7], s8 offen glc");
  EXPECT_EQ(EmitLine("%v3 = buffer_atomic_add %v2 %s4x4 #0x0 %v3 {[flags 2]}"),
            "buffer_atomic_add v3, v2, s[4:7], 0 offen glc");
  EXPECT_EQ(EmitLine("buffer_atomic_add %v2 %s4x4 #0x0 %v3 {[flags 2]}"),
            "buffer_atomic_add v3, v2, s[4:7], 0 offen");
  EXPECT_EQ(EmitLine("ds_write_b32 %v2 %v3 {[offset 4]}"), "ds_write_b32 v2, v3 offset:4");
  EXPECT_EQ(EmitLine("ds_write_b32 %v2 _ _ %v3 {[]}"), "ds_write_b32 v2, v3");
  EXPECT_EQ(EmitLine("global_store_dword %v2x2 _ _ %v4 {[]}"),
            "global_store_dword v[2:3], v4, off");
}

TEST(EmitTest, ImageAddresses) {
  EXPECT_EQ(EmitLine("%v1x4 = image_load %v4 %s8x8 _ _ %v5 {[dmask 15 dim 1 flags 16]}"),
            "image_load v[1:4], v[4:5], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
  EXPECT_EQ(EmitLine("%v1x4 = image_load %v4 %s8x8 _ _ %v9 {[dmask 15 dim 1 flags 16]}"),
            "image_load v[1:4], [v4, v9], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
  EXPECT_EQ(EmitLine("%v1x4 = image_load %v4x2 %s8x8 {[dmask 15 dim 1 flags 16]}"),
            "image_load v[1:4], v[4:5], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D unorm");
}

TEST(EmitTest, Masks) {
  EXPECT_EQ(EmitLine("%m4 = mask_and %m6 %m8"), "s_and_b32 s4, s6, s8");
  EXPECT_EQ(EmitLine("%m4 = mask_not %m6", 64), "s_andn2_b64 s[4:5], exec, s[6:7]");
  EXPECT_EQ(EmitLine("%m4 = mask_const #0x1"), "s_mov_b32 s4, exec_lo");
  EXPECT_EQ(EmitLine("%c = mask_any %m4"), "s_and_b32 s104, s4, exec_lo");
  EXPECT_EQ(EmitLine("%c = mask_all %m4", 64),
            "s_and_b64 s[104:105], s[4:5], exec; s_cmp_eq_u64 s[104:105], exec");
  EXPECT_EQ(EmitLine("%m4 = mask_merge %m6"),
            "s_xor_b32 s4, s4, s6; s_andn2_b32 s4, s4, exec_lo; s_xor_b32 s4, s4, s6");
  EXPECT_EQ(EmitLine("%s4 = save_scc %c {nomask}"), "s_cselect_b32 s4, 1, 0");
  EXPECT_EQ(EmitLine("%c = restore_scc %s4 {nomask}"), "s_cmp_lg_u32 s4, 0");
}

TEST(EmitTest, Copies) {
  EXPECT_EQ(EmitLine("%v1 = v_copy #0x40490fdb"), "v_mov_b32_e32 v1, 0x40490fdb");
  EXPECT_EQ(EmitLine("%v4x2 = v_copy %v8x2"), "v_lshrrev_b64 v[4:5], 0, v[8:9]");
  EXPECT_EQ(EmitLine("%v4 = v_move %v4 {aux 1}"), "");
  EXPECT_EQ(EmitLine("%p4 = s_move %p6 {aux 2}"), "s_mov_b64 s[4:5], s[6:7]");
  EXPECT_EQ(EmitLine("%p4 = s_copy #0xffffff00"), "s_movk_i32 s4, 65280; s_mov_b32 s5, -1");
  EXPECT_EQ(EmitLine("%mvcc = s_copy %m6", 64), "s_mov_b64 vcc, s[6:7]");
  EXPECT_EQ(EmitLine("%p4 = with_high %p4 #0xffff8000"), "s_movk_i32 s5, 32768");
  EXPECT_EQ(EmitLine("%v4 %v5 = v_swap %v5 %v4 {aux 1}"), "v_swap_b32 v4, v5");
}

// Two neighbours share the stretch with all lanes on.
TEST(EmitTest, WholeWaveCopies) {
  EXPECT_EQ(EmitLine("%w4 = v_move %w5 {nomask aux 1}\n%w6 = v_move %w7 {nomask aux 1}"),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, -1; v_mov_b32_e32 v4, v5; v_mov_b32_e32 "
            "v6, v7; s_mov_b32 exec_lo, s104");
}

TEST(EmitTest, Spills) {
  EXPECT_EQ(EmitLine("scratch_store %v4x2 #0x3"),
            "scratch_store_dwordx2 off, v[4:5], off offset:12");
  EXPECT_EQ(EmitLine("%v4 = scratch_load #0x1ff"), "scratch_load_dword v4, off, off offset:2044");
  EXPECT_EQ(EmitLine("%v4 = scratch_load #0x200"),
            "s_movk_i32 s104, 2048; scratch_load_dword v4, off, s104");
}

// Beyond the reach of an offset all lanes are on by halves: one register has the half of exec, the
// other the offset.
TEST(EmitTest, FarSpillsOfWholeWaves) {
  EXPECT_EQ(EmitLine("scratch_store %w4 #0x200 {nomask}"),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, -1; s_movk_i32 s105, 2048; "
            "scratch_store_dword off, v4, s105; s_mov_b32 exec_lo, s104");
  EXPECT_EQ(EmitLine("%w4 = scratch_load #0x200 {nomask}", 64),
            "s_mov_b32 s104, exec_lo; s_mov_b32 exec_lo, -1; s_movk_i32 s105, 2048; "
            "scratch_load_dword v4, off, s105; s_mov_b32 exec_lo, s104; "
            "s_mov_b32 s104, exec_hi; s_mov_b32 exec_hi, -1; s_movk_i32 s105, 2048; "
            "scratch_load_dword v4, off, s105; s_mov_b32 exec_hi, s104");
}

// The slots of the outermost constructs of a deep nest are in lanes of a vector register.
TEST(EmitTest, DeepNestsKeepMasksInLanes) {
  const std::string nest =
      "reserved v at 9 units 2\nblock b0 depth 0\nmask_if %m20\n-> b1, b4\nblock b1 depth 0\n"
      "mask_if %m22 {aux 70}\n-> b2, b3\nblock b2 depth 0\n%v1 = v_copy #0x7\n"
      "mask_endif {aux 70}\n-> b3\nblock b3 depth 0\nmask_endif\n-> b4\nblock b4 depth 0\nend\n";
  const auto lines = [&](uint8_t width) {
    std::vector<std::string> kept;
    for (const std::string& line : testing::Lines(testing::EmitText(nest, width))) {
      if (!absl::StartsWith(line, "s_cbranch")) kept.push_back(line);
    }
    return absl::StrJoin(kept, "; ");
  };
  EXPECT_EQ(lines(32),
            "s_and_saveexec_b32 s103, s20; v_writelane_b32 v9, s103, 0; "
            "s_and_saveexec_b32 s40, s22; v_mov_b32_e32 v1, 7; s_mov_b32 exec_lo, s40; "
            "v_readlane_b32 s103, v9, 0; s_mov_b32 exec_lo, s103; s_endpgm");
  EXPECT_EQ(lines(64),
            "s_and_saveexec_b64 s[102:103], s[20:21]; v_writelane_b32 v9, s102, 0; "
            "v_writelane_b32 v9, s103, 1; s_and_saveexec_b64 s[40:41], s[22:23]; "
            "v_mov_b32_e32 v1, 7; s_mov_b64 exec, s[40:41]; v_readlane_b32 s102, v9, 0; "
            "v_readlane_b32 s103, v9, 1; s_mov_b64 exec, s[102:103]; s_endpgm");
}

TEST(EmitTest, SpillsToLanes) {
  const auto lines = [](uint8_t width, std::string_view line) {
    std::string text = "reserved v at 9 units 2 spilled s\nblock b0 depth 0\n";
    text += line;
    text += "\nend\n";
    return testing::Lines(testing::EmitText(text, width));
  };
  EXPECT_EQ(lines(32, "write_lanes %s4 #0x21 {nomask}")[0], "v_writelane_b32 v10, s4, 1");
  EXPECT_EQ(lines(64, "write_lanes %s4 #0x21 {nomask}")[0], "v_writelane_b32 v9, s4, 33");
  EXPECT_EQ(lines(64, "%p4 = read_lanes #0x6 {nomask}")[1], "v_readlane_b32 s5, v9, 7");
  EXPECT_EQ(lines(32, "%m6 = merge_lanes %m4 #0x2").size(), 6u);
  EXPECT_EQ(lines(32, "write_lanes %s4 #0x40 {nomask}")[0],
            "emission of write_lanes (id 0): no lane is reserved for slot 64");
}

}  // namespace
}  // namespace kiln::amd
