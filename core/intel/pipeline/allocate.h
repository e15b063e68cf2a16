// Scheduling and allocation of one width: the passes that make registers of values.
#ifndef KILN_CORE_INTEL_PIPELINE_ALLOCATE_H_
#define KILN_CORE_INTEL_PIPELINE_ALLOCATE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

absl::StatusOr<bool> Schedule(Work& w, PassContext& context);

// Tries the scheduled order, then the one before it, then spills from the order that needs less.
// ResourceExhausted, scratch_too_large: spills and private arrays take more than a thread can have.
absl::StatusOr<bool> AllocateRegisters(Work& w, PassContext& context);

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_ALLOCATE_H_
