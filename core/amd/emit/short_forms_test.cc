// Where a short form would mean something else, the long one stays.
#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::EmitLine;

// Exchanged sources take their modifiers along, which only the long form has: nothing is won.
TEST(ShortFormsTest, ModifiersKeepTheLongForm) {
  EXPECT_EQ(EmitLine("%v1 = v_mul_f32 %v2 -%s3 {[]}"), "v_mul_f32_e64 v1, v2, -s3");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %v2 %v3 %v1 {sat []}"), "v_fma_f32 v1, v2, v3, v1 clamp");
}

TEST(ShortFormsTest, ALiteralStaysWhereTheShortFormHasNone) {
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 #0x40490fdb %v2 %s3 {[]}"),
            "v_fma_f32 v1, 0x40490fdb, v2, s3")
      << "v_fmamk adds a VGPR";
  EXPECT_EQ(EmitLine("%v1 = v_fma_f32 %s2 %s3 #0x40490fdb {[]}"),
            "emission of v_fma_f32 (id 0): a vector instruction reads at most two scalars, a "
            "64-bit shift one: v_fma_f32 v1, s2, s3, 0x40490fdb");
  EXPECT_EQ(EmitLine("%v1 = v_fma_f16 %v2 %v3 %v1 {[]}"), "v_fmac_f16_e32 v1, v2, v3");
}

// v_pk_fmac reads the words where they are, from vector registers.
TEST(ShortFormsTest, PackedSumsInPlace) {
  EXPECT_EQ(EmitLine("%v1 = v_pk_fma_f16 %v2 %v3 %v1 {[op_sel_hi 7]}"), "v_pk_fmac_f16 v1, v2, v3");
  EXPECT_EQ(EmitLine("%v1 = v_pk_fma_f16 %v2 %v3 %v1 {[op_sel_hi 3]}"),
            "v_pk_fma_f16 v1, v2, v3, v1 op_sel_hi:[1,1,0]");
  EXPECT_EQ(EmitLine("%v1 = v_pk_fma_f16 %s2 %v3 %v1 {[op_sel_hi 7]}"),
            "v_pk_fma_f16 v1, s2, v3, v1");
  EXPECT_EQ(EmitLine("%v1 = v_pk_fma_f16 %v2 %v3 -%v1 {[op_sel_hi 7 neg_hi 4]}"),
            "v_pk_fma_f16 v1, v2, v3, v1 neg_lo:[0,0,1] neg_hi:[0,0,1]");
  EXPECT_EQ(EmitLine("%v1 = v_pk_fma_f16 %v2 %v3 %v1 {sat [op_sel_hi 7]}"),
            "v_pk_fma_f16 v1, v2, v3, v1 clamp");
}

// s_addk tells an overflow where s_add_u32 tells a carry; s_addk and s_mulk add to their own
// register.
TEST(ShortFormsTest, ScalarsWhoseConditionIsRead) {
  EXPECT_EQ(EmitLine("%s1 %c = s_add_i32 %s1 #0x1234 {[]}"), "s_addk_i32 s1, 4660");
  EXPECT_EQ(EmitLine("%s1 = s_mul_i32 %s1 #0xffff8000 {[]}"), "s_mulk_i32 s1, 32768");
  EXPECT_EQ(EmitLine("%s1 = s_mul_i32 %s1 #0xffff7fff {[]}"), "s_mul_i32 s1, s1, 0xffff7fff");
  EXPECT_EQ(EmitLine("%s1 = s_add_u32 %s2 #0x1234 {[]}"), "s_add_u32 s1, s2, 0x1234");
}

// Equality may take the form whose extension fits; an order may not.
TEST(ShortFormsTest, ComparisonsWithAConstant) {
  EXPECT_EQ(EmitLine("%c = s_cmp_eq_i32 %s2 #0xff00 {[]}"), "s_cmpk_eq_u32 s2, 65280");
  EXPECT_EQ(EmitLine("%c = s_cmp_lg_u32 %s2 #0xffffff00 {[]}"), "s_cmpk_lg_i32 s2, 65280");
  EXPECT_EQ(EmitLine("%c = s_cmp_lt_i32 %s2 #0xff00 {[]}"), "s_cmp_lt_i32 s2, 0xff00");
  EXPECT_EQ(EmitLine("%c = s_cmp_lt_u32 %s2 #0xffffff00 {[]}"), "s_cmp_lt_u32 s2, 0xffffff00");
}

}  // namespace
}  // namespace kiln::amd
