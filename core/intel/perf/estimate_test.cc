#include "core/intel/perf/estimate.h"

#include "core/intel/isa/messages.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Program;

isa::Operand Grf(int nr, isa::Region region) {
  isa::Operand o;
  o.file = isa::File::kGrf;
  o.type = isa::Type::kF;
  o.nr = static_cast<uint8_t>(nr);
  o.region = region;
  return o;
}

Instruction Add(int dst, int a, int b, int lanes = 8) {
  Instruction inst;
  inst.op = Opcode::kAdd;
  inst.exec_size = static_cast<uint8_t>(lanes);
  inst.dst = Grf(dst, {0, 1, 1});
  inst.src[0] = Grf(a, {8, 8, 1});
  inst.src[1] = Grf(b, {8, 8, 1});
  return inst;
}

Instruction SquareRoot(int dst, int a) {
  Instruction inst = Add(dst, a, a);
  inst.op = Opcode::kMath;
  inst.math = isa::MathFunction::kSqrt;
  return inst;
}

Instruction Load(int dst, int address) {
  isa::MessageFields f;
  f.message = isa::Message::kUntypedRead;
  f.channels = 1;
  isa::SetLengths(isa::Generation::kGen12, f);
  Instruction inst = *isa::MakeSend(isa::Generation::kGen12, f);
  inst.dst = Grf(dst, {0, 1, 1});
  inst.src[0] = Grf(address, {8, 8, 1});
  return inst;
}

Estimate Of(const std::vector<Instruction>& insts) {
  Program p(isa::Generation::kGen12);
  for (const Instruction& inst : insts) p.Append(inst);
  return *EstimateProgram(Tgl(), p);
}

int64_t Waits(const Estimate& e, Unit unit) { return e.waits[static_cast<size_t>(unit)]; }

// Issue takes two cycles per register written; a result is available ten cycles later.
TEST(Estimate, IndependentInstructionsIssueBackToBack) {
  const Estimate e = Of({Add(10, 1, 2), Add(11, 3, 4), Add(12, 5, 6)});
  EXPECT_EQ(e.cycles, 6);
  EXPECT_EQ(Waits(e, Unit::kFpu), 0);
  EXPECT_EQ(Of({Add(10, 1, 3, 16)}).cycles, 4);
}

TEST(Estimate, ADependentOneWaitsForTheResult) {
  const Estimate e = Of({Add(10, 1, 2), Add(11, 10, 4)});
  EXPECT_EQ(e.cycles, 2 + 10 + 2);
  EXPECT_EQ(Waits(e, Unit::kFpu), 10);
  EXPECT_EQ(Of({SquareRoot(10, 1), Add(11, 10, 4)}).cycles, 2 + 16 + 2);
}

TEST(Estimate, OverwritingAPayloadWaitsUntilItIsRead) {
  const Estimate e = Of({Load(10, 1), Add(1, 2, 3)});
  EXPECT_EQ(Waits(e, Unit::kDataCache), 10);
}

TEST(Estimate, WaitsAreChargedToTheUnit) {
  const Estimate e = Of({Load(10, 1), Add(11, 10, 4)});
  EXPECT_EQ(Waits(e, Unit::kDataCache), 100);
  EXPECT_EQ(Waits(e, Unit::kFpu), 0);
}

TEST(Estimate, ATokenIsWaitedFor) {
  Instruction load = Load(10, 1);
  load.swsb = 0x43;
  Instruction wait;
  wait.op = Opcode::kSync;
  wait.swsb = 0x23;
  EXPECT_EQ(Waits(Of({load, wait}), Unit::kDataCache), 100);
  wait.swsb = 0x33;  // waits only until the address is read
  EXPECT_EQ(Waits(Of({load, wait}), Unit::kDataCache), 10);
  wait.swsb = 0x24;  // another token
  EXPECT_EQ(Waits(Of({load, wait}), Unit::kDataCache), 0);
  wait.swsb = 0;
  wait.sync = isa::SyncFunction::kAllWr;
  wait.src[0].file = isa::File::kImm;
  wait.src[0].imm = 1 << 3;
  EXPECT_EQ(Waits(Of({load, wait}), Unit::kDataCache), 100);
  wait.src[0].imm = 1 << 2;
  EXPECT_EQ(Waits(Of({load, wait}), Unit::kDataCache), 0);
}

TEST(Estimate, AFullUnitQueues) {
  // Each load keeps the data cache busy for 20 cycles, the front end for 2.
  const Estimate e = Of({Load(10, 1), Load(11, 2), Load(12, 3)});
  EXPECT_EQ(e.queues[static_cast<size_t>(Unit::kDataCache)], 2 * 18);
  EXPECT_EQ(e.busy[static_cast<size_t>(Unit::kDataCache)], 60);
  EXPECT_EQ(e.bottleneck, Unit::kDataCache);
  EXPECT_EQ(e.throughput_cycles, 60);
}

TEST(Estimate, ALoopWeighsTenTimes) {
  Program p(isa::Generation::kGen12);
  p.Append(Add(10, 1, 2));
  p.Append(Add(11, 3, 4));
  Instruction loop;
  loop.op = Opcode::kWhile;
  p.Append(loop, {1, isa::kNoTarget});
  p.Append(Add(12, 5, 6));
  EXPECT_EQ(EstimateProgram(Tgl(), p)->cycles, 2 + 10 * (2 + 8) + 2);
}

TEST(Estimate, WhatFollowsAHaltWeighsHalf) {
  Program p(isa::Generation::kGen12);
  Instruction halt;
  halt.op = Opcode::kHalt;
  p.Append(halt, {2, 2});
  p.Append(Add(11, 3, 4));
  p.Append(Add(12, 5, 6));
  EXPECT_EQ(EstimateProgram(Tgl(), p)->cycles, 8 + 1 + 2);
}

// The issue of the first exit, with the weights of loops before it. The halt that turns lanes on
// again is no exit.
TEST(Estimate, TheFirstExitIssuesAfterWhatStandsBeforeIt) {
  Program p(isa::Generation::kGen12);
  p.Append(Add(10, 1, 2));
  Instruction loop;
  loop.op = Opcode::kWhile;
  p.Append(loop, {0, isa::kNoTarget});
  Instruction halt;
  halt.op = Opcode::kHalt;
  p.Append(halt, {5, 5});
  p.Append(halt, {5, 5});
  p.Append(halt, {5, 5});
  p.Append(Add(12, 5, 6));
  const Estimate e = *EstimateProgram(Tgl(), p);
  EXPECT_EQ(e.exit_cycles, 10 * (2 + 8) + 8);
  EXPECT_EQ(e.cycles, 10 * (2 + 8) + 8 + 4 + 4 + 2);
  Program without(isa::Generation::kGen12);
  without.Append(Add(10, 1, 2));
  without.Append(halt, {2, 2});
  EXPECT_EQ(EstimateProgram(Tgl(), without)->exit_cycles, 0);
}

TEST(Estimate, WhatFollowsAHaltOf32LanesWeighsWhole) {
  Program p(isa::Generation::kGen12);
  Instruction halt;
  halt.op = Opcode::kHalt;
  halt.exec_size = 32;
  p.Append(halt, {2, 2});
  p.Append(Add(11, 3, 4));
  p.Append(Add(12, 5, 6));
  EXPECT_EQ(EstimateProgram(Tgl(), p)->cycles, 8 + 2 + 2);
}

TEST(Estimate, AMessageWithoutARowIsNamed) {
  isa::Program p(isa::Generation::kGen12);
  isa::Instruction send;
  send.op = isa::Opcode::kSend;
  send.exec_size = 8;
  send.send.sfid = isa::Sfid::kDataCache1;
  send.send.desc = 0x02100000 | 0x1f << 14;  // a message type that Kiln does not know
  p.Append(send);
  const auto estimate = EstimateProgram(Tgl(), p);
  EXPECT_EQ(estimate.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(estimate.status().message()).find("unknown_message: instruction 0"),
            std::string::npos)
      << estimate.status();
}

class Recorder : public IssueListener {
 public:
  void OnIssue(const Issue& issue) override { issues.push_back(issue); }
  std::vector<Issue> issues;
};

std::vector<Issue> IssuesOf(const std::vector<Instruction>& insts, Estimate* estimate = nullptr) {
  Program p(isa::Generation::kGen12);
  for (const Instruction& inst : insts) p.Append(inst);
  Recorder recorder;
  const auto made = EstimateProgram(Tgl(), p, isa::FootprintsOf(p), &recorder);
  EXPECT_TRUE(made.ok()) << made.status();
  if (estimate != nullptr) *estimate = *made;
  return recorder.issues;
}

TEST(IssueListener, IsToldOfAResultAndOfTheInstructionThatGivesIt) {
  const std::vector<Issue> issues = IssuesOf({Add(10, 1, 2), Add(11, 3, 4), Add(12, 10, 4)});
  ASSERT_EQ(issues.size(), 3u);
  EXPECT_FALSE(issues[1].ready.has_value());
  EXPECT_EQ(issues[0].done, 2 + 10);
  ASSERT_EQ(issues[2].waits.size(), 1u);
  EXPECT_EQ(issues[2].waits[0].what, IssueWait::For::kRegister);
  EXPECT_EQ(issues[2].waits[0].number, 10);
  EXPECT_EQ(issues[2].waits[0].producer, 0);
  EXPECT_EQ(issues[2].waits[0].cycles, 8);
  EXPECT_EQ(issues[2].ready, 12);
  EXPECT_EQ(issues[2].unit, static_cast<int>(Unit::kFpu));
}

TEST(IssueListener, IsToldOfTokensAndPayloads) {
  Instruction load = Load(10, 1);
  load.swsb = 0x43;
  Instruction wait;
  wait.op = Opcode::kSync;
  wait.swsb = 0x33;
  const std::vector<Issue> issues = IssuesOf({load, wait, Add(1, 2, 3), Add(12, 10, 4)});
  ASSERT_EQ(issues[1].waits.size(), 1u);
  EXPECT_EQ(issues[1].waits[0].what, IssueWait::For::kCounter);
  EXPECT_EQ(issues[1].waits[0].number, kReadOfToken + 3);
  EXPECT_EQ(issues[1].unit, -1);
  EXPECT_TRUE(issues[2].waits.empty());
  EXPECT_EQ(issues[3].waits[0].producer, 0);
  const std::vector<Issue> payload = IssuesOf({Load(10, 1), Add(1, 2, 3)});
  ASSERT_EQ(payload[1].waits.size(), 1u);
  EXPECT_EQ(payload[1].waits[0].number, kReadOfGrf + 1);
}

// The issues add up to the estimate: to its cycles, and to each unit's waits.
TEST(IssueListener, AddsUpToTheEstimate) {
  Instruction flag = Add(12, 10, 4);
  flag.cmod = isa::CondMod::kG;
  Instruction select = Add(13, 12, 4);
  select.pred = isa::PredCtrl::kNormal;
  Estimate e;
  const std::vector<Issue> issues = IssuesOf(
      {Load(10, 1), flag, select, SquareRoot(14, 1), SquareRoot(15, 2), Add(16, 15, 14)}, &e);
  int64_t cycles = 0;
  std::array<int64_t, kUnits> waits{}, queues{};
  for (const Issue& issue : issues) {
    cycles += (issue.next - issue.turn) * issue.weight;
    for (const IssueWait& wait : issue.waits) {
      const bool unit = wait.what == IssueWait::For::kUnit;
      (unit ? queues : waits)[static_cast<size_t>(wait.kind)] += wait.cycles * issue.weight;
    }
  }
  EXPECT_EQ(cycles / kWeightOfOne, e.cycles);
  EXPECT_GT(e.waits[static_cast<size_t>(Unit::kMath)], 0);
  for (size_t u = 0; u < kUnits; ++u) {
    EXPECT_EQ(waits[u] / kWeightOfOne, e.waits[u]) << u;
    EXPECT_EQ(queues[u] / kWeightOfOne, e.queues[u]) << u;
  }
}

}  // namespace
}  // namespace kiln::intel
