#include "core/amd/perf/timing.h"

#include "core/amd/perf/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using isa::Sgpr;
using isa::Vgpr;
using testing::Make;

int Busy(const isa::Instruction& inst, Unit unit) {
  return TimingOf(inst).busy[static_cast<size_t>(unit)];
}
int Counted(const isa::Instruction& inst, Counter counter) {
  return TimingOf(inst).counted[static_cast<size_t>(counter)];
}

TEST(TimingOf, Arithmetic) {
  const auto add = Make(Opcode::kVAddF32, Vgpr(0), Vgpr(0), Vgpr(1));
  EXPECT_EQ(TimingOf(add).result, 5);
  EXPECT_EQ(Busy(add, Unit::kVector), 1);
  EXPECT_EQ(Busy(add, Unit::kComplex), 0);
  const auto rcp = Make(Opcode::kVRcpF32, Vgpr(0), Vgpr(0));
  EXPECT_EQ(TimingOf(rcp).result, 10);
  EXPECT_EQ(Busy(rcp, Unit::kVector), 1);
  EXPECT_EQ(Busy(rcp, Unit::kComplex), 4);
  const auto mul = Make(Opcode::kVMulLoU32, Vgpr(0), Vgpr(0), Vgpr(1));
  EXPECT_EQ(TimingOf(mul).result, 8);
  EXPECT_EQ(Busy(mul, Unit::kVector), 4);
  EXPECT_EQ(TimingOf(Make(Opcode::kVAddF64, Vgpr(0), Vgpr(0), Vgpr(2))).result, 22);
  EXPECT_EQ(TimingOf(Make(Opcode::kSAddU32, Sgpr(0), Sgpr(0), Sgpr(1))).result, 2);
  EXPECT_EQ(Busy(testing::WithImmediate(Opcode::kSBranch, 0), Unit::kBranch), 3);
}

TEST(TimingOf, MemoryRaisesItsCounter) {
  EXPECT_EQ(Counted(testing::GlobalLoad(0, 2), Counter::kVm), 320);
  EXPECT_EQ(Counted(testing::GlobalLoad(0, 2), Counter::kVs), 0);
  EXPECT_EQ(Counted(testing::GlobalStore(0, 2), Counter::kVs), 320);
  EXPECT_EQ(Counted(testing::GlobalStore(0, 2), Counter::kVm), 0);
  auto atomic = Make(Opcode::kGlobalAtomicAdd, {}, Vgpr(2), Vgpr(0));
  EXPECT_EQ(Counted(atomic, Counter::kVs), 320);
  atomic.glc = true;
  EXPECT_EQ(Counted(atomic, Counter::kVm), 320);
  EXPECT_EQ(Counted(Make(Opcode::kDsReadB32, Vgpr(0), Vgpr(1)), Counter::kLgkm), 20);
  const auto flat = Make(Opcode::kFlatLoadDword, Vgpr(0), Vgpr(2));
  EXPECT_EQ(Counted(flat, Counter::kVm), 320);
  EXPECT_EQ(Counted(flat, Counter::kLgkm), 20);
  EXPECT_EQ(Counted(testing::Export(0), Counter::kExp), 16);
}

TEST(TimingOf, ScalarLoadsHitIfTheirAddressIsLikelyShared) {
  EXPECT_EQ(Counted(Make(Opcode::kSLoadDwordx4, Sgpr(0), Sgpr(4), Sgpr(9)), Counter::kLgkm), 30);
  EXPECT_EQ(Counted(Make(Opcode::kSBufferLoadDword, Sgpr(0), Sgpr(4)), Counter::kLgkm), 30);
  EXPECT_EQ(Counted(Make(Opcode::kSBufferLoadDword, Sgpr(0), Sgpr(4), Sgpr(8)), Counter::kLgkm),
            200);
  EXPECT_EQ(Counted(Make(Opcode::kSMemtime, Sgpr(0)), Counter::kLgkm), 1);
  EXPECT_EQ(Counted(Make(Opcode::kSDcacheInv), Counter::kLgkm), 200);
}

std::array<int, kCounters> Waits(const isa::Instruction& inst) {
  return WaitsOf(inst, TimingOf(inst));
}

// vm, vs, lgkm, exp
using Counts = std::array<int, kCounters>;

TEST(WaitsOf, AreThoseOfTheFields) {
  EXPECT_EQ(Waits(testing::WaitFor(37, 5, 21)), Counts({37, -1, 21, 5}));
  EXPECT_EQ(Waits(testing::WithImmediate(Opcode::kSWaitcntVscnt, 3)), Counts({-1, 3, -1, -1}));
  EXPECT_EQ(Waits(testing::WithImmediate(Opcode::kSWaitcntVmcnt, 3)), Counts({3, -1, -1, -1}));
  EXPECT_EQ(Waits(testing::WithImmediate(Opcode::kSWaitcntLgkmcnt, 3)), Counts({-1, -1, 3, -1}));
  EXPECT_EQ(Waits(testing::WithImmediate(Opcode::kSWaitcntExpcnt, 3)), Counts({-1, -1, -1, 3}));
  EXPECT_EQ(Waits(testing::End()), Counts({0, 0, 0, 0}));
  EXPECT_EQ(Waits(testing::GlobalLoad(0, 2)), Counts({62, -1, -1, -1}));
  EXPECT_EQ(Waits(testing::Export(0)), Counts({-1, -1, -1, 6}));
}

}  // namespace
}  // namespace kiln::amd
