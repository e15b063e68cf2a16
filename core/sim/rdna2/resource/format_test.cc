// Formats of descriptors: numbers, channels, DST_SEL, registers of 16-bit components.
#include "core/sim/rdna2/resource/format.h"

#include <cstring>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using F = scene::TexelFormat;

HardwareFormat Format(uint32_t number) {
  const absl::StatusOr<HardwareFormat> f = FormatOf(number);
  EXPECT_TRUE(f.ok()) << f.status();
  return *f;
}

DescribedFormat Described(F format) {
  const absl::StatusOr<DescribedFormat> d = DescribeFormat(format);
  EXPECT_TRUE(d.ok()) << d.status();
  return d.value_or(DescribedFormat{});
}

// Numbers: GFX10_FORMAT of the register database; DST_SEL: swizzles of Mesa's u_format.yaml.
TEST(FormatTest, DescriptionsAreMesas) {
  const auto expect = [](F format, uint32_t number, Select select, int border) {
    const DescribedFormat d = Described(format);
    EXPECT_EQ(d.number, number);
    EXPECT_EQ(d.select, select) << number;
    EXPECT_EQ(d.border_swizzle, border) << number;
  };
  expect(F::kR8, 1, {4, 0, 0, 1}, 1);
  expect(F::kRg16f, 29, {4, 5, 0, 1}, 0);
  expect(F::kRgba8, 56, {4, 5, 6, 7}, 0);
  expect(F::kBgra8, 56, {6, 5, 4, 7}, 4);
  expect(F::kBgra8Srgb, 130, {6, 5, 4, 7}, 4);
  expect(F::kRgb10a2, 50, {4, 5, 6, 7}, 0);
  expect(F::kBgr10a2ui, 54, {6, 5, 4, 7}, 4);
  expect(F::kR11g11b10f, 36, {4, 5, 6, 1}, 0);
  expect(F::kR32ui, 20, {4, 0, 0, 1}, 1);
  expect(F::kRgb32f, 74, {4, 5, 6, 1}, 0);
  expect(F::kRgba32i, 76, {4, 5, 6, 7}, 0);
  expect(F::kR5g6b5, 133, {6, 5, 4, 1}, 4);
  expect(F::kB5g6r5, 133, {4, 5, 6, 1}, 0);
  expect(F::kA1r5g5b5, 134, {6, 5, 4, 7}, 4);
  expect(F::kR5g5b5a1, 135, {7, 6, 5, 4}, 2);
  expect(F::kB5g5r5a1, 135, {5, 6, 7, 4}, 3);
  expect(F::kR4g4b4a4, 136, {7, 6, 5, 4}, 2);
  expect(F::kB4g4r4a4, 136, {5, 6, 7, 4}, 3);
  expect(F::kD16, 7, {4, 0, 0, 1}, 1);
  expect(F::kD32f, 22, {4, 0, 0, 1}, 1);
  EXPECT_FALSE(DescribeFormat(F::kRgb8).ok());
  EXPECT_FALSE(DescribeFormat(F::kRgb16f).ok());
  EXPECT_FALSE(DescribeFormat(F::kR4g4).ok());
}

// Reading memory through a description is the same as reading it in the client's format, and what
// is stored through it is what the client's format would store.
TEST(FormatTest, EveryDescribedFormatReadsAndWritesAsTheClients) {
  int formats = 0;
  for (int i = 0; i <= static_cast<int>(F::kD24); ++i) {
    const F client = static_cast<F>(i);
    const absl::StatusOr<DescribedFormat> d = DescribeFormat(client);
    if (!d.ok()) continue;
    ++formats;
    const HardwareFormat hardware = Format(d->number);
    ASSERT_EQ(hardware.bytes(), scene::TexelBytes(client)) << i;
    uint8_t bytes[16], stored[16], expected[16];
    for (uint32_t seed = 0; seed < 64; ++seed) {
      uint32_t state = seed * 2654435761u + 12345;
      for (uint8_t& b : bytes)
        b = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
      const scene::Texel texel = scene::DecodeTexel(client, bytes);
      EXPECT_EQ(LoadTexel(hardware, d->select, bytes), texel) << i;
      ASSERT_TRUE(StoreTexel(hardware, d->select, texel, stored).ok());
      scene::EncodeTexel(client, texel, expected);
      EXPECT_EQ(std::memcmp(stored, expected, static_cast<size_t>(hardware.bytes())), 0) << i;
    }
    const uint8_t zeros[16] = {};
    EXPECT_EQ(LoadTexel(hardware, d->select, nullptr)[3] == 0,
              scene::DecodeTexel(client, zeros)[3] == 0)
        << "outside: alpha is 1 where the format has none";
  }
  EXPECT_EQ(formats, 82 - 15 - 1) << "all but three channels of 8 or 16 bits, and 4_4";
}

TEST(FormatTest, ScaledFormatsDeliverIntegersAsFloats) {
  const uint8_t bytes[4] = {0xff, 0x02, 0x80, 0x00};
  EXPECT_EQ(LoadTexel(Format(58), kSelectIdentity, bytes),
            (scene::Texel{AsBits(255.f), AsBits(2.f), AsBits(128.f), 0}));
  EXPECT_EQ(LoadTexel(Format(59), kSelectIdentity, bytes)[0], AsBits(-1.f));
  EXPECT_EQ(LoadTexel(Format(17), kSelectIdentity, bytes)[3], AsBits(1.f)) << "absent alpha";
  uint8_t out[4];
  EXPECT_FALSE(StoreTexel(Format(58), kSelectIdentity, {}, out).ok());
}

TEST(FormatTest, SelectsConstantsByTheKindOfFormat) {
  const uint8_t bytes[4] = {1, 2, 3, 4};
  EXPECT_EQ(LoadTexel(Format(60), {1, 7, 0, 4}, bytes), (scene::Texel{1, 4, 0, 1}));
  EXPECT_EQ(LoadTexel(Format(58), {1, 7, 0, 4}, bytes)[0], AsBits(1.f));
  EXPECT_FALSE(FormatOf(0).ok());
  EXPECT_FALSE(FormatOf(169).ok()) << "BC1";
  EXPECT_FALSE(FormatOf(132).ok()) << "5_9_9_9";
}

TEST(FormatTest, PacksHalves) {
  const uint32_t floats[3] = {AsBits(1.f), AsBits(-2.f), AsBits(65504.f)};
  uint32_t dwords[4] = {9, 9, 9, 9};
  EXPECT_EQ(PackComponents(floats, true, false, absl::MakeSpan(dwords)), 2);
  EXPECT_EQ(dwords[0], 0xc0003c00u);
  EXPECT_EQ(dwords[1], 0x00007bffu);
  uint32_t back[3] = {};
  UnpackComponents(dwords, true, Format(71), absl::MakeSpan(back));
  EXPECT_EQ(back[1], AsBits(-2.f));
  const uint32_t integers[2] = {0xffffffff, 0x12345};
  EXPECT_EQ(PackComponents(integers, true, true, absl::MakeSpan(dwords)), 1);
  EXPECT_EQ(dwords[0], 0x2345ffffu);
  UnpackComponents(dwords, true, Format(6), absl::MakeSpan(back));
  EXPECT_EQ(back[0], 0xffffffffu) << "signed formats extend the sign";
  UnpackComponents(dwords, true, Format(5), absl::MakeSpan(back));
  EXPECT_EQ(back[0], 0xffffu);
  EXPECT_EQ(PackComponents(integers, false, true, absl::MakeSpan(dwords)), 2);
  EXPECT_EQ(dwords[1], 0x12345u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
