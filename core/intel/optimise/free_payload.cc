// Makes the registers of the thread's payload allocatable after their last use.
//
// Problem: hardware delivers the data that a thread starts with (fixed functions' setup,
// barycentric coordinates, push constants, setup data or attributes) in the first registers, up to
// all of them; a full set of inputs of 16 locations alone takes 32. HoldPayload marks all of these
// as unchanged to the program's end, both delivered values and registers without readers. Selection
// leaves a program in this state, and without this pass the registers are lost. FreePayload removes
// the marks, register by register. A value is then live to its last use as any other. A use in a
// loop is one in each iteration, so the value is live up to the end of the outermost loop around
// it, since nothing in the program writes the payload again. Liveness finds that point: it walks up
// from each use and visits the blocks where the value is live, each once (core/lir/liveness.h).
// Invariants: instructions and values do not change; only scheduling and allocation, which follow,
// look at the marks. Cost: linear.
//
// Source: public discussion of Mesa's allocator (core/intel/SOURCES.md).
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"

namespace kiln::intel {
namespace {

constexpr uint32_t kDwords = 8;  // units of a register

}  // namespace

void HoldPayload(const lir::Machine& target, uint32_t registers, lir::Function& f) {
  std::vector<bool> read(registers);
  for (lir::LiveIn& l : f.live_ins) {
    const lir::Value& v = f.value(l.value);
    l.held = true;
    const uint32_t end = l.reg + v.comps * target.units_per_comp(f, v);
    for (uint32_t r = l.reg / kDwords; r * kDwords < end; ++r) read[r] = true;
  }
  for (uint32_t r = 0; r < registers; ++r) {
    if (!read[r]) f.reserved.push_back({kPoolGrf, r * kDwords, kDwords});
  }
}

absl::StatusOr<bool> FreePayload(lir::Function& f, PassContext& context) {
  bool changed = false;
  for (lir::LiveIn& l : f.live_ins) {
    if (!l.held || !context.Rewrite()) continue;
    l.held = false;
    changed = true;
  }
  const auto is_free = [&](const lir::Reserved& r) {
    return r.pool == kPoolGrf && context.Rewrite();
  };
  return std::erase_if(f.reserved, is_free) != 0 || changed;
}

}  // namespace kiln::intel
