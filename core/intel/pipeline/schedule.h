// The orders of one width: before allocation, and of what it has left.
#ifndef KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
#define KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

// Keeps the order as it was in `w.unscheduled`, for an allocation that finds no place for this one.
absl::StatusOr<bool> Schedule(Work& w, PassContext& context);

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_SCHEDULE_H_
