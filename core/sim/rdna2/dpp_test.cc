// Tests dpp.h.
#include "core/sim/rdna2/dpp.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

DppLane With(uint16_t control, int lane, uint64_t exec = kAll, bool bound = false) {
  isa::Instruction inst;
  inst.form = isa::Form::kDpp16;
  inst.dpp.control = control;
  inst.dpp.row_mask = inst.dpp.bank_mask = 15;
  inst.dpp.bound_control = bound;
  return DppLaneOf(inst, lane, exec);
}

TEST(DppTest, Controls) {
  EXPECT_EQ(With(0x1b, 5).lane, 6);     // quad_perm:[3,2,1,0]
  EXPECT_EQ(With(0x102, 33).lane, 35);  // row_shl:2
  EXPECT_EQ(With(0x112, 35).lane, 33);  // row_shr:2
  EXPECT_EQ(With(0x121, 32).lane, 47);  // row_ror:1
  EXPECT_EQ(With(0x140, 18).lane, 29);  // row_mirror
  EXPECT_EQ(With(0x141, 18).lane, 21);  // row_half_mirror
  EXPECT_EQ(With(0x153, 18).lane, 19);  // row_share:3
  EXPECT_EQ(With(0x163, 18).lane, 17);  // row_xmask:3
}

TEST(DppTest, BeyondTheRow) {
  EXPECT_EQ(With(0x101, 15).source, DppSource::kDisabled);
  EXPECT_EQ(With(0x101, 15, kAll, true).source, DppSource::kZero);
  EXPECT_EQ(With(0x101, 14).source, DppSource::kLane);
}

TEST(DppTest, ControlsThatAreGone) {
  EXPECT_FALSE(IsDppControl(0x142));  // row_bcast
  EXPECT_FALSE(IsDppControl(0x130));  // wave_shl
  EXPECT_FALSE(IsDppControl(0x100));
  EXPECT_TRUE(IsDppControl(0xff));
  EXPECT_TRUE(IsDppControl(0x16f));
}

TEST(DppTest, Swizzles) {
  EXPECT_EQ(SwizzleSource(0x8000 | 0x1b, 6), 5);
  EXPECT_EQ(SwizzleSource(0x041f, 40), 41);           // xor 1
  EXPECT_EQ(SwizzleSource(0xc000 | 3 << 5, 31), 2);   // rotation left by 3
  EXPECT_EQ(SwizzleSource(0xc400 | 3 << 5, 33), 62);  // right, of the upper half
}

}  // namespace
}  // namespace kiln::sim::rdna2
