// Tests the orders of one width: what they keep, and how many registers they leave.
#include "core/intel/pipeline/schedule.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/pipeline/testing.h"
#include "core/lir/liveness.h"
#include "core/lir/order.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::Crowded;
using testing::Doubled;
using testing::RunUntil;
using testing::Shader;

// Returns the registers that are live at once at most.
uint32_t Live(const lir::Function& f) {
  const lir::Machine& t = MachineOf(Tgl());
  return lir::MaxPressure(t, f, lir::Liveness(t, f))[kPoolGrf].physical / 8;
}

std::vector<lir::InstId> Sorted(std::vector<lir::InstId> order) {
  std::sort(order.begin(), order.end(),
            [](lir::InstId a, lir::InstId b) { return a.index < b.index; });
  return order;
}

Work BeforeSchedule(const Shader& shader, int width) {
  Work work = shader.At(width);
  EXPECT_EQ(RunUntil("prefer_exits", work), absl::OkStatus());
  return work;
}

TEST(Schedule, OrdersAreExchangedBlockByBlock) {
  const Shader shader(Doubled());
  Work work = BeforeSchedule(shader, 16);
  const std::vector<lir::InstId> original = lir::OrderOf(work.lir);
  ASSERT_GT(original.size(), 3u);
  std::vector<lir::InstId> order = original;
  std::swap(order[0], order[1]);
  const std::vector<lir::InstId> swapped = order;
  lir::SwapOrder(work.lir, order);
  EXPECT_EQ(order, original);
  EXPECT_EQ(lir::OrderOf(work.lir), swapped);
  lir::SwapOrder(work.lir, order);
  EXPECT_EQ(order, swapped);
  EXPECT_EQ(lir::OrderOf(work.lir), original);
}

TEST(Schedule, KeepsTheOrderBefore) {
  const Shader shader(Crowded(8));
  Work work = BeforeSchedule(shader, 16);
  const std::vector<lir::InstId> original = lir::OrderOf(work.lir);
  PassContext context = PassContext::ForTest();
  const absl::StatusOr<bool> changed = Schedule(work, context);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(context.rewrites(), 1);
  EXPECT_EQ(work.unscheduled, original);
  EXPECT_NE(lir::OrderOf(work.lir), original);
  EXPECT_EQ(Sorted(lir::OrderOf(work.lir)), Sorted(original));
  EXPECT_EQ(lir::Verify(MachineOf(Tgl()), work.lir), absl::OkStatus());
  EXPECT_TRUE(work.schedule_fits);
}

// At least three of four loads, which take long, are sent before the first use of one.
TEST(Schedule, HidesTheLatencyOfLoads) {
  const Shader shader(Crowded(4));
  Work work = BeforeSchedule(shader, 16);
  const auto loads_before_use = [&] {
    int loads = 0;
    for (const lir::InstId id : lir::OrderOf(work.lir)) {
      if (work.lir.inst(id).op == kMsgRead) ++loads;
      if (work.lir.inst(id).op == Op(isa::Opcode::kMul)) break;
      for (const lir::Operand& o : work.lir.uses(id)) {
        if (o.type == static_cast<uint8_t>(isa::Type::kF) && IsValue(o)) return loads;
      }
    }
    return loads;
  };
  EXPECT_EQ(loads_before_use(), 1);
  PassContext context = PassContext::ForTest();
  ASSERT_TRUE(Schedule(work, context).ok());
  EXPECT_GE(loads_before_use(), 3);
}

TEST(Schedule, WithoutARewriteNothingChanges) {
  const Shader shader(Crowded(8));
  Work work = BeforeSchedule(shader, 16);
  const std::vector<lir::InstId> original = lir::OrderOf(work.lir);
  PassContext none = PassContext::ForTest(0);
  const absl::StatusOr<bool> changed = Schedule(work, none);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_FALSE(*changed);
  EXPECT_EQ(lir::OrderOf(work.lir), original);
  EXPECT_TRUE(work.unscheduled.empty());
  EXPECT_FALSE(work.schedule_fits);
}

// The reason for a second try: more programs fit.
TEST(Schedule, TheCarefulOrderLeavesMoreRegisters) {
  const Shader shader(Crowded(40));
  Work work = BeforeSchedule(shader, 16);
  PassContext context = PassContext::ForTest();
  ASSERT_TRUE(Schedule(work, context).ok());
  ASSERT_TRUE(work.schedule_fits);
  const uint32_t scheduled = Live(work.lir);
  lir::SwapOrder(work.lir, work.unscheduled);
  ScheduleCarefully(work, context);
  EXPECT_EQ(lir::Verify(MachineOf(Tgl()), work.lir), absl::OkStatus());
  EXPECT_LE(scheduled, 128u - 8);
  EXPECT_LE(Live(work.lir), scheduled);
  EXPECT_LE(Live(work.lir), 128u - 16);
}

TEST(Schedule, SaysWhereNoOrderFits) {
  const Shader shader(Crowded(80));
  Work work = BeforeSchedule(shader, 16);
  testing::Remarks remarks;
  ASSERT_EQ(testing::RunOnly("schedule", work, &remarks), absl::OkStatus());
  EXPECT_FALSE(work.schedule_fits);
  ASSERT_EQ(remarks.Count("schedule_chosen"), 1);
  EXPECT_NE(remarks.all[0].text.find("1 blocks exceed the registers in any order"),
            std::string::npos)
      << remarks.all[0].text;
  EXPECT_EQ(remarks.all[0].width, 16);
}

// Registers are fixed: the order changes only where no register is written too early.
TEST(Schedule, AfterAllocationTheOrderIsStillAnAllocation) {
  const Shader shader(Crowded(12));
  Work work = shader.At(16);
  ASSERT_EQ(RunUntil("allocate_registers", work), absl::OkStatus());
  PassContext none = PassContext::ForTest(0);
  const std::vector<lir::InstId> allocated = lir::OrderOf(work.lir);
  EXPECT_FALSE(*ScheduleAllocated(work, none));
  EXPECT_EQ(lir::OrderOf(work.lir), allocated);
  PassContext context = PassContext::ForTest();
  const absl::StatusOr<bool> changed = ScheduleAllocated(work, context);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_EQ(*changed, lir::OrderOf(work.lir) != allocated);
  EXPECT_EQ(Sorted(lir::OrderOf(work.lir)), Sorted(allocated));
  EXPECT_EQ(lir::VerifyAllocated(MachineOf(Tgl()), work.lir), absl::OkStatus());
}

}  // namespace
}  // namespace kiln::intel
