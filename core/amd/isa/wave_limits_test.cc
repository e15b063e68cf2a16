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

TEST(SimdsOfGroup, WgpsHaveTwoCus) {
  EXPECT_EQ(SimdsOfGroup(false), 2);
  EXPECT_EQ(SimdsOfGroup(true), 4);
}

}  // namespace
}  // namespace kiln::amd::isa
