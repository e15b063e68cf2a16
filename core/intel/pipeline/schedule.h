// The orders of one width: the one before allocation, and the careful one.
//
// Before allocation, scheduling uses registers up to a reserve for fragmentation, which most
// programs do not need as a whole. If allocation fails with this reserve, it asks for a careful
// order, which leaves more registers free, before it falls back on the original order.
#ifndef KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
#define KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

// Schedules, and keeps the original order in `w.unscheduled` for an allocation that fails with this
// one.
absl::StatusOr<bool> Schedule(Work& w, PassContext& context);

// Schedules `w.lir`, which is in the original order, carefully. Only worth trying if the other
// order had fitted the registers by count (`w.schedule_fits`).
void ScheduleCarefully(Work& w, PassContext& context);

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
