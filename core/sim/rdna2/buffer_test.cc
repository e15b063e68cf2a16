// Tests buffer.h: that addresses, data and formats of resource/ reach the right registers.
#include "core/sim/rdna2/buffer.h"

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(BufferTest, LoadsDwordsEachInsideOrOutside) {
  TestProgram p{
      .lanes = 32,
      .invocations = 2,
      .body =
          {
              0x34040083,              // v_lshlrev_b32_e32 v2, 3, v0
              0xe0341004, 0x80030302,  // buffer_load_dwordx2 v[3:4], v2, s[12:15], 0 offen offset:4
              0xbf8c3f70,              // s_waitcnt vmcnt(0)
              0xd76f0001, 0x040d1104,  // v_lshl_or_b32 v1, v4, 8, v3
          },
      .input = {10, 11, 12, 13}};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output, (std::vector<uint32_t>{11 | 12 << 8, 13}));
  ASSERT_EQ(result->stats.out_of_bounds.size(), 1u);
  EXPECT_EQ(result->stats.out_of_bounds[0].accesses, 1u);
}

TEST(BufferTest, HalvesOfRegisters) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0x7e020280,              // v_mov_b32_e32 v1, 0
              0xe0880002, 0x80030100,  // buffer_load_sbyte_d16 v1, off, s[12:15], 0 offset:2
              0xe0940000, 0x80030100,  // buffer_load_short_d16_hi v1, off, s[12:15], 0
              0xbf8c3f70,              // s_waitcnt vmcnt(0)
          },
      .input = {0x00fe1234}};
  EXPECT_EQ(Lanes(p)[0], 0x1234fffeu);
}

TEST(BufferTest, StoresOfPartsAndOutside) {
  const TestProgram p{
      .lanes = 32,
      .invocations = 1,
      .body =
          {
              0x7e0402ff, 0xaabbccdd,  // v_mov_b32_e32 v2, 0xaabbccdd
              0xe0640001, 0x80030200,  // buffer_store_byte_d16_hi v2, off, s[12:15], 0 offset:1
              0xe0680006, 0x80030200,  // buffer_store_short v2, off, s[12:15], 0 offset:6
              0xe0700008, 0x80030200,  // buffer_store_dword v2, off, s[12:15], 0 offset:8
          },
      .input = {0, 0}};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->input, (std::vector<uint32_t>{0xbb00, 0xccdd0000}));
}

TEST(BufferTest, AtomicsTakeDataBeforeComparison) {
  const TestProgram p{
      .lanes = 32,
      .invocations = 1,
      .body =
          {
              0x7e020289,              // v_mov_b32_e32 v1, 9
              0x7e040287,              // v_mov_b32_e32 v2, 7
              0xe0c44000, 0x80030100,  // buffer_atomic_cmpswap v[1:2], off, s[12:15], 0 glc
              0xbf8c3f70,              // s_waitcnt vmcnt(0)
          },
      .input = {7}};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output[0], 7u);
  EXPECT_EQ(result->input[0], 9u);
}

TEST(BufferTest, FormatOfTheInstruction) {
  // 8_8_8_8_UNORM
  const TestProgram p{.lanes = 32,
                      .invocations = 1,
                      .body =
                          {
                              0xe9c10000, 0x80030200,  // tbuffer_load_format_xy v[2:3], off,
                                                       // s[12:15], 0 format:[BUF_FMT_8_8_8_8_UNORM]
                              0xbf8c3f70,              // s_waitcnt vmcnt(0)
                              0x06020702,              // v_add_f32_e32 v1, v2, v3
                          },
                      .input = {0x0000ffff}};
  EXPECT_EQ(Lanes(p)[0], 0x40000000u);
}

// To the texel, of components of dwords to a dword.
TEST(BufferTest, FormattedLoadsMustBeAligned) {
  const auto at = [](uint32_t format, uint32_t offset) {
    return ErrorOf({.lanes = 32,
                    .body =
                        {
                            format | offset, 0x80030200,  // tbuffer_load_format_xy v[2:3], off,
                                                          // s[12:15], 0 format:[...] offset:OFFSET
                            0xbf8c3f70,                   // s_waitcnt vmcnt(0)
                        },
                    .input = {1, 2, 3, 4}});
  };
  constexpr uint32_t kBytes = 0xe9c10000, kHalves = 0xea390000, kDwords = 0xea010000;
  EXPECT_TRUE(at(kBytes, 4).ok());  // 8_8_8_8_UNORM
  EXPECT_EQ(at(kBytes, 2).code(), absl::StatusCode::kOutOfRange) << at(kBytes, 2);
  EXPECT_TRUE(at(kHalves, 8).ok());  // 16_16_16_16_FLOAT
  EXPECT_EQ(at(kHalves, 4).code(), absl::StatusCode::kOutOfRange);
  EXPECT_TRUE(at(kDwords, 4).ok());  // 32_32_FLOAT
  EXPECT_EQ(at(kDwords, 2).code(), absl::StatusCode::kOutOfRange);
}

TEST(BufferTest, LoadsIntoLdsAreRefused) {
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0xe0310000, 0x80030000,  // buffer_load_dword off, s[12:15], 0 lds
                         },
                     .lds_bytes = 512})
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST(BufferTest, OppositeOrderOfLanes) {
  TestProgram p{.lanes = 32,
                .body =
                    {
                        0x7e020300,              // v_mov_b32_e32 v1, v0
                        0xe0c04000, 0x80030100,  // buffer_atomic_swap v1, off, s[12:15], 0 glc
                        0xbf8c3f70,              // s_waitcnt vmcnt(0)
                    },
                .input = {99}};
  EXPECT_EQ(Lanes(p)[0], 99u);
  p.options.opposite = true;
  EXPECT_EQ(Lanes(p)[31], 99u);
}

TEST(BufferTest, StatusOfTfeIsWrittenByFailuresAlone) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x7e0a0289,              // v_mov_b32_e32 v5, 9
                              0xe0300000, 0x80830400,  // buffer_load_dword v[4:5], ... tfe
                              0xbf8c3f70,              // s_waitcnt vmcnt(0)
                              0x7e020305,              // v_mov_b32_e32 v1, v5
                          },
                      .input = {1}};
  EXPECT_EQ(Lanes(p), std::vector<uint32_t>(32, 9));
}

TEST(BufferTest, AtomicsMustBeAligned) {
  const auto at = [](uint32_t offset) {
    return ErrorOf({.lanes = 32,
                    .body =
                        {
                            offset,                  // v_mov_b32_e32 v2, OFFSET
                            0xe0c81000, 0x80030302,  // buffer_atomic_add v3, v2, s[12:15], 0 offen
                        },
                    .input = {1, 2}});
  };
  EXPECT_TRUE(at(0x7e040284).ok()) << at(0x7e040284);
  EXPECT_EQ(at(0x7e040282).code(), absl::StatusCode::kOutOfRange) << at(0x7e040282);
}

}  // namespace
}  // namespace kiln::sim::rdna2
