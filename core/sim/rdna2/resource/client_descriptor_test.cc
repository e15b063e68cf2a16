// Descriptors of the client's resources: the words that RADV writes, by its sources.
#include "core/sim/rdna2/resource/client_descriptor.h"

#include "core/sim/rdna2/resource/sampler_state.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using scene::ClientImage;
using scene::ImageDim;

constexpr uint64_t kAddress = 0x123400000;

ClientImage Image(ImageDim dim, uint32_t width, uint32_t height = 1, uint32_t depth = 1,
                  uint32_t layers = 1, uint32_t levels = 1, uint32_t samples = 1) {
  ClientImage i;
  i.dim = dim;
  i.width = width;
  i.height = height;
  i.depth = depth;
  i.layers = layers;
  i.levels = levels;
  i.samples = samples;
  i.arrayed = layers > 1 && dim != ImageDim::kCube;
  return i;
}

// What ac_nir_lower_resinfo.c computes from the words of a T#.
struct Query {
  uint32_t width, height, depth, layers, levels, samples;
};
Query QueryOf(const ImageWords& w) {
  const auto field = [&](size_t word, int low, int width) {
    return w[word] >> low & ((1u << width) - 1);
  };
  const bool is_2d = field(3, 28, 4) == 9;
  Query q;
  q.width = (field(1, 30, 2) | field(2, 0, 12) << 2) + 1;
  q.height = field(2, 14, 14) + 1;
  q.depth = (is_2d ? 0 : field(4, 0, 13)) + 1;
  q.layers = (is_2d ? 0 : field(4, 0, 13)) - field(4, 16, 13) + 1;
  q.levels = field(3, 16, 4) - field(3, 12, 4) + 1;
  q.samples = 1u << field(3, 16, 4);
  return q;
}

ImageWords Words(const ClientImage& image, bool storage = false) {
  const absl::StatusOr<ImageWords> w = DescribeImage(image, kAddress, storage);
  EXPECT_TRUE(w.ok()) << w.status();
  return w.value_or(ImageWords{});
}

TEST(ClientDescriptorTest, RawBuffers) {
  const absl::StatusOr<BufferWords> w = DescribeBuffer({}, kAddress, 13);
  ASSERT_TRUE(w.ok());
  EXPECT_EQ(*w, (BufferWords{0x23400000, 1, 16, 0x31016fac})) << "size rounded up to dwords";
  scene::ClientBuffer null;
  null.null_surface = true;
  EXPECT_EQ(*DescribeBuffer(null, kAddress, 16), BufferWords{});
  EXPECT_FALSE(DescribeBuffer({}, kAddress, uint64_t{1} << 32).ok());
  EXPECT_FALSE(DescribeBuffer({}, uint64_t{1} << 48, 4).ok());
}

TEST(ClientDescriptorTest, VertexBuffers) {
  // Identity, 32_UINT, RESOURCE_LEVEL, structured; without stride raw.
  EXPECT_EQ(*DescribeVertexBuffer(kAddress, 50, 12),
            (BufferWords{0x23400000, 1 | 12 << 16, 5, 0x11014fac}));
  EXPECT_EQ(*DescribeVertexBuffer(kAddress, 50, 0), (BufferWords{0x23400000, 1, 50, 0x31014fac}));
  EXPECT_EQ(*DescribeVertexBuffer(0, 50, 12), BufferWords{});
  EXPECT_FALSE(DescribeVertexBuffer(kAddress, 50, 1 << 14).ok());
}

TEST(ClientDescriptorTest, TexelBuffers) {
  ClientImage i = Image(ImageDim::kBuffer, 10);
  i.format = scene::TexelFormat::kBgra8;
  // Z, Y, X, W; 8_8_8_8_UNORM; structured with offset.
  EXPECT_EQ(*DescribeTexelBuffer(i, kAddress),
            (BufferWords{0x23400000, 1 | 4 << 16, 10, 0x01038f2e}));
  i.null_surface = true;
  EXPECT_EQ(*DescribeTexelBuffer(i, kAddress), BufferWords{});
  i = Image(ImageDim::kBuffer, 10);
  i.format = scene::TexelFormat::kRgb8;
  EXPECT_FALSE(DescribeTexelBuffer(i, kAddress).ok());
  i.format = scene::TexelFormat::kRgba8Srgb;
  EXPECT_FALSE(DescribeTexelBuffer(i, kAddress).ok()) << "its number has 8 bits";
}

// By hand from ac_build_gfx10_texture_descriptor: 100 x 60 of rgba8 with 3 levels.
TEST(ClientDescriptorTest, WordsOfA2dImage) {
  const ImageWords w = Words(Image(ImageDim::k2d, 100, 60, 1, 1, 3));
  EXPECT_EQ(w[0], 0x1234000u);
  EXPECT_EQ(w[1], 56u << 20 | 3u << 30);
  EXPECT_EQ(w[2], 99u >> 2 | 59u << 14 | 1u << 31);
  EXPECT_EQ(w[3], 0xfacu | 2u << 16 | 9u << 28);
  EXPECT_EQ(w[4], 0u);
  EXPECT_EQ(w[5], 2u << 4 | 4u << 20);
  EXPECT_EQ(w[6], 0u);
  EXPECT_EQ(w[7], 0u);
}

TEST(ClientDescriptorTest, TypesAreThoseOfRadvTexDim) {
  const auto type = [](const ClientImage& i, bool storage = false) {
    return static_cast<int>(DecodeImage(Words(i, storage)).type);
  };
  EXPECT_EQ(type(Image(ImageDim::k1d, 8)), 8);
  EXPECT_EQ(type(Image(ImageDim::k2d, 8, 8)), 9);
  EXPECT_EQ(type(Image(ImageDim::k3d, 8, 8, 8)), 10);
  EXPECT_EQ(type(Image(ImageDim::kCube, 8, 8, 1, 6)), 11);
  EXPECT_EQ(type(Image(ImageDim::kCube, 8, 8, 1, 6), true), 13);
  EXPECT_EQ(type(Image(ImageDim::k1d, 8, 1, 1, 3)), 12);
  EXPECT_EQ(type(Image(ImageDim::k2d, 8, 8, 1, 3)), 13);
  EXPECT_EQ(type(Image(ImageDim::k2d, 8, 8, 1, 1, 1, 4)), 14);
  EXPECT_EQ(type(Image(ImageDim::k2d, 8, 8, 1, 3, 1, 4)), 15);
  ClientImage one = Image(ImageDim::k2d, 8, 8);
  one.arrayed = true;
  EXPECT_EQ(type(one), 9) << "an array of one layer is none";
}

TEST(ClientDescriptorTest, QueriesSeeTheSizes) {
  const Query a = QueryOf(Words(Image(ImageDim::k2d, 16384, 5, 1, 7, 3)));
  EXPECT_EQ(a.width, 16384u);
  EXPECT_EQ(a.height, 5u);
  EXPECT_EQ(a.layers, 7u);
  EXPECT_EQ(a.levels, 3u);
  const Query volume = QueryOf(Words(Image(ImageDim::k3d, 5, 6, 7)));
  EXPECT_EQ(volume.depth, 7u);
  const Query cubes = QueryOf(Words(Image(ImageDim::kCube, 4, 4, 1, 12)));
  EXPECT_EQ(cubes.layers, 12u) << "faces; programs divide by 6";
  EXPECT_EQ(QueryOf(Words(Image(ImageDim::k2d, 4, 4, 1, 1, 1, 8))).samples, 8u);
  EXPECT_EQ(QueryOf(Words(Image(ImageDim::k1d, 9, 1, 1, 2))).layers, 2u);
  ClientImage null = Image(ImageDim::k2d, 4, 4);
  null.null_surface = true;
  EXPECT_EQ(Words(null), ImageWords{});
}

TEST(ClientDescriptorTest, RefusesWhatNoDescriptorCanSay) {
  const auto fails = [](const ClientImage& i, uint64_t address = kAddress) {
    return !DescribeImage(i, address, false).ok();
  };
  EXPECT_TRUE(fails(Image(ImageDim::k2d, 4, 4), kAddress + 16));
  EXPECT_TRUE(fails(Image(ImageDim::k2d, 16385, 4)));
  EXPECT_TRUE(fails(Image(ImageDim::k2d, 4, 4, 1, 8193)));
  EXPECT_TRUE(fails(Image(ImageDim::k2d, 4, 4, 1, 1, 1, 3)));
  ClientImage rgb = Image(ImageDim::k2d, 4, 4);
  rgb.format = scene::TexelFormat::kRgb32f;
  EXPECT_TRUE(fails(rgb));
}

TEST(ClientDescriptorTest, SamplerWords) {
  scene::ClientSampler s;
  s.mag_linear = s.min_linear = s.linear_mips = true;
  s.address = {scene::AddressMode::kRepeat, scene::AddressMode::kBorder,
               scene::AddressMode::kMirrorClamp};
  s.border = scene::BorderColor::kWhite;
  s.compare = scene::CompareFunction::kLessEqual;
  s.min_lod = 1.5f;
  s.lod_bias = -0.25f;
  EXPECT_EQ(DescribeSampler(s),
            (SamplerWords{6u << 3 | 3u << 6 | 3u << 12, 0x180 | 0xf00u << 12,
                          (0x3fc0u | 1u << 20 | 1u << 22 | 2u << 26), 2u << 30}));
  scene::ClientSampler nearest;
  nearest.border = scene::BorderColor::kWhite;
  EXPECT_EQ(DescribeSampler(nearest),
            (SamplerWords{2u | 2u << 3 | 2u << 6 | 1u << 27, 0xf00u << 12, 1u << 26, 0}))
      << "TRUNC_COORD; no border colour without a border";
}

}  // namespace
}  // namespace kiln::sim::rdna2
