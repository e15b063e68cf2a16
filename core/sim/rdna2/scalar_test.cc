// Tests scalar.h: exec forms, MODE and FLAT_SCRATCH, registers behind M0.
#include "core/sim/rdna2/scalar.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// The value of lane 0, and the same in all lanes.
uint32_t Uniform(const TestProgram& p) {
  const std::vector<uint32_t> lanes = Lanes(p);
  if (lanes.empty()) return 0xdead;
  for (uint32_t v : lanes) EXPECT_EQ(v, lanes[0]);
  return lanes[0];
}

TEST(ScalarTest, SaveexecSavesAndChanges) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xbe9403ff, 0x0000ff00,  // s_mov_b32 s20, 0xff00
                             0xbe953c14,              // s_and_saveexec_b32 s21, s20
                             0xbe96037e,              // s_mov_b32 s22, exec_lo
                             0xbefe03c1,              // s_mov_b32 exec_lo, -1
                             0x89161516,              // s_xor_b32 s22, s22, s21
                             0x7e020216,              // v_mov_b32_e32 v1, s22
                         }}),
            ~0xff00u);
}

TEST(ScalarTest, SaveexecOfWave64) {
  EXPECT_EQ(Uniform({.lanes = 64,
                     .body =
                         {
                             0xbe940380,              // s_mov_b32 s20, 0
                             0xbe9503ff, 0x000000ff,  // s_mov_b32 s21, 0xff
                             0xbe962414,              // s_and_saveexec_b64 s[22:23], s[20:21]
                             0xbe98037f,              // s_mov_b32 s24, exec_hi
                             0xbefe0416,              // s_mov_b64 exec, s[22:23]
                             0x7e020218,              // v_mov_b32_e32 v1, s24
                         }}),
            0xffu);
}

TEST(ScalarTest, AndN2WrexecSetsScc) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xbe9403c1,  // s_mov_b32 s20, -1
                             0xbe944714,  // s_andn2_wrexec_b32 s20, s20
                             0x85158685,  // s_cselect_b32 s21, 5, 6
                             0xbefe03c1,  // s_mov_b32 exec_lo, -1
                             0x7e020215,  // v_mov_b32_e32 v1, s21
                         }}),
            6u);
}

TEST(ScalarTest, CarryGoesThroughScc) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0x801482c1,  // s_add_u32 s20, -1, 2
                             0x82158087,  // s_addc_u32 s21, 7, 0
                             0x7e020215,  // v_mov_b32_e32 v1, s21
                         }}),
            8u);
}

TEST(ScalarTest, ModeStartsAsTheRecordSays) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xb914f801,  // s_getreg_b32 s20, hwreg(HW_REG_MODE)
                             0x7e020214,  // v_mov_b32_e32 v1, s20
                         },
                     .mode = 0xcc}),
            0x1ccu);
}

TEST(ScalarTest, SetregChangesTheFieldAlone) {
  EXPECT_EQ(
      Uniform({.lanes = 32,
               .body =
                   {
                       0xba800881, 0x00000003,  // s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3
                       0xbfa50005,              // s_denorm_mode 5
                       0xb9143801,              // s_getreg_b32 s20, hwreg(HW_REG_MODE, 0, 8)
                       0x7e020214,              // v_mov_b32_e32 v1, s20
                   }}),
      0x5cu);
}

TEST(ScalarTest, OtherHardwareRegistersAreRefused) {
  const absl::Status error = ErrorOf({.lanes = 32,
                                      .body = {
                                          0xb914f817,  // s_getreg_b32 s20, hwreg(HW_REG_HW_ID1)
                                      }});
  EXPECT_EQ(error.code(), absl::StatusCode::kUnimplemented) << error;
}

TEST(ScalarTest, RegistersBehindM0) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xbe940381,  // s_mov_b32 s20, 1
                             0xbe9703a8,  // s_mov_b32 s23, 40
                             0xbefc0383,  // s_mov_b32 m0, 3
                             0xbe982e14,  // s_movrels_b32 s24, s20
                             0xbe993018,  // s_movreld_b32 s25, s24
                             0x7e02021c,  // v_mov_b32_e32 v1, s28
                         }}),
            40u);
}

TEST(ScalarTest, NullReadsZeroAndSwallowsWrites) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xbefd0385,  // s_mov_b32 null, 5
                             0xbe94037d,  // s_mov_b32 s20, null
                             0x7e020214,  // v_mov_b32_e32 v1, s20
                         }}),
            0u);
}

TEST(ScalarTest, CompareWithSixteenBits) {
  EXPECT_EQ(Uniform({.lanes = 32,
                     .body =
                         {
                             0xb014fffe,  // s_movk_i32 s20, 0xfffe
                             0xb194fffe,  // s_cmpk_eq_i32 s20, 0xfffe
                             0x85158281,  // s_cselect_b32 s21, 1, 2
                             0x7e020215,  // v_mov_b32_e32 v1, s21
                         }}),
            1u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
