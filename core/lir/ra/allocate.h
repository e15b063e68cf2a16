// Register allocation of one function: takes SSA and assigns a register to each operand.
//
// In: a function that verifies (verify.h). Out: the same function with Operand::reg filled in,
// excess flags saved, collects replaced by copies, edge arguments copied at the ends of blocks, and
// copies onto themselves dropped; instructions that allocation added have kInsertedCopy. Verify the
// result with VerifyAllocated and ra/check.h.
//
// Allocate does not spill: if no order of assignment fits, it returns ResourceExhausted with the
// cause "out_of_registers" and leaves `f` as it was. AllocateWithSpills spills first (spill.h),
// with a growing reserve for fragmentation until assignment fits.
#ifndef KILN_CORE_LIR_RA_ALLOCATE_H_
#define KILN_CORE_LIR_RA_ALLOCATE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/ra/spill.h"

namespace kiln::lir::ra {

struct AllocationStats {
  std::vector<Pressure> max_live;  // per pool
  std::vector<uint32_t> top;       // per pool: 1 + the highest unit used
  uint32_t copies_inserted = 0;    // instructions; a swap counts each of its instructions
  uint32_t copies_removed = 0;     // copies whose source and destination are the same
  uint32_t collect_parts = 0;
  uint32_t collect_parts_in_place = 0;
  uint32_t flags_saved = 0;
  uint32_t compactions = 0;
  uint32_t attempts = 0;  // orders of assignment tried
  SpillStats spill;
};

// The registers that a function asks for. Allocate tells them also if no order of assignment fits.
struct Demand {
  std::vector<Pressure> pressure;  // per pool
  // Pools, a bit each, in which some order found no room: more registers of others do not help.
  uint32_t lacking = 0;
};

// Facts of a function that the caller of Allocate has found already.
struct Known {
  // Its deaths may be those of another order of the instructions in blocks, and are found again.
  Liveness* live = nullptr;
  std::vector<Pressure> pressure = {};  // per pool, of the present order; empty: not known
};

// `demand`: may be null.
absl::StatusOr<AllocationStats> Allocate(const Machine& machine, Function* f,
                                         Demand* demand = nullptr, const Known& known = {});

// Spills and allocates. Fails only where a single instruction needs more registers than there are,
// or with "scratch_too_large".
absl::StatusOr<AllocationStats> AllocateWithSpills(const Machine& machine, Function* f);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ALLOCATE_H_
