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

// The values that ac_nir_lower_resinfo.c computes from the words of a T#.
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

// The first words are also RADV's, measured as below.
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

// Components that are given, then 0 and, in w, 1 of the format's kind; structured.
TEST(ClientDescriptorTest, VertexAttributes) {
  const auto words = [](const scene::VertexInput& input) {
    const auto w = DescribeVertexAttribute(kAddress, input);
    EXPECT_TRUE(w.ok()) << w.status();
    return w.value_or(BufferWords{});
  };
  constexpr uint32_t kFloatOne = 0x3f800000;
  EXPECT_EQ(words({0, false, 1, 2, kFloatOne, {1, 2, 3, 4, 5, 6}}),
            (BufferWords{0x23400000, 1 | 8 << 16, 3,
                         0x11000000 | 64 << 12 | 1 << 9 | 0 << 6 | 5 << 3 | 4}));
  EXPECT_EQ(words({0, false, 1, 4, 1, {1, 2, 3, 4}}),
            (BufferWords{0x23400000, 1 | 16 << 16, 1, 0x11000fac | 75 << 12}));
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

// Words that RADV 25.0.7 itself gave for navi21 (its device without hardware; vkGetDescriptorEXT
// with texel buffers of 480 bytes, every format that it reads from buffers): word 3, the others
// follow from the size.
TEST(ClientDescriptorTest, TexelBuffersAsRadvDescribedThem) {
  using F = scene::TexelFormat;
  struct Row {
    F format;
    uint32_t word3;
  };
  constexpr Row kRows[] = {
      {F::kR8, 0x01001204},          {F::kRg8, 0x0100e22c},        {F::kRgba8, 0x01038fac},
      {F::kR8Snorm, 0x01002204},     {F::kRg8Snorm, 0x0100f22c},   {F::kRgba8Snorm, 0x01039fac},
      {F::kBgra8, 0x01038f2e},       {F::kR16, 0x01007204},        {F::kRg16, 0x0101722c},
      {F::kRgba16, 0x01041fac},      {F::kR16Snorm, 0x01008204},   {F::kRg16Snorm, 0x0101822c},
      {F::kRgba16Snorm, 0x01042fac}, {F::kR8ui, 0x01005204},       {F::kRg8ui, 0x0101222c},
      {F::kRgba8ui, 0x0103cfac},     {F::kR16ui, 0x0100b204},      {F::kRg16ui, 0x0101b22c},
      {F::kRgba16ui, 0x01045fac},    {F::kR32ui, 0x01014204},      {F::kRg32ui, 0x0103e22c},
      {F::kRgba32ui, 0x0104bfac},    {F::kR8i, 0x01006204},        {F::kRg8i, 0x0101322c},
      {F::kRgba8i, 0x0103dfac},      {F::kR16i, 0x0100c204},       {F::kRg16i, 0x0101c22c},
      {F::kRgba16i, 0x01046fac},     {F::kR32i, 0x01015204},       {F::kRg32i, 0x0103f22c},
      {F::kRgba32i, 0x0104cfac},     {F::kR16f, 0x0100d204},       {F::kRg16f, 0x0101d22c},
      {F::kRgba16f, 0x01047fac},     {F::kR32f, 0x01016204},       {F::kRg32f, 0x0104022c},
      {F::kRgba32f, 0x0104dfac},     {F::kRgb10a2, 0x01032fac},    {F::kRgb10a2ui, 0x01036fac},
      {F::kR11g11b10f, 0x010243ac},  {F::kBgra8Snorm, 0x01039f2e}, {F::kBgra8ui, 0x0103cf2e},
      {F::kBgra8i, 0x0103df2e},      {F::kRgb32ui, 0x010483ac},    {F::kRgb32i, 0x010493ac},
      {F::kRgb32f, 0x0104a3ac},      {F::kBgr10a2, 0x01032f2e},    {F::kBgr10a2ui, 0x01036f2e}};
  for (const Row& row : kRows) {
    ClientImage i = Image(ImageDim::kBuffer, 0);
    i.format = row.format;
    const auto bytes = static_cast<uint32_t>(scene::TexelBytes(row.format));
    i.width = 480 / bytes;
    const absl::StatusOr<BufferWords> w = DescribeTexelBuffer(i, kAddress);
    ASSERT_TRUE(w.ok()) << w.status();
    EXPECT_EQ(*w, (BufferWords{0x23400000, 1 | bytes << 16, i.width, row.word3}))
        << static_cast<int>(row.format);
  }
  EXPECT_EQ(std::size(kRows), 48u);
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

// Words that RADV 25.0.7 itself gave for navi21, as those of texel buffers above.
TEST(ClientDescriptorTest, SamplersAsRadvDescribedThem) {
  using scene::AddressMode;
  EXPECT_EQ(DescribeSampler({}), (SamplerWords{0x08000092, 0x00f00000, 0x04000000, 0}));
  scene::ClientSampler linear;
  linear.mag_linear = linear.min_linear = linear.linear_mips = true;
  linear.address = {AddressMode::kRepeat, AddressMode::kBorder, AddressMode::kMirrorClamp};
  linear.border = scene::BorderColor::kWhite;
  linear.compare = scene::CompareFunction::kLessEqual;
  linear.min_lod = 1.5f;
  linear.lod_bias = -0.25f;
  EXPECT_EQ(DescribeSampler(linear),
            (SamplerWords{0x000030f0, 0x00f00180, 0x08503fc0, 0x80000000}));
  scene::ClientSampler mixed;
  mixed.mag_linear = true;
  mixed.address = {AddressMode::kMirror, AddressMode::kClamp, AddressMode::kClamp};
  mixed.border = scene::BorderColor::kWhite;  // without a border
  mixed.min_lod = 0.1f;
  mixed.max_lod = 3.3f;
  mixed.lod_bias = 5.7f;
  EXPECT_EQ(DescribeSampler(mixed), (SamplerWords{0x00000091, 0x0034c019, 0x041005b3, 0}));
  scene::ClientSampler unnormalized;
  unnormalized.unnormalized = true;
  unnormalized.address = {AddressMode::kBorder, AddressMode::kBorder, AddressMode::kClamp};
  unnormalized.border = scene::BorderColor::kBlack;
  unnormalized.max_lod = 0;
  EXPECT_EQ(DescribeSampler(unnormalized), (SamplerWords{0x080080b6, 0, 0x04000000, 0x40000000}));
}

}  // namespace
}  // namespace kiln::sim::rdna2
