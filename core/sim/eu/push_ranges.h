// Push constants of graphics stages: the ranges that the hardware can deliver.
//
// Constants come in up to four ranges of whole registers, 64 in all (Mesa 25.0.7, genxml gen120,
// 3DSTATE_CONSTANT_PS and _VS): one for the client's block and the constants next to it, one for
// each piece of a buffer.
#ifndef KILN_CORE_SIM_EU_PUSH_RANGES_H_
#define KILN_CORE_SIM_EU_PUSH_RANGES_H_

#include "absl/status/status.h"
#include "core/out/launch_record.h"

namespace kiln::sim::eu {

// Checks the record's ranges. InvalidArgument names the one that does not fit.
absl::Status CheckPushedRanges(const out::LaunchRecord& record);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_PUSH_RANGES_H_
