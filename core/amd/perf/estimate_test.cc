#include "core/amd/perf/estimate.h"

#include <vector>

#include "core/amd/perf/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;
using testing::End;
using testing::GlobalLoad;
using testing::GlobalStore;
using testing::Make;
using testing::Placed;
using testing::WaitFor;
using testing::WithImmediate;

Instruction Add(int dst, int a, int b) {
  return Make(Opcode::kVAddF32, Vgpr(dst), Vgpr(a), Vgpr(b));
}

Estimate Of(const std::vector<Instruction>& program, isa::Wave wave = isa::Wave::k32) {
  return EstimateProgram(Placed(program), wave);
}
int64_t Stalled(const Estimate& e, Stall why) { return e.stalls[static_cast<size_t>(why)]; }
int64_t Queued(const Estimate& e, Unit unit) { return e.queues[static_cast<size_t>(unit)]; }

// Two independent additions issue in two cycles; the end waits for the second, which issued in
// cycle 1, until cycle 6, and takes a cycle.
TEST(EstimateProgram, IndependentInstructionsOverlap) {
  const Estimate e = Of({Add(0, 2, 3), Add(1, 2, 3), End()});
  EXPECT_EQ(e.cycles, 7);
  EXPECT_EQ(e.busy[static_cast<size_t>(Unit::kVector)], 2);
  EXPECT_EQ(e.bottleneck, Unit::kVector);
}

TEST(EstimateProgram, AResultIsWaitedFor) {
  const Estimate e = Of({Add(0, 2, 3), Add(1, 0, 3), End()});
  EXPECT_EQ(e.cycles, 11);
  EXPECT_EQ(Stalled(e, Stall::kVectorResults), 4 + 4);
}

// Each of 64 lanes' halves issues by itself.
TEST(EstimateProgram, VectorInstructionsOf64LanesIssueTwice) {
  EXPECT_EQ(Of({Add(0, 2, 3), Add(1, 2, 3), End()}, isa::Wave::k64).cycles, 9);
  EXPECT_EQ(Of({Make(Opcode::kSMovB32, Sgpr(0), Sgpr(1)), End()}, isa::Wave::k64).cycles, 3);
}

TEST(EstimateProgram, MemoryIsWaitedForByItsCounter) {
  const Estimate two = Of({GlobalLoad(0, 4), GlobalLoad(1, 4), WaitFor(0, 7, 63), End()});
  EXPECT_EQ(Stalled(two, Stall::kVectorMemory), 320);
  EXPECT_EQ(two.cycles, 2 + 320 + 2);
  // The older one, which was raised at cycle 1.
  const Estimate one = Of({GlobalLoad(0, 4), GlobalLoad(1, 4), WaitFor(1, 7, 63)});
  EXPECT_EQ(one.cycles, 1 + 320 + 1);
  EXPECT_EQ(Stalled(Of({GlobalStore(0, 4), End()}), Stall::kStores), 320);
  EXPECT_EQ(
      Stalled(Of({Make(Opcode::kDsReadB32, Vgpr(0), Vgpr(1)), WaitFor(63, 7, 0)}), Stall::kLds),
      20);
  const Instruction load = Make(Opcode::kSLoadDword, Sgpr(0), Sgpr(4));
  EXPECT_EQ(Stalled(Of({load, WaitFor(63, 7, 0)}), Stall::kScalarMemory), 30);
  EXPECT_EQ(Stalled(Of({testing::Export(0), WaitFor(63, 0, 63)}), Stall::kExports), 16);
}

// The scalar unit waits for the vector unit to give it a lane.
TEST(EstimateProgram, ALaneReadDelaysScalarInstructions) {
  const Instruction read = Make(Opcode::kVReadlaneB32, Sgpr(0), Vgpr(0), isa::Source(129));
  const Instruction use = Make(Opcode::kSAddU32, Sgpr(1), Sgpr(0), Sgpr(2));
  const Estimate e = Of({read, use});
  EXPECT_EQ(Stalled(e, Stall::kLaneReads), 4);
  EXPECT_EQ(Stalled(e, Stall::kVectorResults), 0);
  EXPECT_EQ(Stalled(Of({use, Make(Opcode::kSMovB32, Sgpr(4), Sgpr(1))}), Stall::kScalarResults), 1);
}

TEST(EstimateProgram, ABusyUnitIsQueuedFor) {
  const Estimate e =
      Of({Make(Opcode::kVRcpF32, Vgpr(0), Vgpr(4)), Make(Opcode::kVRcpF32, Vgpr(1), Vgpr(4))});
  EXPECT_EQ(Queued(e, Unit::kComplex), 3);
  EXPECT_EQ(e.bottleneck, Unit::kComplex);
  EXPECT_EQ(e.cycles, 5);
}

TEST(EstimateProgram, ALoopCountsEightTimesAndASideOfAnIfLess) {
  const Instruction move = Make(Opcode::kSMovB32, Sgpr(0), Sgpr(1));
  const auto branch = [](Opcode op, int dwords) {
    return WithImmediate(op, static_cast<uint16_t>(dwords));
  };
  // The body: a move, and a branch.
  EXPECT_EQ(Of({move, branch(Opcode::kSBranch, -2)}).cycles, 8 * 2);
  // An inner loop of the same form; the outer branch queues for the unit for two cycles.
  EXPECT_EQ(
      Of({move, move, branch(Opcode::kSCbranchExecnz, -2), branch(Opcode::kSBranch, -4)}).cycles,
      8 * 1 + 8 * 4 * 2 + 8 * 3);
  const std::vector<Instruction> skipped(8, move);
  const auto with_if = [&](Opcode op) {
    std::vector<Instruction> all = {branch(op, 8)};
    all.insert(all.end(), skipped.begin(), skipped.end());
    all.push_back(move);
    return Of(all).cycles;
  };
  EXPECT_EQ(with_if(Opcode::kSCbranchScc0), 1 + 8 / 2 + 1);
  EXPECT_EQ(with_if(Opcode::kSCbranchExecz), 1 + 8 * 3 / 4 + 1);
}

// Loads that a block leaves under way are waited for in the next.
TEST(EstimateProgram, LoadsCrossBlocks) {
  const Estimate e =
      Of({GlobalLoad(0, 4), WithImmediate(Opcode::kSCbranchScc0, 0), WaitFor(0, 7, 63)});
  EXPECT_EQ(Stalled(e, Stall::kVectorMemory), 319);
}

class Recorder : public IssueListener {
 public:
  void OnIssue(const Issue& issue) override { issues.push_back(issue); }
  std::vector<Issue> issues;
};

std::vector<Issue> IssuesOf(const std::vector<Instruction>& program,
                            isa::Wave wave = isa::Wave::k32) {
  Recorder recorder;
  EstimateProgram(Placed(program), wave, &recorder);
  return recorder.issues;
}

TEST(IssueListener, IsToldOfAResultAndOfTheInstructionThatGivesIt) {
  const std::vector<Issue> issues = IssuesOf({Add(7, 2, 3), Add(1, 2, 3), Add(2, 7, 3), End()});
  ASSERT_EQ(issues.size(), 4u);
  EXPECT_FALSE(issues[0].ready.has_value());
  EXPECT_EQ(issues[0].turn, 0);
  EXPECT_EQ(issues[0].next, 1);
  EXPECT_EQ(issues[0].done, 5);
  EXPECT_EQ(issues[0].unit, static_cast<int>(Unit::kVector));
  const Issue& use = issues[2];
  EXPECT_EQ(use.turn, 2);
  EXPECT_EQ(use.ready, 5);
  ASSERT_EQ(use.waits.size(), 1u);
  EXPECT_EQ(use.waits[0].what, IssueWait::For::kRegister);
  EXPECT_EQ(use.waits[0].number, Vgpr(7).code);
  EXPECT_EQ(use.waits[0].kind, static_cast<int>(Stall::kVectorResults));
  EXPECT_EQ(use.waits[0].producer, 0);
  EXPECT_EQ(use.waits[0].cycles, 3);
  EXPECT_EQ(issues[3].unit, -1);
}

TEST(IssueListener, IsToldOfACounterAndOfTheOperationThatRaisedIt) {
  const std::vector<Issue> issues =
      IssuesOf({GlobalLoad(0, 4), GlobalLoad(1, 4), WaitFor(1, 7, 63), End()});
  ASSERT_EQ(issues[2].waits.size(), 1u);
  EXPECT_EQ(issues[2].waits[0].what, IssueWait::For::kCounter);
  EXPECT_EQ(issues[2].waits[0].number, static_cast<int>(Counter::kVm));
  EXPECT_EQ(issues[2].waits[0].producer, 0);
  EXPECT_EQ(issues[2].waits[0].cycles, 319);
  EXPECT_EQ(issues[2].ready, 1 + 320);
  EXPECT_TRUE(issues[3].waits.empty());  // the second load is there a cycle later
  EXPECT_EQ(issues[0].done, 1 + 320);
}

TEST(IssueListener, IsToldOfABusyUnitAndItsUser) {
  const std::vector<Issue> issues = IssuesOf(
      {Make(Opcode::kVRcpF32, Vgpr(0), Vgpr(4)), Make(Opcode::kVRcpF32, Vgpr(1), Vgpr(4))});
  ASSERT_EQ(issues[1].waits.size(), 1u);
  EXPECT_EQ(issues[1].waits[0].what, IssueWait::For::kUnit);
  EXPECT_EQ(issues[1].waits[0].number, static_cast<int>(Unit::kComplex));
  EXPECT_EQ(issues[1].waits[0].producer, 0);
  EXPECT_EQ(issues[1].waits[0].cycles, 3);
}

// A block is walked by itself, and its waits may be for instructions of one before it.
TEST(IssueListener, CyclesGoOnFromBlockToBlock) {
  const std::vector<Issue> issues =
      IssuesOf({Make(Opcode::kSMovB32, Sgpr(0), Sgpr(1)), GlobalLoad(0, 4),
                WithImmediate(Opcode::kSCbranchScc0, 1), Add(1, 2, 3), WaitFor(0, 7, 63), End()});
  for (size_t i = 1; i < issues.size(); ++i) EXPECT_EQ(issues[i].turn, issues[i - 1].next);
  ASSERT_EQ(issues[4].waits.size(), 1u);
  EXPECT_EQ(issues[4].waits[0].producer, 1);
  EXPECT_EQ(issues[4].ready, 1 + 1 + 320 + 1);  // as if the branch had been taken, a cycle later
  EXPECT_EQ(issues[3].weight, kWeightOfOne / 2);
}

// The issues add up to the estimate: to its cycles, and to those of each kind of wait.
TEST(IssueListener, AddsUpToTheEstimate) {
  const std::vector<Instruction> program = {
      Make(Opcode::kVReadlaneB32, Sgpr(0), Vgpr(0), isa::Source(129)),
      Make(Opcode::kSAddU32, Sgpr(1), Sgpr(0), Sgpr(2)),
      Make(Opcode::kVRcpF32, Vgpr(0), Vgpr(4)),
      Make(Opcode::kVRcpF32, Vgpr(1), Vgpr(0)),
      GlobalLoad(2, 4),
      WaitFor(0, 7, 63),
      WithImmediate(Opcode::kSCbranchScc0, static_cast<uint16_t>(-5)),
      Add(3, 2, 1),
      GlobalStore(3, 4),
      End()};
  for (const isa::Wave wave : {isa::Wave::k32, isa::Wave::k64}) {
    const Estimate e = Of(program, wave);
    int64_t cycles = 0;
    std::array<int64_t, kStalls> stalls{};
    std::array<int64_t, kUnits> queues{};
    for (const Issue& issue : IssuesOf(program, wave)) {
      cycles += (issue.next - issue.turn) * issue.weight;
      for (const IssueWait& wait : issue.waits) {
        const auto kind = static_cast<size_t>(wait.kind);
        const bool unit = wait.what == IssueWait::For::kUnit;
        (unit ? queues[kind] : stalls[kind]) += wait.cycles * issue.weight;
      }
    }
    EXPECT_EQ(cycles / kWeightOfOne, e.cycles);
    for (size_t i = 0; i < kStalls; ++i) EXPECT_EQ(stalls[i] / kWeightOfOne, e.stalls[i]) << i;
    for (size_t i = 0; i < kUnits; ++i) EXPECT_EQ(queues[i] / kWeightOfOne, e.queues[i]) << i;
  }
}

TEST(InverseThroughput, IsTheBusiestUnitOnceLatenciesAreHidden) {
  Estimate e;
  e.cycles = 1000;
  e.busy[static_cast<size_t>(Unit::kVector)] = 100;
  e.bottleneck = Unit::kVector;
  EXPECT_EQ(InverseThroughput(e, isa::Wave::k64, 4), 250);
  EXPECT_EQ(InverseThroughput(e, isa::Wave::k64, 16), 100);
  EXPECT_EQ(InverseThroughput(e, isa::Wave::k32, 16), 200);
}

TEST(Name, EachIsItsOwn) {
  EXPECT_EQ(Name(Stall::kLaneReads), "lane_reads");
  EXPECT_EQ(Name(Unit::kComplex), "complex");
}

}  // namespace
}  // namespace kiln::amd
