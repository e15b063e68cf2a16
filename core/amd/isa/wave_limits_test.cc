#include "core/amd/isa/wave_limits.h"

#include <gtest/gtest.h>

namespace kiln::amd::isa {
namespace {

TEST(WavesByRegisters, RoundsToGranules) {
  EXPECT_EQ(WavesByRegisters(0, Wave::k32), 16);
  EXPECT_EQ(WavesByRegisters(64, Wave::k32), 16);
  EXPECT_EQ(WavesByRegisters(65, Wave::k32), 12);  // 80 registers
  EXPECT_EQ(WavesByRegisters(256, Wave::k32), 4);
  EXPECT_EQ(WavesByRegisters(32, Wave::k64), 16);
  EXPECT_EQ(WavesByRegisters(33, Wave::k64), 12);
  EXPECT_EQ(WavesByRegisters(256, Wave::k64), 2);
}

TEST(VgprsOfWaves, IsTheLargestNumberWithRoomForThem) {
  for (const Wave wave : {Wave::k32, Wave::k64}) {
    for (int waves = 1; waves <= kMaxWavesOfSimd; ++waves) {
      const int vgprs = VgprsOfWaves(waves, wave);
      EXPECT_GE(WavesByRegisters(vgprs, wave), waves);
      EXPECT_LT(WavesByRegisters(vgprs + 1, wave), waves);
    }
    EXPECT_EQ(VgprsOfWaves(kMaxWavesOfSimd + 1, wave), 0);
  }
}

TEST(SimdsOfGroup, WgpsHaveTwoCus) {
  EXPECT_EQ(SimdsOfGroup(false), 2);
  EXPECT_EQ(SimdsOfGroup(true), 4);
}

}  // namespace
}  // namespace kiln::amd::isa
