#include "core/amd/isa/operands.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace kiln::amd::isa {
namespace {

// Returns the uses as text: r or w or rw, the code, x dwords, i if implicit.
std::string Text(const Instruction& inst, Wave wave) {
  std::string text;
  for (const OperandUse& use : OperandsOf(inst, wave)) {
    absl::StrAppend(&text, text.empty() ? "" : " ", use.read ? "r" : "", use.written ? "w" : "",
                    use.operand.code, "x", int{use.dwords}, use.implicit ? "i" : "");
  }
  return text;
}

Instruction Make(Opcode op, Operand dst, std::array<Operand, 4> src) {
  Instruction inst;
  inst.op = op;
  inst.dst = dst;
  inst.src = src;
  return inst;
}

TEST(Operands, LaneMasksHaveTheWavesSize) {
  Instruction inst = Make(Opcode::kVAddCoCiU32, Vgpr(1), {Vgpr(2), Vgpr(3)});
  EXPECT_EQ(Text(inst, Wave::k32), "w257x1 r258x1 r259x1 rw106x1i r126x1i");
  EXPECT_EQ(Text(inst, Wave::k64), "w257x1 r258x1 r259x1 rw106x2i r126x2i");
  inst.form = Form::kVop3;
  inst.sdst = Sgpr(4);
  inst.src[2] = Sgpr(6);
  EXPECT_EQ(Text(inst, Wave::k64), "w257x1 w4x2 r258x1 r259x1 r6x2 r126x2i");
}

TEST(Operands, ImplicitRegisters) {
  EXPECT_EQ(Text(Make(Opcode::kSAndSaveexecB64, Sgpr(2), {Sgpr(4)}), Wave::k64),
            "w2x2 r4x2 rw126x2i w253x0i");
  EXPECT_EQ(Text(Make(Opcode::kVCmpLtF32, {}, {Vgpr(1), Vgpr(2)}), Wave::k32),
            "r257x1 r258x1 w106x1i r126x1i");
  EXPECT_EQ(Text(Make(Opcode::kVCmpxLtF32, {}, {Vgpr(1), Vgpr(2)}), Wave::k32),
            "r257x1 r258x1 rw126x1i");
  EXPECT_EQ(Text(Make(Opcode::kVReadlaneB32, Sgpr(0), {Vgpr(1), Sgpr(2)}), Wave::k32),
            "w0x1 r257x1 r2x1");
  EXPECT_EQ(Text(Make(Opcode::kSCselectB32, Sgpr(0), {Sgpr(1), Sgpr(2)}), Wave::k32),
            "w0x1 r1x1 r2x1 r253x0i");
}

TEST(Operands, TheDataOfBuffersGoesBothWays) {
  Instruction inst = Make(Opcode::kBufferLoadDwordx2, Vgpr(8), {Vgpr(1), Sgpr(4), Sgpr(kNull)});
  inst.offen = true;
  EXPECT_EQ(Text(inst, Wave::k32), "w264x2 r257x1 r4x4 r125x1 r126x1i");
  inst.tfe = true;
  EXPECT_EQ(Text(inst, Wave::k32), "rw264x3 r257x1 r4x4 r125x1 r126x1i") << "keeps the status";
  inst.tfe = false;
  inst.op = Opcode::kBufferStoreDwordx2;
  EXPECT_EQ(Text(inst, Wave::k32), "r264x2 r257x1 r4x4 r125x1 r126x1i");
  inst.op = Opcode::kBufferAtomicCmpswap;
  inst.idxen = true;
  EXPECT_EQ(Text(inst, Wave::k32), "r264x2 r257x2 r4x4 r125x1 r126x1i");
  inst.glc = true;
  EXPECT_EQ(Text(inst, Wave::k32), "rw264x2 r257x2 r4x4 r125x1 r126x1i");
}

TEST(Operands, FlatAtomicsReturnUnderGlc) {
  Instruction inst = Make(Opcode::kGlobalAtomicAdd, {}, {Vgpr(1), Vgpr(3), {}});
  EXPECT_EQ(Text(inst, Wave::k32), "r257x2 r259x1 r126x1i");
  inst.glc = true;
  inst.dst = Vgpr(9);
  inst.src[2] = Sgpr(2);
  EXPECT_EQ(Text(inst, Wave::k32), "w265x1 r257x1 r259x1 r2x2 r126x1i");
}

struct AddressCase {
  Opcode op;
  int dim;
  bool a16;
  int dwords;
};

TEST(Operands, AddressesOfImages) {
  const AddressCase cases[] = {
      {Opcode::kImageLoad, 1, false, 2},
      {Opcode::kImageLoad, 7, false, 4},
      {Opcode::kImageLoadMip, 5, false, 4},
      {Opcode::kImageGetResinfo, 3, false, 1},
      {Opcode::kImageSample, 0, false, 1},
      {Opcode::kImageSampleCBClO, 2, false, 7},
      {Opcode::kImageSampleD, 2, false, 9},
      {Opcode::kImageSampleDG16, 2, false, 7},
      {Opcode::kImageSampleDG16, 1, false, 4},
      {Opcode::kImageSampleDG16, 0, false, 3},
      {Opcode::kImageSampleL, 1, true, 2},
      {Opcode::kImageSampleCO, 3, true, 4},
      {Opcode::kImageBvhIntersectRay, 0, false, 11},
      {Opcode::kImageBvh64IntersectRay, 0, true, 9},
  };
  for (const AddressCase& c : cases) {
    Instruction inst;
    inst.op = c.op;
    inst.dim = static_cast<uint8_t>(c.dim);
    inst.a16 = c.a16;
    EXPECT_EQ(ImageAddressDwords(inst), c.dwords) << Info(c.op).mnemonic << " dim " << c.dim;
  }
}

TEST(Operands, TexelsOfImages) {
  Instruction inst;
  inst.op = Opcode::kImageSample;
  inst.dmask = 7;
  EXPECT_EQ(ImageDataDwords(inst), 3);
  inst.d16 = true;
  EXPECT_EQ(ImageDataDwords(inst), 2);
  inst.tfe = true;
  EXPECT_EQ(ImageDataDwords(inst), 3);
  inst = Instruction();
  inst.op = Opcode::kImageGather4;
  inst.dmask = 1;
  EXPECT_EQ(ImageDataDwords(inst), 4);
}

TEST(Operands, PartsOfAnAddressAreOperands) {
  Instruction inst = Make(Opcode::kImageSample, Vgpr(0), {Vgpr(9), Sgpr(8), Sgpr(16)});
  inst.dmask = 1;
  inst.dim = 2;
  inst.nsa_dwords = 1;
  inst.address = {20, 30, 40};  // the last is no coordinate of three dimensions
  EXPECT_EQ(Text(inst, Wave::k32), "w256x1 r265x1 r8x8 r16x4 r276x1 r286x1 r126x1i");
}

TEST(Operands, TheStatusOfTexelsIsWrittenByFailuresAlone) {
  Instruction inst = Make(Opcode::kImageLoad, Vgpr(8), {Vgpr(1), Sgpr(8), {}});
  inst.dmask = 3;
  EXPECT_EQ(Text(inst, Wave::k32), "w264x2 r257x1 r8x8 r126x1i");
  inst.lwe = true;
  EXPECT_EQ(Text(inst, Wave::k32), "rw264x3 r257x1 r8x8 r126x1i");
}

TEST(Operands, TrapRegistersAreWritten) {
  const auto writes = [](Opcode op, Operand dst) {
    return WritesTrapRegisters(OperandsOf(Make(op, dst, {Sgpr(kTtmp0)}), Wave::k64));
  };
  EXPECT_TRUE(writes(Opcode::kSMovB32, Sgpr(kTtmp0)));
  EXPECT_TRUE(writes(Opcode::kSMovB32, Sgpr(kTtmp0 + kTtmpCount - 1)));
  EXPECT_TRUE(writes(Opcode::kSMovB64, Sgpr(kTtmp0 + 2)));
  EXPECT_FALSE(writes(Opcode::kSMovB64, Sgpr(kVccLo)));
  EXPECT_FALSE(writes(Opcode::kSMovB32, Sgpr(kM0)));
}

TEST(Operands, SumsOfDifferences) {
  const auto overlaps = [](Opcode op, int first, int second, int third) {
    return OverlapsSumsOfDifferences(Make(op, Vgpr(4), {Vgpr(first), Vgpr(second), Vgpr(third)}),
                                     Wave::k32);
  };
  const Opcode pairs[] = {Opcode::kVQsadPkU16U8, Opcode::kVMqsadPkU16U8};
  for (Opcode op : pairs) {  // v[4:5]
    EXPECT_FALSE(overlaps(op, 2, 6, 7));
    EXPECT_TRUE(overlaps(op, 3, 6, 7));
    EXPECT_TRUE(overlaps(op, 2, 5, 7));
    EXPECT_TRUE(overlaps(op, 2, 6, 4));
  }
  const Opcode four = Opcode::kVMqsadU32U8;  // v[4:7]
  EXPECT_FALSE(overlaps(four, 2, 8, 0));
  EXPECT_TRUE(overlaps(four, 2, 7, 8));
  EXPECT_TRUE(overlaps(four, 2, 8, 1));
  EXPECT_TRUE(overlaps(four, 2, 8, 4)) << "not even the same registers";
  EXPECT_FALSE(overlaps(Opcode::kVMadU64U32, 4, 5, 4)) << "others read first";
  Instruction constants = Make(four, Vgpr(0), {Source(kLiteralCode), Vgpr(9), Vgpr(10)});
  EXPECT_FALSE(OverlapsSumsOfDifferences(constants, Wave::k32));
}

}  // namespace
}  // namespace kiln::amd::isa
