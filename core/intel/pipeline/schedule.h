// The orders of one width: before allocation, and of what it has left.
//
// Before allocation registers are taken up to a reserve for fragmentation that most programs do not
// need whole. Where no place is found with it, allocation asks for a careful order, which leaves
// more free, before it falls back on the order as it was.
#ifndef KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
#define KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Keeps the order as it was in `w.unscheduled`, for an allocation that finds no place for this one.
absl::StatusOr<bool> Schedule(Work& w, PassContext& context);

// Of `w.lir` in the order as it was; only worth trying where the other order had fitted the
// registers by count (`w.schedule_fits`).
void ScheduleCarefully(Work& w, PassContext& context);

// The instructions block by block, and the function with them exchanged.
std::vector<lir::InstId> OrderOf(const lir::Function& f);
void SwapOrder(lir::Function& f, std::vector<lir::InstId>& order);

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
