// Register allocation of one function: SSA in, places out.
//
// In: a function that verifies (verify.h). Out: the same function with Operand::reg filled in,
// flags saved where there were too many, collects replaced by copies, edge arguments copied at the
// ends of blocks, copies onto themselves dropped; what allocation added has kInsertedCopy. Verify
// the result with VerifyAllocated and ra/check.h.
//
// There is no spilling: when no order of assignment fits, the function is refused with
// ResourceExhausted and the cause "out_of_registers", and `f` is to be thrown away. A spiller
// would run where SaveExcessFlags runs, on SSA, until MaxPressure fits the pool minus a reserve.
#ifndef KILN_CORE_LIR_RA_ALLOCATE_H_
#define KILN_CORE_LIR_RA_ALLOCATE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

struct AllocationStats {
  std::vector<Pressure> max_live;    // per pool
  std::vector<uint32_t> top;         // per pool: 1 + the highest unit used
  uint32_t copies_inserted = 0;      // instructions, swaps counted as three
  uint32_t copies_removed = 0;       // copies whose two ends met
  uint32_t collect_parts = 0;
  uint32_t collect_parts_in_place = 0;
  uint32_t flags_saved = 0;
  uint32_t compactions = 0;
  uint32_t attempts = 0;             // orders of assignment tried
};

absl::StatusOr<AllocationStats> Allocate(const Target& target, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ALLOCATE_H_
