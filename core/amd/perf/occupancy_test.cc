#include "core/amd/perf/occupancy.h"

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Wave;

TEST(WavesPerSimd, IsThatOfRegistersForSingleWaves) {
  EXPECT_EQ(WavesPerSimd(65, Wave::k32, {}), 12);
  EXPECT_EQ(WavesPerSimd(65, Wave::k32, {.lanes = 32}), 12);
}

TEST(WavesPerSimd, LdsLimitsGroups) {
  // Two groups fit a CU, of one wave each, and of four: half of them on each SIMD.
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lds_bytes = 32768, .lanes = 32}), 1);
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lds_bytes = 32768, .lanes = 128}), 4);
  // Four in both CUs of a WGP, which has four SIMDs.
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lds_bytes = 32768, .lanes = 128, .wgp_mode = true}), 4);
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lds_bytes = 65537, .lanes = 32}), 0);
  // 32 inputs take 1,536 bytes, given out as 2,048.
  EXPECT_EQ(WavesPerSimd(8, Wave::k64, {.fragment_inputs = 32}), 16);
  EXPECT_EQ(WavesPerSimd(8, Wave::k64, {.lds_bytes = 4096, .fragment_inputs = 32}), 5);
}

TEST(WavesPerSimd, GroupsOfSeveralWavesAreCounted) {
  // 16 groups of two waves on two SIMDs.
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lanes = 64}), 16);
  // Three waves a group: 10 groups, of which a SIMD has 15 waves.
  EXPECT_EQ(WavesPerSimd(8, Wave::k32, {.lanes = 96}), 15);
  // Not one group of 16 waves fits 4 waves a SIMD.
  EXPECT_EQ(WavesPerSimd(256, Wave::k32, {.lanes = 512}), 0);
}

TEST(Occupancy, StepsOfRegisters) {
  EXPECT_EQ(MostVgprs(5, isa::Wave::k32), 64);  // 16 waves
  EXPECT_EQ(MostVgprs(65, isa::Wave::k32), 80);
  EXPECT_EQ(MostVgprs(5, isa::Wave::k64), 32);
  EXPECT_EQ(MostVgprs(33, isa::Wave::k64), 40);
  EXPECT_EQ(MostVgprs(250, isa::Wave::k64), 256);
}

}  // namespace
}  // namespace kiln::amd
