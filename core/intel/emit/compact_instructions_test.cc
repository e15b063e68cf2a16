#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/intel/emit/passes.h"
#include "core/intel/isa/disasm.h"

namespace kiln::intel {
namespace {

using isa::File;
using isa::Instruction;
using isa::Opcode;
using isa::Program;
using isa::Type;

constexpr isa::Generation kGen = isa::Generation::kGen12;

isa::Operand Reg(int nr, Type type, isa::Region region) {
  isa::Operand o;
  o.file = File::kGrf;
  o.type = type;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

isa::Operand Imm(Type type, uint32_t bits) {
  isa::Operand o;
  o.file = File::kImm;
  o.type = type;
  o.imm = bits;
  return o;
}

Instruction Op(Opcode op, Type type) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 16;
  inst.dst = Reg(10, type, {0, 1, 1});
  inst.src[0] = Reg(20, type, {8, 8, 1});
  if (isa::Info(op).nsrc > 1) inst.src[1] = Reg(30, type, {8, 8, 1});
  return inst;
}

Instruction Copy(Type dst, isa::Operand src) {
  Instruction inst = Op(Opcode::kMov, dst);
  inst.src[0] = src;
  return inst;
}

Instruction With(Opcode op, Type type, isa::Operand second) {
  Instruction inst = Op(op, type);
  inst.src[1] = second;
  return inst;
}

Instruction CompareOf(Type type, isa::Operand second) {
  Instruction inst = With(Opcode::kCmp, type, second);
  inst.cmod = isa::CondMod::kL;
  inst.dst = {};
  inst.dst.file = File::kArf;
  inst.dst.type = type;
  inst.dst.region.hstride = 1;
  return inst;
}

// Returns the text of the only instruction after the pass, in single spaces.
std::string After(const Instruction& inst) {
  Program p(kGen);
  p.Append(inst);
  CompactInstructions(
      p, [](void*) { return true; }, nullptr);
  EXPECT_TRUE(isa::Finalise(p).ok());
  std::string text;
  for (const char c : isa::Disassemble(kGen, p.insts[0])) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
  }
  return text;
}

// Expects that the pass leaves the instruction in its long form.
void ExpectLeft(const Instruction& inst) {
  Program p(kGen);
  p.Append(inst);
  EXPECT_EQ(CompactInstructions(
                p, [](void*) { return true; }, nullptr),
            0);
  EXPECT_EQ(p.insts[0], inst) << isa::Disassemble(kGen, p.insts[0]);
}

TEST(CompactInstructions, WhatHasAFormTakesIt) {
  EXPECT_EQ(After(Op(Opcode::kAdd, Type::kF)),
            "add (16|M0) r10.0<1>:f r20.0<8;8,1>:f r30.0<8;8,1>:f {Compacted}");
  Instruction sync;
  sync.op = Opcode::kSync;
  sync.swsb = 0x24;
  EXPECT_EQ(After(sync), "sync.nop null {Compacted,$4.dst}");
  ExpectLeft(With(Opcode::kAdd, Type::kF, Imm(Type::kF, 0x3dcccccd)));
  ExpectLeft(Op(Opcode::kAdd, Type::kHF));
}

TEST(CompactInstructions, CopiesOfDwordsBecomeCopiesOfSingles) {
  const isa::Operand from = Reg(20, Type::kD, {8, 8, 1});
  const std::string copied = "mov (16|M0) r10.0<1>:f r20.0<8;8,1>:f {Compacted}";
  EXPECT_EQ(After(Copy(Type::kUD, from)), copied);
  EXPECT_EQ(After(Copy(Type::kD, from)), copied);
  EXPECT_EQ(After(Copy(Type::kUD, Imm(Type::kUD, 0))), "mov (16|M0) r10.0<1>:f 0x0:f {Compacted}");
  EXPECT_EQ(After(Copy(Type::kUD, Imm(Type::kUD, 0xff800000))),
            "mov (16|M0) r10.0<1>:f 0xFF800000:f {Compacted}");
  Instruction predicated = Copy(Type::kUD, from);
  predicated.pred = isa::PredCtrl::kNormal;
  EXPECT_EQ(After(predicated), "(f0.0) " + copied);
}

TEST(CompactInstructions, CopiesThatComputeAreLeft) {
  const isa::Operand from = Reg(20, Type::kD, {8, 8, 1});
  EXPECT_EQ(After(Copy(Type::kF, from)), "mov (16|M0) r10.0<1>:f r20.0<8;8,1>:d {Compacted}")
      << "a conversion has a row of its own";
  ExpectLeft(Copy(Type::kUD, Imm(Type::kUD, 0x7fc00000)));     // a NaN
  ExpectLeft(Copy(Type::kUD, Imm(Type::kUD, 0x00100000)));     // a subnormal
  ExpectLeft(Copy(Type::kUD, Imm(Type::kUD, 1)));              // needs more than 12 bits
  ExpectLeft(Copy(Type::kUW, Reg(20, Type::kUW, {8, 8, 1})));  // the tables have no row of halves
  Instruction inst = Copy(Type::kD, from);
  inst.src[0].negate = true;
  ExpectLeft(inst);
  inst = Copy(Type::kD, from);
  inst.cmod = isa::CondMod::kZ;
  ExpectLeft(inst);
  inst = Copy(Type::kUD, from);
  inst.saturate = true;
  ExpectLeft(inst);
  inst = Copy(Type::kUD, from);
  inst.dst.file = File::kArf;
  inst.dst.arf = isa::Arf::kAccumulator;
  inst.dst.nr = 0;
  ExpectLeft(inst);
  inst = Copy(Type::kUD, from);
  inst.src[0].indirect = true;
  inst.src[0].nr = 0;
  inst.src[0].region = {isa::Region::kVxH, 1, 0};
  ExpectLeft(inst);
}

TEST(CompactInstructions, SmallDwordsBecomeWords) {
  EXPECT_EQ(After(CompareOf(Type::kD, Imm(Type::kD, 5))),
            "cmp (16|M0) (lt)f0.0 null<1>:d r20.0<8;8,1>:d 5:w {Compacted}");
  EXPECT_EQ(After(CompareOf(Type::kD, Imm(Type::kD, static_cast<uint32_t>(-2048)))),
            "cmp (16|M0) (lt)f0.0 null<1>:d r20.0<8;8,1>:d -2048:w {Compacted}");
  EXPECT_EQ(After(With(Opcode::kAsr, Type::kD, Imm(Type::kUD, 31))),
            "asr (16|M0) r10.0<1>:d r20.0<8;8,1>:d 31:w {Compacted}");
  ExpectLeft(CompareOf(Type::kD, Imm(Type::kD, 0x800)));                 // beyond 12 bits
  ExpectLeft(CompareOf(Type::kD, Imm(Type::kD, 0x10005)));               // beyond a word
  ExpectLeft(CompareOf(Type::kUD, Imm(Type::kUD, 5)));                   // would be signed
  ExpectLeft(With(Opcode::kAsr, Type::kD, Imm(Type::kUD, 0xffffffff)));  // not that word
  ExpectLeft(With(Opcode::kMul, Type::kD, Imm(Type::kUD, 5)));           // other arithmetic
}

// Jumps over instructions that became shorter.
TEST(CompactInstructions, JumpsFollow) {
  Program p(kGen);
  Instruction jump;
  jump.op = Opcode::kIf;
  jump.exec_size = 16;
  jump.pred = isa::PredCtrl::kNormal;
  p.Append(jump, {3, 3});
  p.Append(Op(Opcode::kAdd, Type::kF));
  p.Append(Op(Opcode::kAdd, Type::kHF));
  jump.op = Opcode::kEndif;
  jump.pred = isa::PredCtrl::kNone;
  p.Append(jump, {4, isa::kNoTarget});
  EXPECT_EQ(CompactInstructions(
                p, [](void*) { return true; }, nullptr),
            1);
  const auto placed = isa::PlaceInstructions(p);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ((*placed)[0].inst.jip, 16 + 8 + 16);
  EXPECT_EQ(isa::Finalise(p)->size(), 3 * 16 + 8u);
}

TEST(CompactInstructions, StopsWhenToldTo) {
  Program p(kGen);
  for (int i = 0; i < 3; ++i) p.Append(Op(Opcode::kAdd, Type::kF));
  int left = 2;
  const MayRewrite ask = [](void* c) { return (*static_cast<int*>(c))-- > 0; };
  EXPECT_EQ(CompactInstructions(p, ask, &left), 2);
  EXPECT_TRUE(p.insts[1].compacted);
  EXPECT_FALSE(p.insts[2].compacted);
}

}  // namespace
}  // namespace kiln::intel
