// Tests lds.h.
#include "core/sim/rdna2/lds.h"

#include <tuple>

#include "core/sim/rdna2/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(LdsTest, StoresAndLoads) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0x16040088,              // v_mul_u32_u24_e32 v2, 8, v0
              0x7e060300,              // v_mov_b32_e32 v3, v0
              0x7e080289,              // v_mov_b32_e32 v4, 9
              0xd9340008, 0x00000302,  // ds_write_b64 v2, v[3:4] offset:8
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
              0xd8dc0302, 0x05000002,  // ds_read2_b32 v[5:6], v2 offset0:2 offset1:3
              0xd8f0000c, 0x07000002,  // ds_read_u16 v7, v2 offset:12
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
              0xd76d0001, 0x041e0d05,  // v_add3_u32 v1, v5, v6, v7
          },
      .lds_bytes = 512};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i) want.push_back(i + 18);
  EXPECT_EQ(Lanes(p), want);
}

TEST(LdsTest, TwoOffsetsOf64Elements) {
  const TestProgram p{
      .lanes = 32,
      .body =
          {
              0x7e060285,              // v_mov_b32_e32 v3, 5
              0x7e080286,              // v_mov_b32_e32 v4, 6
              0xd83c0201, 0x0004031f,  // ds_write2st64_b32 v31, v3, v4 offset0:1 offset1:2
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
              0xd8d80200, 0x0100001f,  // ds_read_b32 v1, v31 offset:512
              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
          },
      .lds_bytes = 1024};
  EXPECT_EQ(Lanes(p), std::vector<uint32_t>(32, 6));
}

TEST(LdsTest, AtomicsReturnTheOldValueInOrder) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x7e040280,              // v_mov_b32_e32 v2, 0
                              0x7e060282,              // v_mov_b32_e32 v3, 2
                              0xd8340000, 0x00000202,  // ds_write_b32 v2, v2
                              0xd8800000, 0x01000302,  // ds_add_rtn_u32 v1, v2, v3
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          },
                      .lds_bytes = 512};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i) want.push_back(2 * i);
  EXPECT_EQ(Lanes(p), want);
}

TEST(LdsTest, CompareComesFirst) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x7e040280,              // v_mov_b32_e32 v2, 0
                              0x7e060287,              // v_mov_b32_e32 v3, 7
                              0x7e080289,              // v_mov_b32_e32 v4, 9
                              0xd8340000, 0x00000302,  // ds_write_b32 v2, v3
                              0xd8400000, 0x00040302,  // ds_cmpst_b32 v2, v3, v4
                              0xd8d80000, 0x01000002,  // ds_read_b32 v1, v2
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          },
                      .lds_bytes = 512};
  EXPECT_EQ(Lanes(p), std::vector<uint32_t>(32, 9));
}

TEST(LdsTest, OfLdsAlone) {
  const TestProgram p{.lanes = 32, .invocations = 1, .body = {}};
  TestProgram q = p;
  q.lds_bytes = 512;
  q.body = {
      0x7e040280,              // v_mov_b32_e32 v2, 0
      0x7e0602ff, 0x00000ff0,  // v_mov_b32_e32 v3, 0xff0
      0x7e0802ff, 0x0000030c,  // v_mov_b32_e32 v4, 0x30c
      0xd8340000, 0x00000302,  // ds_write_b32 v2, v3
      0xd8300000, 0x00040402,  // ds_mskor_b32 v2, v4, v4
      0xd8080000, 0x00000302,  // ds_rsub_u32 v2, v3
      0x7e0a02f2,              // v_mov_b32_e32 v5, 1.0
      0xd8340004, 0x00000502,  // ds_write_b32 v2, v5 offset:4
      0xd8540004, 0x00000502,  // ds_add_f32 v2, v5 offset:4
      0xd8dc0100, 0x06000002,  // ds_read2_b32 v[6:7], v2 offset1:1
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
      0x3a020f06,              // v_xor_b32_e32 v1, v6, v7
  };
  // ((0xff0 & ~0x30c) | 0x30c) = 0xffc; 0xff0 - 0xffc = -12; 2.0
  EXPECT_EQ(Lanes(q), std::vector<uint32_t>(1, 0xfffffff4u ^ 0x40000000u));
}

TEST(LdsTest, BeyondTheEndReadsZeroAndIsCounted) {
  TestProgram p{.lanes = 32,
                .body =
                    {
                        0x7e0402ff, 0x000001fc,  // v_mov_b32_e32 v2, 0x1fc
                        0xd9340000, 0x00000302,  // ds_write_b64 v2, v[3:4]
                        0xd8d80004, 0x01000002,  // ds_read_b32 v1, v2 offset:4
                        0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                    },
                .lds_bytes = 512};
  const absl::StatusOr<TestResult> result = RunProgram(p);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->output, std::vector<uint32_t>(32, 0));
  ASSERT_EQ(result->stats.out_of_bounds.size(), 2u);
  EXPECT_EQ(result->stats.out_of_bounds[0].accesses, 32u);
}

TEST(LdsTest, BpermuteWorksPerHalf) {
  const TestProgram p{.lanes = 64,
                      .body = {
                          0x7e040284,              // v_mov_b32_e32 v2, 4
                          0xdacc0008, 0x01000002,  // ds_bpermute_b32 v1, v2, v0 offset:8
                          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                      }};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 64; ++i) want.push_back(i / 32 * 32 + 3);
  EXPECT_EQ(Lanes(p), want);
}

TEST(LdsTest, BpermuteOfALaneThatIsOffGivesZero) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x7e0202ff, 0x0000004d,  // v_mov_b32_e32 v1, 0x4d
                          0x7e040280,              // v_mov_b32_e32 v2, 0
                          0xbefe03ff, 0x000000fe,  // s_mov_b32 exec_lo, 0xfe
                          0xdacc0000, 0x01000002,  // ds_bpermute_b32 v1, v2, v0
                          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                      }};
  const std::vector<uint32_t> lanes = Lanes(p);
  EXPECT_EQ(lanes[0], 77u);
  EXPECT_EQ(lanes[1], 0u);
}

TEST(LdsTest, PermutePushes) {
  const TestProgram p{.lanes = 32,
                      .body = {
                          0x4c04009f,              // v_sub_nc_u32_e32 v2, 31, v0
                          0x34040482,              // v_lshlrev_b32_e32 v2, 2, v2
                          0xdac80000, 0x01000002,  // ds_permute_b32 v1, v2, v0
                          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                      }};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 32; ++i) want.push_back(31 - i);
  EXPECT_EQ(Lanes(p), want);
}

TEST(LdsTest, Swizzle) {
  const TestProgram p{
      .lanes = 64,
      .body = {
          0xd8d40445, 0x02000000,  // ds_swizzle_b32 v2, v0 offset:swizzle(BITMASK_PERM,"00p1i")
          0xd8d48039, 0x03000000,  // ds_swizzle_b32 v3, v0 offset:swizzle(QUAD_PERM,1,2,3,0)
          0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
          0xd76f0001, 0x04091103,  // v_lshl_or_b32 v1, v3, 8, v2
      }};
  std::vector<uint32_t> want;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t from = i / 32 * 32 + ((i & 4) | 2 | (~i & 1));
    want.push_back(from | (i / 4 * 4 + (i + 1) % 4) << 8);
  }
  EXPECT_EQ(Lanes(p), want);
}

TEST(LdsTest, GdsIsRefused) {
  EXPECT_EQ(ErrorOf({.lanes = 32,
                     .body =
                         {
                             0x7e040280,              // v_mov_b32_e32 v2, 0
                             0xd8da0000, 0x01000002,  // ds_read_b32 v1, v2 gds
                         },
                     .lds_bytes = 512})
                .code(),
            absl::StatusCode::kUnimplemented);
}

TEST(LdsTest, AddressesWrapAtThe32ndBit) {
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x7e0402c4,              // v_mov_b32_e32 v2, -4
                              0x7e060287,              // v_mov_b32_e32 v3, 7
                              0x7e080280,              // v_mov_b32_e32 v4, 0
                              0xd8340008, 0x00000302,  // ds_write_b32 v2, v3 offset:8
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                              0xd8d80004, 0x01000004,  // ds_read_b32 v1, v4 offset:4
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                          },
                      .lds_bytes = 512};
  EXPECT_EQ(Lanes(p), std::vector<uint32_t>(32, 7));
  TestProgram two = p;
  two.body = {
      0x7e0402c4,              // v_mov_b32_e32 v2, -4
      0x7e060287,              // v_mov_b32_e32 v3, 7
      0x7e080280,              // v_mov_b32_e32 v4, 0
      0xd8380100, 0x00030304,  // ds_write2_b32 v4, v3, v3 offset1:1
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
      0xd8dc0100, 0x07000002,  // ds_read2_b32 v[7:8], v2 offset1:1
      0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
      0x7e020308,              // v_mov_b32_e32 v1, v8
  };
  EXPECT_EQ(Lanes(two), std::vector<uint32_t>(32, 7));
}

TEST(LdsTest, LoadsAndStoresNeedNoAlignment) {
  // 16 bytes at byte 1, then two of them at 2, and 12 at 1.
  const TestProgram p{.lanes = 32,
                      .body =
                          {
                              0x7e040281,              // v_mov_b32_e32 v2, 1
                              0x7e0602ff, 0x04030201,  // v_mov_b32_e32 v3, 0x04030201
                              0x7e0802ff, 0x08070605,  // v_mov_b32_e32 v4, 0x08070605
                              0xdb7c0000, 0x00000302,  // ds_write_b128 v2, v[3:6]
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                              0xdbf80000, 0x07000002,  // ds_read_b96 v[7:9], v2
                              0xbf8cc07f,              // s_waitcnt lgkmcnt(0)
                              0x7e020308,              // v_mov_b32_e32 v1, v8
                          },
                      .lds_bytes = 512};
  EXPECT_EQ(Lanes(p), std::vector<uint32_t>(32, 0x08070605));
}

TEST(LdsTest, AtomicsMustBeAligned) {
  // An address, an atomic, and whether it is aligned.
  const std::tuple<uint32_t, Words, bool> kCases[] = {
      {0x7e040284, {0xd8000000, 0x00000302}, true},   // v_mov_b32 v2, 4; ds_add_u32 v2, v3
      {0x7e040282, {0xd8000000, 0x00000302}, false},  // v_mov_b32 v2, 2
      {0x7e040288, {0xd9000000, 0x00000302}, true},   // v_mov_b32 v2, 8; ds_add_u64 v2, v[3:4]
      {0x7e040284, {0xd9000000, 0x00000302}, false},  // v_mov_b32 v2, 4
      {0x7e040284, {0xd9b40000, 0x05000302}, false},  // ds_wrxchg_rtn_b64 v[5:6], v2, v[3:4]
  };
  for (const auto& [address, atomic, aligned] : kCases) {
    TestProgram p{.lanes = 32, .body = {address}, .lds_bytes = 512};
    p.body.insert(p.body.end(), atomic.begin(), atomic.end());
    const absl::Status error = ErrorOf(p);
    EXPECT_EQ(error.ok(), aligned) << error;
    if (!aligned) {
      EXPECT_EQ(error.code(), absl::StatusCode::kOutOfRange);
      EXPECT_NE(error.message().find("not aligned"), std::string::npos) << error;
    }
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2
