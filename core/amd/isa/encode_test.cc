#include "core/amd/isa/encode.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/amd/isa/decode.h"
#include "core/amd/isa/examples.h"

namespace kiln::amd::isa {
namespace {

TEST(Encode, ExamplesGiveTheirBytesAgain) {
  for (const Example& example : Examples()) {
    const auto decoded = Decode(example.bytes);
    ASSERT_TRUE(decoded.ok()) << example.text;
    const auto bytes = EncodeProgram({decoded->inst});
    ASSERT_TRUE(bytes.ok()) << example.text << ": " << bytes.status();
    EXPECT_EQ(*bytes, example.bytes) << example.text;
  }
}

Instruction Add() {
  Instruction inst;
  inst.op = Opcode::kVAddF32;
  inst.dst = Vgpr(1);
  inst.src[0] = Vgpr(2);
  inst.src[1] = Vgpr(3);
  return inst;
}

Instruction Load() {
  Instruction inst;
  inst.op = Opcode::kBufferLoadDword;
  inst.dst = Vgpr(1);
  inst.src[1] = Sgpr(4);
  inst.src[2] = Sgpr(kNull);
  return inst;
}

Instruction Scratch() {
  Instruction inst;
  inst.op = Opcode::kScratchLoadDword;
  inst.dst = Vgpr(1);
  return inst;
}

TEST(Encode, WhatCannotBeRepresentedIsRefused) {
  struct Bad {
    const char* what;
    Instruction inst;
    std::function<void(Instruction&)> change;
  };
  const Bad bads[] = {
      {"a missing operand", Add(), [](Instruction& i) { i.src[0] = Operand(); }},
      {"an operand too many", Add(), [](Instruction& i) { i.src[2] = Vgpr(4); }},
      {"a scalar where a VGPR must be", Add(), [](Instruction& i) { i.src[1] = Sgpr(4); }},
      {"a reserved source", Add(), [](Instruction& i) { i.src[0] = Source(220); }},
      {"a modifier of the long form", Add(), [](Instruction& i) { i.neg = 1; }},
      {"op_sel without halves", Add(),
       [](Instruction& i) {
         i.form = Form::kVop3;
         i.op_sel = 1;
       }},
      {"a sign of a source that is not there", Add(),
       [](Instruction& i) {
         i.form = Form::kVop3;
         i.neg = 4;
       }},
      {"a literal that nothing asks for", Add(), [](Instruction& i) { i.literal = 5; }},
      {"a literal with SDWA", Add(),
       [](Instruction& i) {
         i.form = Form::kSdwa;
         i.src[0] = Source(kLiteralCode);
       }},
      {"DPP of a scalar", Add(),
       [](Instruction& i) {
         i.form = Form::kDpp16;
         i.src[0] = Sgpr(1);
       }},
      {"DPP control of ten bits", Add(),
       [](Instruction& i) {
         i.form = Form::kDpp16;
         i.dpp.control = 0x200;
       }},
      {"DPP of the plain form", Add(), [](Instruction& i) { i.dpp.row_mask = 1; }},
      {"a memory offset of arithmetic", Add(), [](Instruction& i) { i.offset = 4; }},
      {"an offset of 13 bits", Load(), [](Instruction& i) { i.offset = 4096; }},
      {"a negative offset", Load(), [](Instruction& i) { i.offset = -1; }},
      {"an unaligned descriptor", Load(), [](Instruction& i) { i.src[1] = Sgpr(2); }},
      {"a literal offset", Load(), [](Instruction& i) { i.src[2] = Source(kLiteralCode); }},
      {"an address without idxen and offen in register 0", Load(),
       [](Instruction& i) { i.src[0] = Vgpr(0); }},
      {"lds of a store", Load(),
       [](Instruction& i) {
         i.op = Opcode::kBufferStoreDword;
         i.lds = true;
       }},
      {"dlc of an atomic", Load(),
       [](Instruction& i) {
         i.op = Opcode::kBufferAtomicAdd;
         i.dlc = true;
       }},
      {"two addresses of scratch", Scratch(),
       [](Instruction& i) {
         i.src[0] = Vgpr(0);
         i.src[2] = Sgpr(0);
       }},
      {"an offset below -2048", Scratch(), [](Instruction& i) { i.offset = -2049; }},
      {"an offset above 2047", Scratch(), [](Instruction& i) { i.offset = 2048; }},
  };
  for (const Bad& bad : bads) {
    Instruction inst = bad.inst;
    ASSERT_TRUE(Encode(inst).ok()) << Encode(inst).status();
    bad.change(inst);
    EXPECT_FALSE(Encode(inst).ok()) << bad.what;
  }
}

TEST(Encode, TwoOffsetsHaveEightBitsEach) {
  Instruction inst;
  inst.op = Opcode::kDsRead2B32;
  inst.dst = Vgpr(2);
  inst.src[0] = Vgpr(1);
  inst.offset = 255;
  inst.offset1 = 255;
  EXPECT_TRUE(Encode(inst).ok());
  inst.offset = 256;
  EXPECT_FALSE(Encode(inst).ok());
}

}  // namespace
}  // namespace kiln::amd::isa
