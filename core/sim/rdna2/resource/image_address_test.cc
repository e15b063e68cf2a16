// Addresses of image instructions: which parts, in which order, how they are packed.
#include "core/sim/rdna2/resource/image_address.h"

#include <vector>

#include "core/amd/isa/operands.h"
#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

namespace isa = ::kiln::amd::isa;
using isa::Opcode;

isa::Instruction Make(Opcode op, AddressDim dim, bool a16 = false) {
  isa::Instruction i;
  i.op = op;
  i.dim = static_cast<uint8_t>(dim);
  i.a16 = a16;
  i.dmask = 1;
  return i;
}

ImageAddress Read(const isa::Instruction& i, const std::vector<uint32_t>& dwords) {
  const absl::StatusOr<ImageOpcode> op = ImageOpcodeOf(i.op);
  EXPECT_TRUE(op.ok()) << op.status();
  EXPECT_EQ(static_cast<int>(dwords.size()), isa::ImageAddressDwords(i));
  return ReadImageAddress(i, *op, dwords);
}

uint32_t B(float f) { return AsBits(f); }

// Order of the ISA guide, 8.2.4: offset, bias, reference, derivatives, coordinates, lower limit.
TEST(ImageAddressTest, AllPartsInOrder) {
  const ImageAddress b =
      Read(Make(Opcode::kImageSampleCBClO, AddressDim::k2dArray),
           {0x3f | 1u << 8 | 0x20u << 16, B(0.5f), B(0.25f), B(1), B(2), B(3), B(4)});
  EXPECT_EQ(b.offset, (std::array<int, 3>{-1, 1, -32}));
  EXPECT_EQ(b.bias, 0.5f);
  EXPECT_EQ(b.reference, 0.25f);
  EXPECT_EQ(b.coordinates, (std::array<uint32_t, 4>{B(1), B(2), B(3), 0}));
  EXPECT_EQ(b.level, B(4));
  const ImageAddress d = Read(Make(Opcode::kImageSampleCD, AddressDim::k3d),
                              {B(9), B(1), B(2), B(3), B(4), B(5), B(6), B(7), B(8), B(10)});
  EXPECT_EQ(d.reference, 9);
  EXPECT_EQ(d.dx, (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(d.dy, (std::array<float, 3>{4, 5, 6}));
  EXPECT_EQ(d.coordinates[2], B(10));
}

TEST(ImageAddressTest, DerivativesOfEachDimension) {
  const ImageAddress line =
      Read(Make(Opcode::kImageSampleD, AddressDim::k1dArray), {B(1), B(2), B(3), B(4)});
  EXPECT_EQ(line.dx[0], 1);
  EXPECT_EQ(line.dy[0], 2);
  EXPECT_EQ(line.coordinates[1], B(4));
  const ImageAddress cube = Read(Make(Opcode::kImageSampleD, AddressDim::kCube),
                                 {B(1), B(2), B(3), B(4), B(5), B(6), B(7)});
  EXPECT_EQ(cube.dx[1], 2);
  EXPECT_EQ(cube.dy[0], 3);
  EXPECT_EQ(cube.coordinates[2], B(7));
}

TEST(ImageAddressTest, SixteenBits) {
  // Halves of 1, 2, 3 and the level 0.5 share two registers; the bias has one of its own.
  isa::Instruction i = Make(Opcode::kImageSampleBCl, AddressDim::k2dArray, true);
  const ImageAddress a = Read(i, {0xffff3800, 0x40003c00, 0x38004200});
  EXPECT_EQ(a.bias, 0.5f);
  EXPECT_EQ(a.coordinates, (std::array<uint32_t, 4>{B(1), B(2), B(3), 0}));
  EXPECT_EQ(a.level, B(0.5f));
  // Integers are not converted.
  const ImageAddress load =
      Read(Make(Opcode::kImageLoadMip, AddressDim::k2d, true), {0x00020001, 0xabcd0003});
  EXPECT_EQ(load.coordinates[0], 1u);
  EXPECT_EQ(load.coordinates[1], 2u);
  EXPECT_EQ(load.level, 3u);
  // Derivatives are halves under g16 alone; each direction begins a register.
  const ImageAddress g16 = Read(Make(Opcode::kImageSampleDG16, AddressDim::k3d),
                                {0x40003c00, 0x4200, 0x44003800, 0x4500, B(7), B(8), B(9)});
  EXPECT_EQ(g16.dx, (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(g16.dy, (std::array<float, 3>{0.5f, 4, 5}));
  EXPECT_EQ(g16.coordinates[0], B(7));
}

TEST(ImageAddressTest, OpcodesAndTheirLevels) {
  const auto op = [](Opcode o) { return *ImageOpcodeOf(o); };
  EXPECT_TRUE(op(Opcode::kImageSample).NeedsQuad());
  EXPECT_TRUE(op(Opcode::kImageSampleCBClO).NeedsQuad());
  EXPECT_TRUE(op(Opcode::kImageGetLod).NeedsQuad());
  EXPECT_FALSE(op(Opcode::kImageSampleLz).NeedsQuad());
  EXPECT_FALSE(op(Opcode::kImageSampleL).NeedsQuad());
  EXPECT_FALSE(op(Opcode::kImageSampleCdO).NeedsQuad());
  EXPECT_FALSE(op(Opcode::kImageLoad).NeedsQuad());
  EXPECT_EQ(op(Opcode::kImageAtomicAdd).action, ImageAction::kAtomic);
  EXPECT_EQ(op(Opcode::kImageGetResinfo).action, ImageAction::kGetSize);
  EXPECT_EQ(op(Opcode::kImageGather4CLzO).action, ImageAction::kGather);
  for (const Opcode o :
       {Opcode::kImageLoadPck, Opcode::kImageStoreMipPck, Opcode::kImageGather4h,
        Opcode::kImageMsaaLoad, Opcode::kImageBvhIntersectRay, Opcode::kBufferLoadDword}) {
    EXPECT_FALSE(ImageOpcodeOf(o).ok());
  }
}

// operands.h computes the registers of every opcode from llvm-mc's sizes: what is read here must
// take as many. Each dword has a number of its own; the last one is read, the one behind it is not.
TEST(ImageAddressTest, ReadsAsManyRegistersAsTheInstructionHas) {
  int checked = 0;
  for (int o = 0; o < isa::kOpcodeCount; ++o) {
    const absl::StatusOr<ImageOpcode> op = ImageOpcodeOf(static_cast<Opcode>(o));
    if (!op.ok()) continue;
    for (int dim = 0; dim < 8; ++dim) {
      for (const bool a16 : {false, true}) {
        const isa::Instruction i = Make(static_cast<Opcode>(o), static_cast<AddressDim>(dim), a16);
        const auto count = static_cast<size_t>(isa::ImageAddressDwords(i));
        std::vector<uint32_t> dwords(count + 1, 0);
        const auto changes = [&](size_t at) {
          std::vector<uint32_t> other = dwords;
          other[at] = 0x3c013c01;
          const ImageAddress a = ReadImageAddress(i, *op, dwords);
          const ImageAddress b = ReadImageAddress(i, *op, other);
          return a.level != b.level || a.coordinates != b.coordinates || a.dx != b.dx ||
                 a.dy != b.dy || a.bias != b.bias || a.reference != b.reference ||
                 a.offset != b.offset;
        };
        for (size_t at = 0; at < count; ++at) {
          EXPECT_TRUE(changes(at)) << isa::Info(o).mnemonic << " dim " << dim << " dword " << at;
        }
        EXPECT_FALSE(changes(count)) << isa::Info(o).mnemonic << " dim " << dim;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 1500);
}

}  // namespace
}  // namespace kiln::sim::rdna2
