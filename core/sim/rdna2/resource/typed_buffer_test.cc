// Formatted buffer instructions.
#include "core/sim/rdna2/resource/typed_buffer.h"

#include <cstring>

#include "core/amd/isa/opcodes.h"
#include "core/base/float_bits.h"
#include "core/sim/rdna2/resource/client_descriptor.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

namespace isa = ::kiln::amd::isa;
using isa::Opcode;

TypedBuffer Access(Opcode op, const BufferResource& r, uint8_t format = 0) {
  isa::Instruction inst;
  inst.op = op;
  inst.format = format;
  EXPECT_TRUE(IsTypedBuffer(inst));
  const absl::StatusOr<TypedBuffer> a = TypedBufferOf(inst, r);
  EXPECT_TRUE(a.ok()) << a.status();
  return *a;
}

BufferResource TexelBuffer(scene::TexelFormat format) {
  scene::ClientImage image;
  image.dim = scene::ImageDim::kBuffer;
  image.width = 4;
  image.format = format;
  return DecodeBuffer(*DescribeTexelBuffer(image, 0x1000));
}

TEST(TypedBufferTest, LoadsThroughTheDescriptor) {
  const uint8_t bytes[4] = {0, 51, 255, 102};
  std::array<uint32_t, 4> data = {9, 9, 9, 9};
  const TypedBuffer a =
      Access(Opcode::kBufferLoadFormatXyz, TexelBuffer(scene::TexelFormat::kBgra8));
  EXPECT_EQ(a.Dwords(), 3);
  LoadTyped(a, bytes, absl::MakeSpan(data));
  EXPECT_EQ(data, (std::array<uint32_t, 4>{AsBits(1.f), AsBits(0.2f), 0, 9}));
  const TypedBuffer all =
      Access(Opcode::kBufferLoadFormatXyzw, TexelBuffer(scene::TexelFormat::kR32f));
  LoadTyped(all, nullptr, absl::MakeSpan(data));
  EXPECT_EQ(data, (std::array<uint32_t, 4>{0, 0, 0, AsBits(1.f)})) << "outside";
}

TEST(TypedBufferTest, TbufferHasItsOwnFormatAndNoSelection) {
  const uint8_t bytes[4] = {1, 2, 3, 4};
  std::array<uint32_t, 4> data{};
  const TypedBuffer a =
      Access(Opcode::kTbufferLoadFormatXyzw, TexelBuffer(scene::TexelFormat::kBgra8), 60);
  LoadTyped(a, bytes, absl::MakeSpan(data));
  EXPECT_EQ(data, (std::array<uint32_t, 4>{1, 2, 3, 4}));
  EXPECT_EQ(Access(Opcode::kTbufferLoadFormatXy, {}, 64).Bytes(), 8);
}

TEST(TypedBufferTest, HalvesKeepTheOtherHalf) {
  const uint8_t bytes[4] = {0x00, 0x3c, 0x00, 0xc0};  // 1, -2
  const BufferResource r = TexelBuffer(scene::TexelFormat::kRg16f);
  uint32_t data = 0x12345678;
  LoadTyped(Access(Opcode::kBufferLoadFormatD16X, r), bytes, absl::MakeSpan(&data, 1));
  EXPECT_EQ(data, 0x12343c00u);
  data = 0x12345678;
  LoadTyped(Access(Opcode::kBufferLoadFormatD16HiX, r), bytes, absl::MakeSpan(&data, 1));
  EXPECT_EQ(data, 0x3c005678u);
  const TypedBuffer two = Access(Opcode::kBufferLoadFormatD16Xy, r);
  EXPECT_EQ(two.Dwords(), 1);
  LoadTyped(two, bytes, absl::MakeSpan(&data, 1));
  EXPECT_EQ(data, 0xc0003c00u);
  EXPECT_EQ(Access(Opcode::kBufferLoadFormatD16Xyz, r).Dwords(), 2);
}

TEST(TypedBufferTest, Stores) {
  uint8_t bytes[4] = {9, 9, 9, 9};
  const uint32_t data[3] = {AsBits(1.f), AsBits(0.2f), AsBits(0.f)};
  const BufferResource r = TexelBuffer(scene::TexelFormat::kBgra8);
  ASSERT_TRUE(StoreTyped(Access(Opcode::kBufferStoreFormatXyz, r), data, bytes).ok());
  EXPECT_EQ(bytes[2], 255);
  EXPECT_EQ(bytes[1], 51);
  EXPECT_EQ(bytes[3], 0) << "components that are not given are 0";
  const uint32_t halves = 0x3c000000;
  ASSERT_TRUE(StoreTyped(Access(Opcode::kBufferStoreFormatD16HiX, r), {&halves, 1}, bytes).ok());
  EXPECT_EQ(bytes[2], 255);
  ASSERT_TRUE(StoreTyped(Access(Opcode::kBufferStoreFormatD16X, r), {&halves, 1}, bytes).ok());
  EXPECT_EQ(bytes[2], 0);
  EXPECT_FALSE(StoreTyped(Access(Opcode::kTbufferStoreFormatX, r, 3), data, bytes).ok());
}

TEST(TypedBufferTest, NullDescriptorAndUnknownFormats) {
  std::array<uint32_t, 4> data = {9, 9, 9, 9};
  LoadTyped(Access(Opcode::kBufferLoadFormatXyzw, DecodeBuffer({})), nullptr, absl::MakeSpan(data));
  EXPECT_EQ(data, (std::array<uint32_t, 4>{})) << "alpha too";
  isa::Instruction inst;
  inst.op = Opcode::kTbufferLoadFormatX;
  inst.format = 44;  // 10_10_10_2
  EXPECT_FALSE(TypedBufferOf(inst, {}).ok());
  inst.op = Opcode::kBufferLoadDword;
  EXPECT_FALSE(IsTypedBuffer(inst));
}

}  // namespace
}  // namespace kiln::sim::rdna2
