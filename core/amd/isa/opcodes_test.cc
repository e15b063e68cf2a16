#include "core/amd/isa/opcodes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kiln::amd::isa {
namespace {

TEST(Opcodes, NumbersAndMnemonicsNameOneOpcodeEach) {
  std::set<std::string> mnemonics;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    EXPECT_EQ(static_cast<int>(info.op), i);
    EXPECT_TRUE(mnemonics.insert(std::string(info.mnemonic)).second) << info.mnemonic;
    EXPECT_EQ(FindOpcode(info.encoding, info.code), info.op) << info.mnemonic;
  }
}

TEST(Opcodes, Vop3RepeatsTheShortFormatsFromFixedNumbersOn) {
  EXPECT_EQ(OpcodeOfVop3(0x103), Opcode::kVAddF32);
  EXPECT_EQ(OpcodeOfVop3(0x181), Opcode::kVMovB32);
  EXPECT_EQ(OpcodeOfVop3(0x001), Opcode::kVCmpLtF32);
  EXPECT_EQ(OpcodeOfVop3(0x14b), Opcode::kVFmaF32);
  EXPECT_EQ(OpcodeOfVop3(0x12c), std::nullopt) << "v_fmamk_f32 has only the short format";
  EXPECT_EQ(OpcodeOfVop3(0x3ff), std::nullopt);
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    if (info.encoding != Encoding::kVop3 && !info.Has(opcode_flag::kVop3)) continue;
    EXPECT_EQ(OpcodeOfVop3(Vop3Code(info)), info.op) << info.mnemonic;
  }
}

TEST(Opcodes, AFlagThatNeedsAnOperandHasIt) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    if (info.Has(opcode_flag::kMaskIn)) {
      EXPECT_EQ(info.src[2], Type::kMask) << info.mnemonic;
    }
    if (info.Has(opcode_flag::kDstR)) {
      EXPECT_NE(info.dst, Type::kN) << info.mnemonic;
    }
    if (info.Has(opcode_flag::kSdwa | opcode_flag::kDpp | opcode_flag::kVop3)) {
      EXPECT_TRUE(IsVectorAlu(info.encoding)) << info.mnemonic;
    }
    const int kinds = info.Has(opcode_flag::kLoad) + info.Has(opcode_flag::kStore) +
                      info.Has(opcode_flag::kAtomic);
    EXPECT_LE(kinds, 1) << info.mnemonic;
    // Operands come without holes, except where formats have fixed places.
    if (IsVectorAlu(info.encoding) && info.unit != Unit::kInterpolate) {
      EXPECT_FALSE(info.src[0] == Type::kN && info.src[1] != Type::kN) << info.mnemonic;
      EXPECT_FALSE(info.src[1] == Type::kN && info.src[2] != Type::kN) << info.mnemonic;
    }
  }
}

}  // namespace
}  // namespace kiln::amd::isa
