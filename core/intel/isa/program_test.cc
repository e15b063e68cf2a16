#include "core/intel/isa/program.h"

#include "core/intel/isa/computed_descriptors.h"

#include <gtest/gtest.h>

#include <string>

#include "core/intel/isa/disasm.h"
#include "core/intel/isa/flow.h"
#include "core/intel/isa/footprint.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;

Instruction Op(Opcode op) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  return inst;
}

Instruction Mov(int dst, int src, Type type = Type::kF, int exec = 8) {
  Instruction inst = Op(Opcode::kMov);
  inst.exec_size = static_cast<uint8_t>(exec);
  inst.dst.file = inst.src[0].file = File::kGrf;
  inst.dst.type = inst.src[0].type = type;
  inst.dst.nr = static_cast<uint8_t>(dst);
  inst.dst.region.hstride = 1;
  inst.src[0].nr = static_cast<uint8_t>(src);
  inst.src[0].region = {8, 8, 1};
  return inst;
}

Instruction Eot() {
  MessageFields f;
  f.message = Message::kEndOfThread;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  inst.src[0].file = File::kGrf;
  inst.src[0].nr = 127;
  return inst;
}

// 0 if -> 2/3; 1 mov; 2 else -> 3; 3 endif; 4 while -> 1; 5 end of thread
Program Example() {
  Program program(kGen);
  program.Append(Op(Opcode::kIf), {3, 4});
  program.Append(Mov(10, 20));
  program.Append(Op(Opcode::kElse), {4, 4});
  program.Append(Mov(11, 20));
  program.Append(Op(Opcode::kEndif), {5, kNoTarget});
  program.Append(Op(Opcode::kWhile), {1, kNoTarget});
  program.Append(Eot());
  return program;
}

TEST(Program, BranchesBecomeByteDistances) {
  const auto placed = PlaceInstructions(Example());
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ((*placed)[0].inst.jip, 48);
  EXPECT_EQ((*placed)[0].inst.uip, 64);
  EXPECT_EQ((*placed)[2].inst.jip, 32);
  EXPECT_EQ((*placed)[5].inst.jip, -64);
}

// Every second instruction takes 8 bytes; the loop goes over both forms.
TEST(Program, PlacesFollowTheForms) {
  Program program = Example();
  program.insts[1].compacted = program.insts[3].compacted = true;
  const auto placed = PlaceInstructions(program);
  ASSERT_TRUE(placed.ok()) << placed.status();
  std::vector<uint32_t> offsets;
  for (const PlacedInstruction& p : *placed) offsets.push_back(p.offset);
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 16, 24, 40, 48, 64, 80}));
  EXPECT_EQ((*placed)[0].inst.jip, 40);
  EXPECT_EQ((*placed)[0].inst.uip, 48);
  EXPECT_EQ((*placed)[2].inst.uip, 24);
  EXPECT_EQ((*placed)[5].inst.jip, -48);
  const auto bytes = Finalise(program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->size(), 96u);
  const auto again = DecodeProgram(kGen, *bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), placed->size());
  for (size_t i = 0; i < placed->size(); ++i) {
    EXPECT_EQ((*again)[i].offset, (*placed)[i].offset);
    EXPECT_EQ((*again)[i].inst, (*placed)[i].inst);
  }
  const auto back = ToProgram(kGen, *again);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->targets, program.targets);
  EXPECT_EQ(Finalise(*back)->size(), 7 * 16u) << "the forms are forgotten";
}

// calla counts from the program's start; a target may be the end, after a compacted instruction.
TEST(Program, TargetsAtTheEndAndFromTheStart) {
  Program program(kGen);
  program.Append(Mov(10, 20));
  program.insts[0].compacted = true;
  program.Append(Op(Opcode::kCalla), {2, kNoTarget});
  program.Append(Op(Opcode::kEndif), {4, kNoTarget});
  program.Append(Mov(10, 20));
  program.insts[3].compacted = true;
  const auto placed = PlaceInstructions(program);
  ASSERT_TRUE(placed.ok()) << placed.status();
  EXPECT_EQ((*placed)[1].inst.jip, 24);
  EXPECT_EQ((*placed)[2].inst.jip, 24);
}

TEST(Program, WhatHasNoShortFormIsNotWrittenInIt) {
  Program program = Example();
  EXPECT_FALSE(EncodeCompacted(kGen, program.insts[0])->has_value()) << "an if";
  EXPECT_FALSE(EncodeCompacted(kGen, program.insts[6])->has_value()) << "a send";
  EXPECT_TRUE(EncodeCompacted(kGen, program.insts[1])->has_value());
  program.insts[6].compacted = true;
  EXPECT_EQ(Finalise(program).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Program, BytesAndBack) {
  const Program program = Example();
  const auto bytes = Finalise(program);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->size(), 16 * program.insts.size());
  const auto placed = DecodeProgram(kGen, *bytes);
  ASSERT_TRUE(placed.ok()) << placed.status();
  const auto again = ToProgram(kGen, *placed);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->targets, program.targets);
  EXPECT_EQ(*Finalise(*again), *bytes);
}

TEST(Program, InsertKeepsTargetsAndNotes) {
  Program program = Example();
  program.indirect.push_back({1, {40, 2}});
  const Insertion insertions[] = {
      {1, Op(Opcode::kNop)}, {1, Op(Opcode::kNop)}, {7, Op(Opcode::kNop)}};
  Insert(program, insertions);
  ASSERT_EQ(program.insts.size(), 10u);
  EXPECT_EQ(program.insts[1].op, Opcode::kNop);
  EXPECT_EQ(program.insts[3].op, Opcode::kMov);
  EXPECT_EQ(program.targets[7].jip, 1);  // the loop enters at the first insertion
  EXPECT_EQ(program.targets[0].uip, 6);
  ASSERT_NE(FindIndirectRange(program, 3), nullptr);
  EXPECT_EQ(FindIndirectRange(program, 3)->first, 40);
  EXPECT_EQ(FindIndirectRange(program, 1), nullptr);
}

TEST(Program, MissingTargetsAreErrors) {
  Program program = Example();
  program.targets[0].uip = kNoTarget;
  EXPECT_EQ(Finalise(program).status().message(),
            "instruction 0: UIP target -1 is not an instruction");
  program = Example();
  program.targets[5].jip = 99;
  EXPECT_EQ(Finalise(program).status().message(),
            "instruction 5: JIP target 99 is not an instruction");
  const auto placed = DecodeProgram(kGen, *Finalise(Example()));
  auto shifted = *placed;
  EXPECT_EQ(ToProgram(kGen, shifted).status(), absl::OkStatus());
  shifted[0].inst.jip += 8;  // into the middle of an instruction
  EXPECT_EQ(ToProgram(kGen, shifted).status().message(),
            "offset 0: JIP is not an instruction's start");
}

TEST(Program, TextHasLabels) {
  const auto placed = DecodeProgram(kGen, *Finalise(Example()));
  const std::string text = DisassembleProgram(kGen, *placed);
  EXPECT_NE(text.find("L48:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("L16:\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("L32:\n"), std::string::npos) << text;
}

TEST(Flow, BlocksAndEdges) {
  const auto blocks = BuildBlocks(Example());
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  // if | mov, else | mov | endif | while | end of thread
  ASSERT_EQ(blocks->size(), 6u);
  EXPECT_EQ((*blocks)[0].successors, (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ((*blocks)[1].successors, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ((*blocks)[4].successors, (std::vector<int32_t>{1, 5}));
  EXPECT_TRUE((*blocks)[5].successors.empty());
}

TEST(Footprint, RegionsMarkWholeRegisters) {
  Footprint fp = FootprintOf(Mov(10, 20, Type::kF, 16));
  EXPECT_TRUE(fp.writes.Has(10) && fp.writes.Has(11) && !fp.writes.Has(12));
  EXPECT_TRUE(fp.reads.Has(20) && fp.reads.Has(21) && !fp.reads.Has(22));
  Instruction scalar = Mov(10, 20);
  scalar.src[0].region = {0, 1, 0};
  scalar.src[0].subnr = 28;
  fp = FootprintOf(scalar);
  EXPECT_TRUE(fp.reads.Has(20) && !fp.reads.Has(21));
  Instruction strided = Mov(10, 20, Type::kW, 8);
  strided.dst.region.hstride = 4;
  fp = FootprintOf(strided);
  EXPECT_TRUE(fp.writes.Has(10) && fp.writes.Has(11) && !fp.writes.Has(12));
}

TEST(Footprint, SendsByTheirLengths) {
  MessageFields f;
  f.message = Message::kUntypedWrite;
  f.lanes = 16;
  f.channels = 3;
  SetLengths(kGen, f);
  Instruction inst = *MakeSend(kGen, f);
  for (int i = 0; i < 2; ++i) {
    inst.src[i].file = File::kGrf;
    inst.src[i].nr = static_cast<uint8_t>(30 + 10 * i);
  }
  Footprint fp = FootprintOf(inst);
  EXPECT_TRUE(fp.reads.Has(31) && !fp.reads.Has(32) && fp.reads.Has(43) && !fp.reads.Has(44));
  EXPECT_TRUE(fp.writes.Empty());
  // With a descriptor in a register, the longest payload, unless its lengths are noted besides.
  inst.send.desc_is_register = true;
  EXPECT_TRUE(FootprintOf(inst).reads_address);
  inst.send.desc = 0;
  EXPECT_TRUE(FootprintOf(inst).reads.Has(44));
}

Instruction ToAddress(Opcode op, int dword, uint32_t immediate) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 1;
  inst.dst.file = File::kArf;
  inst.dst.arf = Arf::kAddress;
  inst.dst.subnr = static_cast<uint8_t>(4 * dword);
  inst.dst.type = Type::kUD;
  inst.src[0].file = File::kGrf;
  inst.src[1].file = File::kImm;
  inst.src[1].imm = immediate;
  return inst;
}

Instruction ComputedSend() {
  Instruction inst;
  inst.op = Opcode::kSend;
  inst.src[0].file = inst.src[1].file = File::kGrf;
  inst.src[0].nr = 30;
  inst.src[1].nr = 40;
  inst.send.desc_is_register = inst.send.ex_desc_is_register = true;
  inst.send.ex_desc_address = 1;
  return inst;
}

// mlen 2, ex_mlen 3. Writes of other dwords of a0, and instructions that do not write it, may lie
// between.
TEST(ComputedDescriptors, LengthsComeFromTheImmediates) {
  Program p(kGen);
  p.Append(ToAddress(Opcode::kAdd, 0, 2u << 25));
  p.Append(ToAddress(Opcode::kOr, 1, 3u << 6 | 0xc));
  p.Append(ToAddress(Opcode::kMov, 2, 0));
  p.Append(Mov(10, 20));
  p.Append(ComputedSend());
  NoteComputedDescriptors(p);
  const Footprint fp = FootprintOf(p.insts[4]);
  EXPECT_TRUE(fp.reads.Has(31) && !fp.reads.Has(32) && fp.reads.Has(42) && !fp.reads.Has(43));
  EXPECT_TRUE(fp.reads_address);
}

TEST(ComputedDescriptors, WhatIsNotKnownStaysTheLongest) {
  Program whole(kGen);  // a0 written as a whole
  whole.Append(ToAddress(Opcode::kOr, 1, 3u << 6));
  whole.Append(ToAddress(Opcode::kOr, 0, 2u << 25));
  whole.insts[1].exec_size = 8;
  whole.Append(ComputedSend());
  Program joined(kGen);  // a jump comes in between
  joined.Append(ToAddress(Opcode::kOr, 1, 3u << 6));
  joined.Append(ToAddress(Opcode::kOr, 0, 2u << 25));
  joined.Append(ComputedSend());
  Instruction loop;
  loop.op = Opcode::kWhile;
  joined.Append(loop, {2, kNoTarget});
  Program moved(kGen);  // no constant part
  moved.Append(ToAddress(Opcode::kMul, 1, 3u << 6));
  moved.Append(ToAddress(Opcode::kMul, 0, 2u << 25));
  moved.Append(ComputedSend());
  for (Program* p : {&whole, &joined, &moved}) {
    p->insts[2].send.desc = p->insts[2].send.ex_desc = 1;
    NoteComputedDescriptors(*p);
    const Footprint fp = FootprintOf(p->insts[2]);
    EXPECT_TRUE(fp.reads.Has(44) && fp.reads.Has(70));
  }
}

TEST(Footprint, ArchitectureRegisters) {
  Instruction inst = Mov(10, 20);
  inst.src[0].file = File::kArf;
  inst.src[0].arf = Arf::kAccumulator;
  inst.src[0].nr = 0;
  EXPECT_EQ(FootprintOf(inst).reads_accumulators, 1);
  inst.src[0].arf = Arf::kFlag;
  EXPECT_TRUE(FootprintOf(inst).uses_flags_explicitly);
  inst.src[0].arf = Arf::kControl;
  EXPECT_TRUE(FootprintOf(inst).reads_special);
  inst = Mov(10, 0);
  inst.src[0].indirect = true;
  EXPECT_TRUE(FootprintOf(inst).reads.Has(127));
  const RegisterRange range{50, 3};
  const Footprint fp = FootprintOf(inst, &range);
  EXPECT_TRUE(fp.reads.Has(52) && !fp.reads.Has(53) && fp.reads_address);
}

}  // namespace
}  // namespace kiln::intel::isa
