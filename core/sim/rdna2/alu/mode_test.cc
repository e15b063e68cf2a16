#include "core/sim/rdna2/alu/mode.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

TEST(Mode, BitsGoBothWays) {
  constexpr uint32_t kFields = 0x8003ffu;
  for (uint32_t low = 0; low < 0x400; ++low) {
    for (uint32_t high : {0u, 1u << kFp16OverflowBit}) {
      EXPECT_EQ(BitsOf(ModeOf(low | high | ~kFields)), low | high);
    }
  }
}

// RADV's FLOAT_MODE 0xc0: 32-bit subnormals are flushed, others kept; 0xcc: 16-bit results are
// rounded to zero (radv_shader.cpp FLOAT_MODE).
TEST(Mode, FieldsOfMesasShaders) {
  const Mode usual = ModeOf(0xc0);
  EXPECT_EQ(usual.denormals32, (Denormals{false, false}));
  EXPECT_EQ(usual.denormals16_64, (Denormals{true, true}));
  EXPECT_EQ(usual.round16_64, Rounding::kNearestEven);
  EXPECT_EQ(ModeOf(0xcc).round16_64, Rounding::kZero);
  EXPECT_EQ(ModeOf(0xcc).round32, Rounding::kNearestEven);
  EXPECT_TRUE(ModeOf(0x100).dx10_clamp);
  EXPECT_TRUE(ModeOf(0x200).ieee);
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
