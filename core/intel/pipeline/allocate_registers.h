// The allocation of one width, which assigns registers to values.
#ifndef KILN_CORE_INTEL_PIPELINE_ALLOCATE_REGISTERS_H_
#define KILN_CORE_INTEL_PIPELINE_ALLOCATE_REGISTERS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

// Tries the scheduled order, then the one before it, then spills from the order that needs fewer
// registers. Returns ResourceExhausted, scratch_too_large, if spills and private arrays take more
// scratch memory than a thread can have.
absl::StatusOr<bool> AllocateRegisters(Work& w, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_ALLOCATE_REGISTERS_H_
