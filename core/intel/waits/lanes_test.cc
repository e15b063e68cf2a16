#include "core/intel/waits/lanes.h"

#include "core/intel/waits/audit.h"
#include "core/intel/waits/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel::waits {
namespace {

using testing::Alu;
using testing::Branch;
using testing::EndOfThread;
using testing::Instruction;
using testing::Opcode;
using testing::Program;

// Returns the instruction with a wait for in-order producers `distance` instructions back and
// further.
Instruction Waiting(Instruction inst, int distance) {
  inst.swsb = static_cast<uint8_t>(distance);
  return inst;
}

Instruction Unpredicated(Opcode op) {
  Instruction inst = Branch(op);
  inst.pred = isa::PredCtrl::kNone;
  return inst;
}

std::vector<MissingWait> Certain(const Program& program, Fusion fusion = Fusion::kOff) {
  const auto missing = FindCertainMissingWaits(program, fusion);
  EXPECT_TRUE(missing.ok()) << missing.status();
  return *missing;
}

size_t Conservative(const Program& program) {
  return FindMissingWaits(program, Skipping::kNever)->size();
}

TEST(Lanes, OneOfTwoSidesIsTaken) {
  Program p(testing::kGen);
  p.Append(Alu(10, 1, 2));
  p.Append(Branch(Opcode::kIf), {4, 5});
  p.Append(Waiting(Alu(20, 10, 1), 2));
  p.Append(Unpredicated(Opcode::kElse), {5, 5});
  p.Append(Waiting(Alu(20, 10, 2), 2));
  p.Append(Unpredicated(Opcode::kEndif), {6, isa::kNoTarget});
  p.Append(Alu(30, 10, 1));
  p.Append(Waiting(EndOfThread(112), 1));
  // By the jumps alone, a path leads from the if to its endif.
  EXPECT_GT(Conservative(p), 0u);
  EXPECT_TRUE(Certain(p).empty());
  // A side without the wait is found.
  p.insts[4].swsb = 0;
  const std::vector<MissingWait> missing = Certain(p);
  ASSERT_FALSE(missing.empty());
  EXPECT_EQ(missing[0].producer, 0);
  EXPECT_EQ(missing[0].consumer, 4);
}

TEST(Lanes, ALoopWithoutConditionIsLeftByItsBreaks) {
  Program p(testing::kGen);
  p.Append(Alu(10, 1, 2));                                      // 0
  p.Append(Branch(Opcode::kBreak), {3, 3});                     // 1: to 4
  p.Append(Waiting(Alu(20, 3, 4), 1));                          // 2
  p.Append(Unpredicated(Opcode::kWhile), {0, isa::kNoTarget});  // 3
  p.Append(Waiting(Alu(30, 20, 1), 5));  // 4: waits for the iteration before: 3, 0, 1, 3, 4
  p.Append(Waiting(EndOfThread(112), 1));
  EXPECT_GT(Conservative(p), 0u);  // 2, 3, 4
  EXPECT_TRUE(Certain(p).empty());
  p.insts[4].swsb = 6;
  ASSERT_EQ(Certain(p).size(), 1u);
  EXPECT_EQ(Certain(p)[0].producer, 2);
}

TEST(Lanes, AnEndifGoesOnWhereLanesAreOn) {
  Program p(testing::kGen);
  p.Append(Branch(Opcode::kIf), {2, 2});                        // 0
  p.Append(Alu(10, 1, 2));                                      // 1
  p.Append(Unpredicated(Opcode::kEndif), {4, isa::kNoTarget});  // 2
  p.Append(Waiting(Alu(20, 3, 4), 1));                          // 3
  p.Append(Branch(Opcode::kWhile), {0, isa::kNoTarget});        // 4
  p.Append(Alu(30, 10, 1));                                     // 5
  p.Append(Waiting(EndOfThread(112), 1));
  EXPECT_GT(Conservative(p), 0u);
  EXPECT_TRUE(Certain(p).empty());
}

// A block with all channels off writes a NoMask result, and the masked instruction that waits for
// it is not performed.
TEST(Lanes, BlocksThatOnlyTheNeighbourNeeds) {
  Program p(testing::kGen);
  p.Append(Alu(10, 1, 2, /*no_mask=*/true));
  p.Append(Branch(Opcode::kIf), {3, 3});
  p.Append(Waiting(Alu(20, 10, 1), 1));
  p.Append(Unpredicated(Opcode::kEndif), {4, isa::kNoTarget});
  p.Append(EndOfThread(112));
  EXPECT_TRUE(Certain(p).empty());
  Program q(testing::kGen);
  q.Append(Branch(Opcode::kIf), {3, 3});
  q.Append(Alu(10, 1, 2, /*no_mask=*/true));
  q.Append(Waiting(Alu(20, 10, 1), 1));  // masked: not performed when all are off
  q.Append(Unpredicated(Opcode::kEndif), {4, isa::kNoTarget});
  q.Append(Alu(30, 10, 1, /*no_mask=*/true));
  q.Append(Waiting(EndOfThread(112), 1));
  EXPECT_TRUE(Certain(q).empty());
  ASSERT_EQ(Certain(q, Fusion::kOn).size(), 1u);
  EXPECT_EQ(Certain(q, Fusion::kOn)[0].consumer, 4);
}

TEST(Lanes, PlacesKnowTheEnd) {
  Program p(testing::kGen);
  p.Append(Branch(Opcode::kIf), {2, 2});
  p.Append(EndOfThread(112));
  p.Append(Unpredicated(Opcode::kEndif), {3, isa::kNoTarget});
  const auto places = PlacesOf(p, Fusion::kOff);
  ASSERT_TRUE(places.ok());
  bool past_end = false;
  for (const Place& place : *places) past_end |= place.past_end;
  EXPECT_TRUE(past_end);
  EXPECT_TRUE(PlacesOf(Program(testing::kGen), Fusion::kOff)->empty());
}

}  // namespace
}  // namespace kiln::intel::waits
