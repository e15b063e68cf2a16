// Converts Intel's part of launch records. Internal to launch_record_convert.
#ifndef KILN_PROTO_LAUNCH_INTEL_CONVERT_H_
#define KILN_PROTO_LAUNCH_INTEL_CONVERT_H_

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "kiln/v1/launch_record.pb.h"

namespace kiln::proto {

// Fills the part `result.arch`. The common part must be there: InvalidArgument if this one has a
// resource or an input that the common part lacks, or a name or slot that does not exist.
absl::Status ReadIntel(const v1::LaunchIntel& in, out::LaunchRecord& result);

// `record` must have an Intel part.
void WriteIntel(const out::LaunchRecord& record, v1::LaunchIntel& result);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_INTEL_CONVERT_H_
