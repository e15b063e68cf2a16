// Register allocation with the independent checker behind it, as back ends' pipelines run it.
#ifndef KILN_CORE_LIR_RA_ALLOCATE_CHECKED_H_
#define KILN_CORE_LIR_RA_ALLOCATE_CHECKED_H_

#include "absl/status/statusor.h"
#include "core/lir/ra/allocate.h"

namespace kiln::lir::ra {

// The same as Allocate; with `check`, which costs a copy of the function and more time than the
// allocation, CheckAllocation judges the result. Errors: those of Allocate and CheckAllocation.
absl::StatusOr<AllocationStats> AllocateChecked(const Machine& machine, Function* f, bool check,
                                                Demand* demand = nullptr, const Known& known = {});

// The same of AllocateWithSpills.
absl::StatusOr<AllocationStats> AllocateWithSpillsChecked(const Machine& machine, Function* f,
                                                          bool check);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ALLOCATE_CHECKED_H_
