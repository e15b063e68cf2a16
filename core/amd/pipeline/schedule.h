// Schedules a program so that many waves share a SIMD. Internal to this folder.
//
// Problem: latency is hidden by the order of instructions, which takes registers, and by other
// waves, of which a SIMD holds fewer the more registers each has; the number falls in steps.
// Algorithm: the scheduler (core/lir/schedule) runs with the registers of the step that the order
// of selection has, since a wave hides more than further registers would. Then, while few registers
// are missing to the next step, it runs again within that one; the result is kept if it fits and
// has fewer cycles for each wave, which is what bounds throughput (core/amd/perf).
// Cost: a schedule for each step tried, from the same order of selection.
#ifndef KILN_CORE_AMD_PIPELINE_SCHEDULE_H_
#define KILN_CORE_AMD_PIPELINE_SCHEDULE_H_

#include "core/amd/pipeline/work.h"

namespace kiln::amd {

// Returns true if the order changed. `w.unscheduled` becomes the order before, `w.vgpr_goal` the
// VGPRs of the step that the values that lanes still need fit. Allocation may need more, for what
// waiting lanes hold, and for fragments; it tries one step after the other.
bool ScheduleForWaves(Work& w);

// Returns the VGPRs of the step with the next fewer waves; 256 if there is none.
uint32_t LargerStep(const Work& w, uint32_t vgprs);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_SCHEDULE_H_
