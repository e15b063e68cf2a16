// Tests loops whose trip count follows from the code, and code that hides it.
#include "core/intel/perf/trip_counts.h"

#include <functional>

#include "core/intel/isa/instruction.h"
#include "core/intel/isa/program.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using isa::CondMod;
using isa::Instruction;
using isa::Opcode;
using isa::Operand;
using isa::Program;
using isa::Type;

// r10.4, one element for all lanes.
Operand Scalar(int subnr = 4, int nr = 10) {
  Operand o;
  o.file = isa::File::kGrf;
  o.type = Type::kD;
  o.nr = static_cast<uint8_t>(nr);
  o.subnr = static_cast<uint8_t>(subnr);
  o.region = {0, 1, 0};
  return o;
}

Operand Imm(int32_t value) {
  Operand o;
  o.file = isa::File::kImm;
  o.type = Type::kD;
  o.imm = static_cast<uint32_t>(value);
  return o;
}

Instruction Op(Opcode op, int lanes, Operand a = {}, Operand b = {}) {
  Instruction inst;
  inst.op = op;
  inst.exec_size = static_cast<uint8_t>(lanes);
  inst.src[0] = a;
  inst.src[1] = b;
  return inst;
}

// Returns an instruction that writes one element for all lanes.
Instruction To(Operand dst, Instruction inst) {
  inst.no_mask = true;
  inst.dst = dst;
  inst.dst.region = {0, 1, 1};
  return inst;
}

Instruction Compare(CondMod cmod, Operand a, int32_t bound) {
  Instruction inst = Op(Opcode::kCmp, 8, a, Imm(bound));
  inst.dst.file = isa::File::kArf;
  inst.dst.region = {0, 1, 1};
  inst.cmod = cmod;
  return inst;
}

Instruction Branch(Opcode op, bool predicated, bool inverse = false) {
  Instruction inst = Op(op, 8);
  if (predicated) inst.pred = isa::PredCtrl::kNormal;
  inst.pred_inverse = inverse;
  return inst;
}

// for (i = from; i < bound; i += by), tested at the top, as both compilers write it.
enum Position { kMove, kCompare, kBreak, kWork, kStep, kWhile };
std::vector<Instruction> TopTested(int32_t from, int32_t bound, int32_t by) {
  return {To(Scalar(), Op(Opcode::kMov, 1, Imm(from))),
          Compare(CondMod::kL, Scalar(), bound),
          Branch(Opcode::kBreak, true, /*inverse=*/true),
          To(Scalar(0, 20), Op(Opcode::kAdd, 1, Scalar(0, 20), Scalar())),
          To(Scalar(), Op(Opcode::kAdd, 1, Scalar(), Imm(by))),
          Branch(Opcode::kWhile, false)};
}

// Counts the trips of loops; each while goes back to `head`.
std::vector<LoopTrips> Trips(const std::vector<Instruction>& insts, int32_t head = 1) {
  Program p(isa::Generation::kGen12);
  for (const Instruction& inst : insts) {
    p.Append(inst, inst.op == Opcode::kWhile ? isa::BranchTargets{head, isa::kNoTarget}
                                             : isa::BranchTargets{});
  }
  return CountTrips(p, isa::FootprintsOf(p));
}

TEST(TripCounts, ALoopTestedAtItsTop) {
  const std::vector<LoopTrips> loops = Trips(TopTested(0, 7, 1));
  ASSERT_EQ(loops.size(), 1u);
  ASSERT_TRUE(loops[0].known);
  EXPECT_EQ(loops[0].RunsOf(kCompare), 8);
  EXPECT_EQ(loops[0].RunsOf(kBreak), 8);
  EXPECT_EQ(loops[0].RunsOf(kWork), 7);
  EXPECT_EQ(loops[0].RunsOf(kWhile), 7);
  EXPECT_EQ(Trips(TopTested(3, 20, 5))[0].finished, 4);
  EXPECT_EQ(Trips(TopTested(7, 7, 1))[0].finished, 0);
}

// The break is in an if, as before small ifs become predicates: the count is the same.
TEST(TripCounts, ABreakInAnIf) {
  const auto in_if = [](bool inverse, Opcode side) {
    std::vector<Instruction> insts = TopTested(0, 7, 1);
    insts[kBreak] = Branch(Opcode::kBreak, false);
    insts.insert(insts.begin() + kBreak + 1, Branch(Opcode::kEndif, false));
    insts.insert(insts.begin() + kBreak, To(Scalar(8, 20), Op(Opcode::kMov, 1, Scalar(4, 20))));
    if (side == Opcode::kElse) insts.insert(insts.begin() + kBreak, Branch(side, false));
    insts.insert(insts.begin() + kBreak, Branch(Opcode::kIf, true, inverse));
    return Trips(insts)[0];
  };
  const LoopTrips loop = in_if(true, Opcode::kIf);
  ASSERT_TRUE(loop.known);
  EXPECT_EQ(loop.RunsOf(kCompare), 8);
  EXPECT_EQ(loop.RunsOf(kBreak + 2), 8);  // the break
  EXPECT_EQ(loop.RunsOf(kBreak + 3), 7);
  EXPECT_EQ(in_if(false, Opcode::kIf).finished, 0);
  EXPECT_FALSE(in_if(true, Opcode::kElse).known);
}

TEST(TripCounts, ALoopTestedAtItsEnd) {
  std::vector<Instruction> insts = TopTested(0, 7, 1);
  const Instruction compare = insts[kCompare];
  insts.erase(insts.begin() + kCompare, insts.begin() + kBreak + 1);
  insts.insert(insts.end() - 1, compare);
  insts.back().pred = isa::PredCtrl::kNormal;
  const std::vector<LoopTrips> loops = Trips(insts);
  ASSERT_TRUE(loops[0].known);
  EXPECT_EQ(loops[0].RunsOf(1), 7);  // the step is in front of the test
  insts.back().pred_inverse = true;  // continues until it holds
  EXPECT_EQ(Trips(insts)[0].RunsOf(1), 1);
}

TEST(TripCounts, AllConditionsSignedAndNot) {
  const auto finished = [](CondMod cmod, Type type, int32_t from, int32_t bound, int32_t by) {
    std::vector<Instruction> insts = TopTested(from, bound, by);
    insts[kCompare].cmod = cmod;
    insts[kCompare].src[0].type = type;
    const LoopTrips loop = Trips(insts)[0];
    return loop.known ? loop.finished : -1;
  };
  EXPECT_EQ(finished(CondMod::kLe, Type::kD, -1, 3, 1), 5);
  EXPECT_EQ(finished(CondMod::kLe, Type::kUD, -1, 3, 1), 0);
  EXPECT_EQ(finished(CondMod::kG, Type::kD, 8, 0, -2), 4);
  EXPECT_EQ(finished(CondMod::kGe, Type::kD, 8, 0, -2), 5);
  EXPECT_EQ(finished(CondMod::kNz, Type::kD, 0, 6, 2), 3);
  EXPECT_EQ(finished(CondMod::kZ, Type::kD, 0, 0, 1), 1);
  EXPECT_EQ(finished(CondMod::kNz, Type::kD, 0, 7, 2), -1);  // never
}

// A counter that has a copy in each lane.
TEST(TripCounts, ACounterPerLane) {
  std::vector<Instruction> insts = TopTested(0, 7, 1);
  Operand lanes = Scalar(0);
  lanes.region = {8, 8, 1};
  for (Instruction* inst : {&insts[kMove], &insts[kStep]}) {
    inst->exec_size = 8;
    inst->no_mask = false;
    inst->dst.subnr = 0;
  }
  insts[kCompare].src[0] = insts[kStep].src[0] = lanes;
  EXPECT_EQ(Trips(insts)[0].finished, 7);
  insts[kMove].exec_size = 4;  // covers half of the lanes
  EXPECT_FALSE(Trips(insts)[0].known);
}

TEST(TripCounts, WhatHidesTheNumber) {
  const auto known = [](const std::function<void(std::vector<Instruction>*)>& change) {
    std::vector<Instruction> insts = TopTested(0, 7, 1);
    change(&insts);
    return Trips(insts)[0].known;
  };
  using Insts = std::vector<Instruction>;
  const Instruction other = To(Scalar(8), Op(Opcode::kAdd, 1, Scalar(8), Imm(1)));
  EXPECT_TRUE(known([](Insts*) {}));
  EXPECT_TRUE(known([&](Insts* i) { i->insert(i->begin() + kWork, other); }));  // its neighbour
  EXPECT_FALSE(known([](Insts* i) { (*i)[kMove].src[0] = Scalar(12); }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kStep].src[1] = Scalar(12); }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kCompare].src[1] = Scalar(12); }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kStep].op = Opcode::kMul; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kStep].src[0] = Scalar(12); }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kStep].no_mask = false; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kStep].pred = isa::PredCtrl::kNormal; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kBreak].pred = isa::PredCtrl::kNone; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kBreak].flag_nr = 1; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kCompare].pred = isa::PredCtrl::kNormal; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kCompare].src[0].negate = true; }));
  EXPECT_FALSE(known([](Insts* i) { (*i)[kWhile].pred = isa::PredCtrl::kNormal; }));
  // Two steps; two ways out; lanes that end, or that skip the step.
  EXPECT_FALSE(known([](Insts* i) { i->insert(i->begin() + kWork, (*i)[kStep]); }));
  for (const Opcode op : {Opcode::kBreak, Opcode::kHalt, Opcode::kCont, Opcode::kJmpi}) {
    EXPECT_FALSE(known([&](Insts* i) { i->insert(i->begin() + kWork, Branch(op, true)); }));
  }
}

// Code in an if need not be executed in every iteration, or before the loop.
TEST(TripCounts, OnlyWhatEveryIterationPasses) {
  for (const Position position : {kStep, kCompare}) {
    std::vector<Instruction> insts = TopTested(0, 7, 1);
    insts.insert(insts.begin() + position + 1, Branch(Opcode::kEndif, false));
    insts.insert(insts.begin() + position, Branch(Opcode::kIf, true));
    EXPECT_FALSE(Trips(insts)[0].known) << position;
  }
  std::vector<Instruction> insts = TopTested(0, 7, 1);
  insts.insert(insts.begin() + 1, Branch(Opcode::kEndif, false));
  insts.insert(insts.begin(), Branch(Opcode::kIf, true));
  EXPECT_FALSE(Trips(insts, 3)[0].known);
  // The loop is in the same side of the if: known.
  insts = TopTested(0, 7, 1);
  insts.insert(insts.begin(), Branch(Opcode::kIf, true));
  insts.push_back(Branch(Opcode::kEndif, false));
  EXPECT_TRUE(Trips(insts, 2)[0].known);
  // The loop is in the other side: not known.
  insts.insert(insts.begin() + 2, Branch(Opcode::kElse, false));
  EXPECT_FALSE(Trips(insts, 3)[0].known);
}

// The inner counter restarts in each iteration of the outer loop, or it does not.
TEST(TripCounts, NestedLoops) {
  for (const bool inside : {true, false}) {
    Program p(isa::Generation::kGen12);
    const std::vector<Instruction> inner = TopTested(0, 7, 1);
    std::vector<Instruction> outer = TopTested(0, 5, 1);
    for (Position position : {kMove, kStep}) outer[position].dst.nr = 30;
    for (Position position : {kCompare, kStep}) outer[position].src[0].nr = 30;
    if (!inside) p.Append(inner[kMove]);
    p.Append(outer[kMove]);
    const int32_t outer_head = p.Append(outer[kCompare]);
    p.Append(outer[kBreak]);
    if (inside) p.Append(inner[kMove]);
    const int32_t head = p.Append(inner[kCompare]);
    for (Position position : {kBreak, kWork, kStep}) p.Append(inner[position]);
    p.Append(inner[kWhile], {head, isa::kNoTarget});
    p.Append(outer[kStep]);
    p.Append(outer[kWhile], {outer_head, isa::kNoTarget});
    const std::vector<LoopTrips> loops = CountTrips(p, isa::FootprintsOf(p));
    ASSERT_EQ(loops.size(), 2u);
    EXPECT_EQ(loops[0].known, inside);
    EXPECT_TRUE(loops[1].known);
    EXPECT_EQ(loops[1].finished, 5);
    if (inside) {
      EXPECT_EQ(loops[0].finished, 7);
    }
  }
}

// Each loop is walked by itself: loops nested deeper than in any program are not counted.
TEST(TripCounts, LoopsNestedTooDeeply) {
  const auto innermost_is_known = [](int around) {
    Program p(isa::Generation::kGen12);
    for (const Instruction& inst : TopTested(0, 7, 1)) {
      p.Append(inst, inst.op == Opcode::kWhile ? isa::BranchTargets{1, isa::kNoTarget}
                                               : isa::BranchTargets{});
    }
    for (int n = 0; n < around; ++n) {
      p.Append(Branch(Opcode::kWhile, true), isa::BranchTargets{0, isa::kNoTarget});
    }
    const std::vector<LoopTrips> loops = CountTrips(p, isa::FootprintsOf(p));
    EXPECT_EQ(loops.size(), static_cast<size_t>(around) + 1);
    return loops[0].known;
  };
  EXPECT_TRUE(innermost_is_known(63));
  EXPECT_FALSE(innermost_is_known(64));
}

// Code of any compiler may be unstructured: its loops are not known, and do no harm.
TEST(TripCounts, UnstructuredCode) {
  std::vector<Instruction> insts = TopTested(0, 7, 1);
  EXPECT_TRUE(Trips(insts)[0].known);
  insts.push_back(Branch(Opcode::kEndif, false));
  EXPECT_FALSE(Trips(insts)[0].known);
  insts = TopTested(0, 7, 1);
  insts.push_back(Branch(Opcode::kIf, true));
  EXPECT_FALSE(Trips(insts)[0].known);
}

// The forms that compaction gives the immediates: a copy of singles, and words.
TEST(TripCounts, CompactedForms) {
  const auto with = [](int32_t bound, Type start, Type rest, Type compared) {
    std::vector<Instruction> insts = TopTested(-2, bound, 3);
    insts[kMove].src[0].type = insts[kMove].dst.type = start;
    for (Instruction* inst : {&insts[kCompare], &insts[kStep]}) {
      inst->src[1].type = rest;
      if (rest == Type::kW) inst->src[1].imm &= 0xffff;
    }
    insts[kCompare].src[0].type = compared;
    return Trips(insts)[0];
  };
  EXPECT_EQ(with(7, Type::kD, Type::kD, Type::kD).finished, 3);
  EXPECT_EQ(with(7, Type::kF, Type::kD, Type::kD).finished, 3);
  EXPECT_EQ(with(7, Type::kF, Type::kW, Type::kD).finished, 3);
  EXPECT_EQ(with(-1, Type::kF, Type::kW, Type::kD).finished, 1);
  EXPECT_TRUE(with(7, Type::kF, Type::kUW, Type::kD).known);
  EXPECT_FALSE(with(7, Type::kF, Type::kW, Type::kUD).known) << "signed beside unsigned";
  std::vector<Instruction> insts = TopTested(0, 7, 1);
  insts[kMove].dst.type = Type::kF;
  EXPECT_FALSE(Trips(insts)[0].known) << "a conversion";
}

}  // namespace
}  // namespace kiln::intel
