// Tests the attempts of one width's allocation in their order, and its refusals.
#include "core/intel/pipeline/allocate_registers.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cause.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/pipeline/schedule.h"
#include "core/intel/pipeline/testing.h"
#include "core/lir/order.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::Crowded;
using testing::Doubled;
using testing::Remarks;
using testing::RunUntil;
using testing::Shader;

absl::Status Allocated(Work& work, Sink* sink = nullptr) {
  return testing::RunOnly("allocate_registers", work, sink);
}

// Returns the number of registers from r0 to the last one that an operand lies in.
uint32_t Top(const lir::Function& f) {
  uint32_t top = 0;
  for (const lir::Block& b : f.blocks) {
    for (const lir::InstId id : b.insts) {
      for (const auto operands : {f.defs(id), f.uses(id)}) {
        for (const lir::Operand& o : operands) {
          if (!IsValue(o) || f.value(o.value()).file == kFileF) continue;
          const uint32_t units = MachineOf(Tgl()).units_per_comp(f, f.value(o.value())) * o.comps;
          top = std::max(top, (o.reg + units + 7) / 8);
        }
      }
    }
  }
  return top;
}

TEST(AllocateRegisters, WhatFitsHasNoScratchMemory) {
  const Shader shader(Doubled());
  Work work = shader.At(16);
  ASSERT_EQ(RunUntil("allocate_registers", work), absl::OkStatus());
  EXPECT_EQ(work.stage, Work::Stage::kAllocated);
  EXPECT_EQ(lir::VerifyAllocated(MachineOf(Tgl()), work.lir), absl::OkStatus());
  EXPECT_GE(Top(work.lir), 113u) << "the end of thread has its payload in the tail";
  EXPECT_EQ(work.spills + work.fills + work.spill_bytes + work.fill_bytes, 0);
  EXPECT_EQ(work.scratch_bytes, 0u);
  EXPECT_TRUE(work.unscheduled.empty());
}

TEST(AllocateRegisters, WhatDoesNotFitIsSpilled) {
  const Shader shader(Crowded(80));
  Work work = shader.At(16);
  Remarks remarks;
  ASSERT_EQ(RunUntil("allocate_registers", work, &remarks), absl::OkStatus());
  EXPECT_EQ(lir::VerifyAllocated(MachineOf(Tgl()), work.lir), absl::OkStatus());
  EXPECT_GT(work.spills, 0);
  EXPECT_GT(work.fills, 0);
  EXPECT_GE(work.spill_bytes, 32 * work.spills) << "a message has a register at least";
  EXPECT_GE(work.fill_bytes, 32 * work.fills);
  EXPECT_TRUE(std::has_single_bit(work.scratch_bytes)) << work.scratch_bytes;
  EXPECT_GE(work.scratch_bytes, 1024u);
  ASSERT_GT(remarks.Count("spill"), 0);
  const auto spill = std::find_if(remarks.all.begin(), remarks.all.end(),
                                  [](const Remark& r) { return r.kind == "spill"; });
  EXPECT_NE(spill->text.find(" registers live, its next use is "), std::string::npos)
      << spill->text;
}

TEST(AllocateRegisters, AWidthThatMayNotSpillIsRefused) {
  const Shader shader(Crowded(80));
  Work work = shader.At(16);
  work.may_spill = false;
  const absl::Status status = RunUntil("allocate_registers", work);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CauseOf(status), "width_loses");
  EXPECT_NE(
      status.message().find("spills, and a narrower width does not; it is compiled if requested"),
      std::string_view::npos)
      << status;
  const Shader small(Doubled());
  Work fits = small.At(16);
  fits.may_spill = false;
  EXPECT_EQ(RunUntil("allocate_registers", fits), absl::OkStatus());
}

// Puts all loads before the first sum, which takes a register for each. Returns the order before.
std::vector<lir::InstId> PutLoadsFirst(lir::Function& f) {
  std::vector<lir::InstId> before = lir::OrderOf(f);
  std::vector<lir::InstId>& insts = f.blocks[0].insts;
  const auto sums = [&](lir::InstId id) {
    return (f.inst(id).op == Op(isa::Opcode::kAdd) || f.inst(id).op == Op(isa::Opcode::kMul)) &&
           f.defs(id)[0].type == static_cast<uint8_t>(isa::Type::kF);
  };
  const auto last = std::find_if(insts.rbegin(), insts.rend(), sums).base();
  std::stable_partition(insts.begin(), last, [&](lir::InstId id) { return !sums(id); });
  return before;
}

// Sums 140 loaded floats. In their order each needs a register for a moment only; eight lanes of
// all of them take more than the 128 that there are.
std::string Sum() {
  std::string text = Crowded(140);
  const size_t products = text.find("fmul");
  const size_t begin = text.rfind('\n', products) + 1;
  const size_t sum = text.rfind("  %", begin - 2) + 2;
  const std::string name = text.substr(sum, text.find(':', sum) - sum);
  return text.substr(0, begin) + "  store_ssbo[0, align 4] %1, " + name + "\n  return\n}\n";
}

TEST(AllocateRegisters, FallsBackOnTheOrderBeforeScheduling) {
  const Shader shader(Sum());
  for (const bool fits : {false, true}) {
    SCOPED_TRACE(fits ? "by way of the careful order" : "at once");
    Work work = shader.At(8);
    ASSERT_EQ(RunUntil("prefer_exits", work), absl::OkStatus());
    work.unscheduled = PutLoadsFirst(work.lir);
    ASSERT_NE(lir::OrderOf(work.lir), work.unscheduled);
    ASSERT_EQ(lir::Verify(MachineOf(Tgl()), work.lir), absl::OkStatus());
    work.schedule_fits = fits;
    work.may_spill = false;
    Remarks remarks;
    ASSERT_EQ(Allocated(work, &remarks), absl::OkStatus());
    EXPECT_EQ(remarks.Count("schedule_undone"), 1);
    EXPECT_EQ(remarks.Count("spill"), 0);
    EXPECT_EQ(work.spills, 0);
    EXPECT_EQ(work.scratch_bytes, 0u);
  }
  // There is no other order.
  Work only = shader.At(8);
  ASSERT_EQ(RunUntil("prefer_exits", only), absl::OkStatus());
  PutLoadsFirst(only.lir);
  only.may_spill = false;
  EXPECT_EQ(CauseOf(Allocated(only)), "width_loses");
}

TEST(AllocateRegisters, SpillsAndArraysShareTheThreadsScratchMemory) {
  const Shader shader(Crowded(80));
  Work work = shader.At(16);
  work.at_width.array_bytes = Tgl().limits.scratch_bytes;
  const absl::Status status = RunUntil("allocate_registers", work);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(CauseOf(status), "scratch_too_large");
  const Shader small(Doubled());
  Work without_spills = small.At(16);
  without_spills.at_width.array_bytes = Tgl().limits.scratch_bytes;
  ASSERT_EQ(RunUntil("allocate_registers", without_spills), absl::OkStatus());
  EXPECT_EQ(without_spills.scratch_bytes, Tgl().limits.scratch_bytes);
}

// The checker of allocations reads the function before: it must not change what is made.
TEST(AllocateRegisters, TheCheckerChangesNothing) {
  for (const int values : {10, 80}) {
    const Shader shader(Crowded(values));
    Work plain = shader.At(16), checked = shader.At(16);
    checked.check = true;
    ASSERT_EQ(RunUntil("", plain), absl::OkStatus());
    ASSERT_EQ(RunUntil("", checked), absl::OkStatus());
    EXPECT_EQ(plain.code, checked.code);
    EXPECT_EQ(plain.spills, checked.spills);
  }
}

}  // namespace
}  // namespace kiln::intel
