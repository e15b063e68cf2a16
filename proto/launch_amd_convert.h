// Converts AMD's part of launch records. Internal to launch_record_convert.
#ifndef KILN_PROTO_LAUNCH_AMD_CONVERT_H_
#define KILN_PROTO_LAUNCH_AMD_CONVERT_H_

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "kiln/v1/launch_record.pb.h"

namespace kiln::proto {

// Fills the part `result.arch`. The common part must be there: InvalidArgument if this one has
// another number of fragment inputs or more instructions than it, an attribute that it does not
// read, push data or SGPRs that do not exist, waves that are not of 32 or 64 lanes, or an unknown
// name.
absl::Status ReadAmd(const v1::LaunchAmd& in, out::LaunchRecord& result);

// `record` must have an AMD part.
void WriteAmd(const out::LaunchRecord& record, v1::LaunchAmd& result);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_AMD_CONVERT_H_
