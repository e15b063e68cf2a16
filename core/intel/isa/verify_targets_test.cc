// Tests the rules about writes to render targets and about halts: good programs, and each change
// that breaks a rule.
#include "core/intel/isa/verify_targets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/intel/isa/verify.h"

namespace kiln::intel::isa {
namespace {

constexpr Generation kGen = Generation::kGen12;
using Insts = std::vector<Instruction>;

MessageFields Fields(int lanes, int registers) {
  MessageFields f;
  f.message = Message::kTargetWrite;
  f.lanes = static_cast<uint8_t>(lanes);
  f.form = lanes == 16 ? TargetForm::kSixteen : TargetForm::kEight;
  f.mlen = static_cast<uint8_t>(registers);
  return f;
}

Instruction Write(MessageFields f, int first_channel = 0, bool ends = false) {
  f.high_slots = first_channel >= 16;
  f.last_target |= ends;
  Instruction inst = *MakeSend(kGen, f);
  inst.op = Opcode::kSendc;
  inst.channel_offset = static_cast<uint8_t>(first_channel);
  inst.send.eot = ends;
  inst.src[0].file = File::kGrf;
  inst.src[0].nr = 112;
  inst.swsb = ends ? 1 : 0x40;
  return inst;
}

Instruction Last(MessageFields f, int first_channel = 0) {
  f.last_target = true;
  return Write(f, first_channel);
}

Instruction Flow(Opcode op, int jip, int uip, PredCtrl pred = PredCtrl::kNone) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = 8;
  inst.pred = pred;
  inst.jip = 16 * jip;
  inst.uip = 16 * uip;
  return inst;
}

Instruction Halt(int jip, int uip, PredCtrl pred = PredCtrl::kNone) {
  return Flow(Opcode::kHalt, jip, uip, pred);
}

std::vector<PlacedInstruction> Place(const Insts& insts) {
  std::vector<PlacedInstruction> program;
  for (const Instruction& inst : insts) {
    program.push_back({static_cast<uint32_t>(16 * program.size()), inst});
  }
  return program;
}

// Returns "rule index ..." of the verifier's findings.
std::string Found(const Insts& insts) {
  std::string text;
  const auto findings = Verify(kGen, Place(insts));
  for (const Finding& f : *findings) {
    text += std::string(f.restriction) + " " + std::to_string(f.offset / 16) + "; ";
  }
  return text;
}

TEST(VerifyTargets, TheLastSaysSo) {
  const MessageFields eight = Fields(8, 4);
  EXPECT_EQ(Found({Write(eight, 0, true)}), "");
  EXPECT_EQ(Found({Write(eight), Write(eight, 0, true)}), "");
  EXPECT_EQ(Found({Last(eight), Write(eight, 0, true)}), "last target 0; ");
  Instruction unsaid = Write(eight, 0, true);
  unsaid.send.desc &= ~(1u << 12);
  EXPECT_EQ(Found({unsaid}), "last target 0; ");
  EXPECT_EQ(Found({Write(eight, 0, true), Last(eight)}), "last target 0; ");
}

TEST(VerifyTargets, BothHalvesHaveALast) {
  const MessageFields f = Fields(16, 8);
  EXPECT_EQ(Found({Write(f), Write(f, 16), Last(f), Write(f, 16, true)}), "");
  EXPECT_EQ(Found({Write(f), Write(f, 16), Write(f), Write(f, 16, true)}), "last target 2; ");
  EXPECT_EQ(Found({Last(f), Write(f, 16), Last(f), Write(f, 16, true)}), "last target 0; ");
}

TEST(VerifyTargets, TheLastEndsTheThread) {
  const MessageFields f = Fields(8, 4);
  MessageFields spawner;
  spawner.message = Message::kEndOfThread;
  SetLengths(kGen, spawner);
  Instruction end = *MakeSend(kGen, spawner);
  end.src[0].file = File::kGrf;
  end.src[0].nr = 127;
  end.swsb = 1;
  EXPECT_EQ(Found({end}), "");
  EXPECT_EQ(Found({Last(f), end}), "last target 1; ");
}

TEST(VerifyTargets, AllHaveTheSameParts) {
  const MessageFields colours = Fields(8, 4), deep = Fields(8, 5);
  EXPECT_EQ(Found({Write(deep), Write(deep, 0, true)}), "");
  EXPECT_EQ(Found({Write(colours), Write(deep, 0, true)}), "target parts 1; ");
  // The alpha of render target 0 is excepted; all render targets but that one have it.
  MessageFields with_alpha = deep;
  with_alpha.alpha0 = true;
  EXPECT_EQ(Found({Write(colours), Write(with_alpha, 0, true)}), "");
}

TEST(VerifyTargets, PartsThatAreDeclared) {
  const auto unlike = [](const MessageFields& f, const TargetParts& parts) {
    return TargetWritesUnlike(kGen, Place({Write(f, 0, true)}), parts).size();
  };
  EXPECT_EQ(unlike(Fields(8, 4), {}), 0u);
  EXPECT_EQ(unlike(Fields(16, 8), {}), 0u);
  EXPECT_EQ(unlike(Fields(8, 5), {}), 1u);
  EXPECT_EQ(unlike(Fields(8, 4), {.depth = true}), 1u);
  EXPECT_EQ(unlike(Fields(8, 5), {.depth = true}), 0u);
  EXPECT_EQ(unlike(Fields(16, 10), {.depth = true}), 0u);
  EXPECT_EQ(unlike(Fields(16, 9), {.sample_mask = true}), 0u);
  EXPECT_EQ(unlike(Fields(8, 7), {.sample_mask = true, .depth = true, .stencil = true}), 0u);
  EXPECT_EQ(unlike(Fields(16, 9), {.stencil = true}), 1u);  // not at 16 lanes
  MessageFields dual = Fields(8, 8);
  EXPECT_EQ(unlike(dual, {.dual_source = true}), 1u);
  dual.form = TargetForm::kDualLow;
  EXPECT_EQ(unlike(dual, {.dual_source = true}), 0u);
  EXPECT_EQ(unlike(dual, {}), 1u);
  MessageFields header = Fields(8, 7);
  header.header = header.alpha0 = true;
  EXPECT_EQ(unlike(header, {}), 0u);
}

TEST(VerifyTargets, Halts) {
  constexpr PredCtrl kSome = PredCtrl::kNormal;
  const Instruction end = Write(Fields(8, 4), 0, true);
  Instruction nop;
  nop.op = Opcode::kNop;
  EXPECT_EQ(Found({Halt(2, 3, kSome), nop, Halt(1, 1), end}), "");
  EXPECT_EQ(Found({Halt(2, 2, kSome), nop, Halt(1, 1), end}), "halts 0; ");  // before the last
  EXPECT_EQ(Found({Halt(2, 2, kSome), nop, end}), "halts 0; ");              // no last one
  EXPECT_EQ(Found({Halt(2, 3, kSome), nop, Halt(1, 1, kSome), end}), "halts 2; ");
  EXPECT_EQ(Found({Halt(2, 4, kSome), nop, Halt(1, 1), nop, end}), "halts 0; ");
  EXPECT_EQ(Found({Halt(2, 4, kSome), nop, Halt(2, 2), nop, end}), "halts 0; halts 2; ");
  // The last halt is in an if.
  EXPECT_EQ(Found({Halt(1, 3, kSome), Flow(Opcode::kIf, 2, 2, kSome), Halt(1, 1),
                   Flow(Opcode::kEndif, 1, 0), end}),
            "halts 2; ");
}

}  // namespace
}  // namespace kiln::intel::isa
