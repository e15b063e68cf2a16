#include "core/lir/ra/allocate_checked.h"

#include "absl/status/status.h"
#include "core/lir/ra/check.h"

namespace kiln::lir::ra {
namespace {

template <class Allocate>
absl::StatusOr<AllocationStats> Checked(const Machine& machine, Function* f, bool check,
                                        const Allocate& allocate) {
  if (!check) return allocate();
  const Function ssa = *f;
  absl::StatusOr<AllocationStats> stats = allocate();
  if (!stats.ok()) return stats;
  if (absl::Status s = CheckAllocation(machine, ssa, *f); !s.ok()) return s;
  return stats;
}

}  // namespace

absl::StatusOr<AllocationStats> AllocateChecked(const Machine& machine, Function* f, bool check,
                                                Demand* demand, const Known& known) {
  return Checked(machine, f, check, [&] { return Allocate(machine, f, demand, known); });
}

absl::StatusOr<AllocationStats> AllocateWithSpillsChecked(const Machine& machine, Function* f,
                                                          bool check) {
  return Checked(machine, f, check, [&] { return AllocateWithSpills(machine, f); });
}

}  // namespace kiln::lir::ra
