#include "core/amd/isa/fields.h"

#include <gtest/gtest.h>

#include <set>

namespace kiln::amd::isa {
namespace {

uint64_t BitsOfField(const Field& f) { return ((uint64_t{1} << f.width) - 1) << f.low; }

TEST(Fields, FieldsOfAFormatDoNotOverlap) {
  for (int i = 0; i < kFormatCount; ++i) {
    const Format format = static_cast<Format>(i);
    uint64_t taken = PrefixOf(format).mask;
    ASSERT_FALSE(FieldsOf(format).empty()) << i;
    for (const Field& f : FieldsOf(format)) {
      EXPECT_LE(f.low + f.width, 32 * DwordsOf(format)) << i << " " << NameOf(f.member);
      EXPECT_EQ(taken & BitsOfField(f), 0u) << i << " " << NameOf(f.member);
      taken |= BitsOfField(f);
    }
    EXPECT_EQ(taken, BitsOf(format)) << i;
  }
}

TEST(Fields, PrefixesTellFormatsApart) {
  // A longer prefix may begin like a shorter one, but no two are the same.
  std::set<std::pair<uint32_t, uint32_t>> prefixes;
  for (int i = 0; i < static_cast<int>(Format::kDpp16); ++i) {
    const Format format = static_cast<Format>(i);
    if (format == Format::kVop3b || format == Format::kVop3i) continue;  // by opcode
    const Prefix prefix = PrefixOf(format);
    EXPECT_EQ(prefix.value & ~prefix.mask, 0u);
    EXPECT_TRUE(prefixes.insert({prefix.value, prefix.mask}).second) << i;
  }
}

TEST(Fields, NumbersOfOpcodesFitTheirFields) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpcodeInfo& info = Info(i);
    for (Form form : {Form::kPlain, Form::kVop3}) {
      if (!HasForm(info, form)) continue;
      Instruction inst;
      inst.op = info.op;
      inst.form = form;
      uint32_t left = Get(inst, Member::kOp);
      for (const Field& f : FieldsOf(FormatOf(info, form))) {
        if (f.member == Member::kOp) left &= ~(((1u << f.width) - 1) << f.shift);
      }
      EXPECT_EQ(left, 0u) << info.mnemonic;
    }
  }
}

TEST(Fields, WhatIsSetIsRead) {
  Instruction inst;
  inst.op = Opcode::kDsRead2B32;
  Set(inst, Member::kDsOffset, 0x1234);
  EXPECT_EQ(inst.offset, 0x34);
  EXPECT_EQ(inst.offset1, 0x12);
  EXPECT_EQ(Get(inst, Member::kDsOffset), 0x1234u);
  inst.op = Opcode::kVFmaMixF32;
  Set(inst, Member::kNegHi, 5);
  EXPECT_EQ(inst.abs, 5) << "v_fma_mix has absolute values there";
  inst.op = Opcode::kSCmpkEqI32;
  Set(inst, Member::kDstOrSrc0, 7);
  EXPECT_EQ(inst.src[0], Sgpr(7));
}

TEST(Fields, ModifiersArePermittedByOpcode) {
  Instruction inst;
  inst.form = Form::kVop3;
  inst.op = Opcode::kVLdexpF32;
  EXPECT_TRUE(Permits(inst, Member::kNeg, 1));
  EXPECT_FALSE(Permits(inst, Member::kNeg, 2)) << "the exponent is an integer";
  inst.op = Opcode::kVCndmaskB32;
  EXPECT_TRUE(Permits(inst, Member::kNeg, 3));
  EXPECT_FALSE(Permits(inst, Member::kNeg, 4)) << "the mask";
  EXPECT_FALSE(Permits(inst, Member::kClamp, 1));
  inst.form = Form::kSdwa;
  EXPECT_TRUE(Permits(inst, Member::kClamp, 1));
  EXPECT_FALSE(Permits(inst, Member::kSel0, 7));
}

TEST(Fields, FormsOfOpcodes) {
  EXPECT_TRUE(HasForm(Info(Opcode::kVAddF32), Form::kDpp8));
  EXPECT_FALSE(HasForm(Info(Opcode::kVFmaF32), Form::kDpp16));
  EXPECT_FALSE(HasForm(Info(Opcode::kVReadfirstlaneB32), Form::kSdwa));
  EXPECT_FALSE(HasForm(Info(Opcode::kVFmacF32), Form::kSdwa));
  EXPECT_FALSE(HasForm(Info(Opcode::kVFmamkF32), Form::kVop3));
  EXPECT_FALSE(HasForm(Info(Opcode::kVCmpxEqF32), Form::kDpp16));
}

}  // namespace
}  // namespace kiln::amd::isa
