// Tests contract_rules.h.
#include "core/sim/rdna2/contract_rules.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(ContractRulesTest, EveryRowHasASourceAndItsCounter) {
  for (const WaitRule& rule : WaitRules()) {
    EXPECT_FALSE(rule.source.empty());
    if (rule.wait == Counter::kNone) continue;
    EXPECT_EQ(rule.wait, CounterOf(rule.producer));
  }
}

TEST(ContractRulesTest, RowsOfSameLoadsComeBeforeOthers) {
  EXPECT_EQ(RequiredWait(Producer::kVectorLoad, true, Hazard::kWriteAfterWrite), Counter::kNone);
  EXPECT_EQ(RequiredWait(Producer::kVectorLoad, false, Hazard::kWriteAfterWrite), Counter::kVm);
  EXPECT_EQ(RequiredWait(Producer::kVectorLoad, true, Hazard::kReadAfterWrite), Counter::kVm);
  EXPECT_EQ(RequiredWait(Producer::kScalarLoad, true, Hazard::kWriteAfterWrite), Counter::kLgkm);
  EXPECT_EQ(RequiredWait(Producer::kVectorLoad, false, Hazard::kWriteAfterRead), Counter::kNone);
  EXPECT_EQ(RequiredWait(Producer::kExport, false, Hazard::kWriteAfterRead), Counter::kExp);
}

Op Waitcnt(uint16_t simm) {
  Op op;
  op.inst.op = isa::Opcode::kSWaitcnt;
  op.inst.simm = simm;
  return op;
}

TEST(ContractRulesTest, FieldsOfWaits) {
  // Both from llvm-mc 19: vmcnt(0); vmcnt(63) expcnt(1) lgkmcnt(2).
  EXPECT_EQ(WaitsOf(Waitcnt(0x3f70)).vm, 0);
  EXPECT_EQ(WaitsOf(Waitcnt(0x3f70)).lgkm, kNoWait);
  EXPECT_EQ(WaitsOf(Waitcnt(0x3f70)).exp, kNoWait);
  EXPECT_EQ(WaitsOf(Waitcnt(0xc21f)).vm, kNoWait);
  EXPECT_EQ(WaitsOf(Waitcnt(0xc21f)).exp, 1);
  EXPECT_EQ(WaitsOf(Waitcnt(0xc21f)).lgkm, 2);
  EXPECT_EQ(WaitsOf(Waitcnt(0x7f75)).vm, 21);
}

Op Of(isa::Opcode opcode) {
  Op op;
  op.inst.op = opcode;
  op.info = &isa::Info(opcode);
  op.inst.dst = isa::Vgpr(0);
  return op;
}

TEST(ContractRulesTest, SequencesOfMemory) {
  Op sample = Of(isa::Opcode::kImageSample);
  sample.inst.src[2] = isa::Sgpr(0);
  const Op load = Of(isa::Opcode::kBufferLoadDword), ray = Of(isa::Opcode::kImageBvhIntersectRay);
  const Op flat = Of(isa::Opcode::kFlatLoadDword);
  for (const Op& op : {sample, load, ray, flat}) EXPECT_EQ(SequenceOf(op, true), Sequence::kLoads);
  EXPECT_EQ(SequenceOf(sample, false), Sequence::kTextures);
  EXPECT_EQ(SequenceOf(load, false), Sequence::kLoads);
  EXPECT_EQ(SequenceOf(ray, false), Sequence::kRays);
  for (bool ordered : {true, false}) {
    EXPECT_EQ(SequenceOf(Of(isa::Opcode::kBufferStoreDword), ordered), Sequence::kStores);
    EXPECT_EQ(SequenceOf(Of(isa::Opcode::kDsReadB32), ordered), Sequence::kLds);
    EXPECT_EQ(SequenceOf(flat, ordered), Sequence::kLoads);
    EXPECT_EQ(SequenceOf(Of(isa::Opcode::kFlatStoreDword), ordered), Sequence::kStores);
    EXPECT_EQ(SequenceOf(Of(isa::Opcode::kSLoadDword), ordered), Sequence::kNone);
  }
}

TEST(ContractRulesTest, SequencesOfExports) {
  const auto of = [](int target) {
    Op op = Of(isa::Opcode::kExp);
    op.inst.target = static_cast<uint8_t>(target);
    return SequenceOf(op, true);
  };
  for (int target : {0, 7, 8, 9}) EXPECT_EQ(of(target), Sequence::kColors) << target;
  for (int target : {12, 16}) EXPECT_EQ(of(target), Sequence::kPositions) << target;
  for (int target : {20, 32, 63}) EXPECT_EQ(of(target), Sequence::kParameters) << target;
}

}  // namespace
}  // namespace kiln::sim::rdna2
