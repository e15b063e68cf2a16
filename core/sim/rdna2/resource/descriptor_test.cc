// Descriptors: fields at the bits of Mesa's register database, and round trips.
#include "core/sim/rdna2/resource/descriptor.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

// The raw V# that Mesa makes in code for constant data: word 3 is 0x31016fac (measured in binaries
// of RADV 25.0.7 for navi21).
TEST(DescriptorTest, BufferWordsOfMesasBinaries) {
  const BufferResource r = DecodeBuffer({0x1000, 0x12008000, 64, 0x31016fac});
  EXPECT_EQ(r.base, 0xffff800000001000u);
  EXPECT_EQ(r.stride, 0x1200u);
  EXPECT_EQ(r.records, 64u);
  EXPECT_EQ(r.select, kSelectIdentity);
  EXPECT_EQ(r.format, 22);
  EXPECT_TRUE(r.resource_level);
  EXPECT_EQ(r.check, OutOfBoundsCheck::kRaw);
  EXPECT_EQ(r.type, 0);
  EXPECT_FALSE(r.swizzle);
}

TEST(DescriptorTest, BufferFields) {
  const BufferResource r = DecodeBuffer({0, 0xc0000000, 0, 0x0ce00000});
  EXPECT_TRUE(r.swizzle);
  EXPECT_TRUE(r.cache_swizzle);
  EXPECT_EQ(r.index_stride, 3);
  EXPECT_TRUE(r.add_thread_id);
  EXPECT_EQ(r.llc_noalloc, 3);
  EXPECT_FALSE(r.resource_level);
}

TEST(DescriptorTest, ImageFields) {
  ImageWords w{};
  w[0] = 0x00345600;
  w[1] = 0x12 | 0x100u << 8 | 56u << 20 | 3u << 30;  // base high, min lod, format, width low
  w[2] = 0xabc | 0x1234u << 14 | 1u << 31;           // width high, height, resource level
  w[3] = 0xfac | 2u << 12 | 9u << 16 | 27u << 20 | 4u << 25 | 13u << 28;
  w[4] = 0x1ffe | 1u << 13 | 5u << 16;
  w[5] = 1u | 9u << 4 | 4u << 20;
  const ImageResource r = DecodeImage(w);
  EXPECT_EQ(r.base, 0x120034560000u);
  EXPECT_EQ(r.min_lod, 0x100);
  EXPECT_EQ(r.format, 56);
  EXPECT_EQ(r.width, 0xabc * 4 + 3);
  EXPECT_EQ(r.height, 0x1234);
  EXPECT_TRUE(r.resource_level);
  EXPECT_EQ(r.select, kSelectIdentity);
  EXPECT_EQ(r.base_level, 2);
  EXPECT_EQ(r.last_level, 9);
  EXPECT_EQ(r.swizzle_mode, 27);
  EXPECT_EQ(r.border_swizzle, 4);
  EXPECT_EQ(r.type, static_cast<uint8_t>(ImageType::k2dArray));
  EXPECT_EQ(r.depth, 0x1ffe);
  EXPECT_TRUE(r.pitch_msb);
  EXPECT_EQ(r.base_array, 5);
  EXPECT_EQ(r.array_pitch, 1);
  EXPECT_EQ(r.max_mip, 9);
  EXPECT_EQ(r.perf_mod, 4);
  EXPECT_EQ(EncodeImage(r), w);
}

TEST(DescriptorTest, SamplerFields) {
  const SamplerState s =
      DecodeSampler({0x6 | 1u << 3 | 2u << 6 | 5u << 12 | 1u << 15 | 1u << 27, 0x180 | 0xf00u << 12,
                     0x3f00 | 1u << 20 | 2u << 26, 2u << 30});
  EXPECT_EQ(s.clamp, (std::array<uint8_t, 3>{6, 1, 2}));
  EXPECT_EQ(s.compare, 5);
  EXPECT_TRUE(s.force_unnormalized);
  EXPECT_TRUE(s.trunc_coord);
  EXPECT_EQ(s.min_lod, 0x180);
  EXPECT_EQ(s.max_lod, 0xf00);
  EXPECT_EQ(s.lod_bias, 0x3f00);
  EXPECT_EQ(s.mag_filter, 1);
  EXPECT_EQ(s.min_filter, 0);
  EXPECT_EQ(s.mip_filter, 2);
  EXPECT_EQ(s.border_color_type, 2);
}

// Every bit is either kept or belongs to no field: encoding what was decoded changes no bit that
// some field has, and a bit changes one field only.
TEST(DescriptorTest, EveryBitSurvivesOrBelongsToNoField) {
  int buffer = 0, image = 0, sampler = 0;
  for (size_t bit = 0; bit < 256; ++bit) {
    ImageWords w{};
    w[bit / 32] = 1u << bit % 32;
    image += EncodeImage(DecodeImage(w)) == w ? 1 : 0;
    if (bit >= 128) continue;
    const std::array<uint32_t, 4> four = {w[0], w[1], w[2], w[3]};
    buffer += EncodeBuffer(DecodeBuffer(four)) == four ? 1 : 0;
    sampler += EncodeSampler(DecodeSampler(four)) == four ? 1 : 0;
  }
  // Without fields: V# 3 [20:19], 25; T# 1 [29], 2 [13:12] and [30:28], 4 [15:14] and [31:29],
  // 5 [24] and [30:27]; S# 2 [31], 3 [29:12].
  EXPECT_EQ(buffer, 128 - 3);
  EXPECT_EQ(image, 256 - 16);
  EXPECT_EQ(sampler, 128 - 19);
}

}  // namespace
}  // namespace kiln::sim::rdna2
