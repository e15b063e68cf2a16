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

}  // namespace
}  // namespace kiln::sim::rdna2
