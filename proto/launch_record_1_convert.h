// Reads launch records of version 1, which users have in files: all that a program needs to start
// is in them, in another order (launch_record_1.proto). Internal to launch_record_convert.
#ifndef KILN_PROTO_LAUNCH_RECORD_1_CONVERT_H_
#define KILN_PROTO_LAUNCH_RECORD_1_CONVERT_H_

#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "proto/launch_record_1.pb.h"

namespace kiln::proto {

// InvalidArgument: an unknown kind, source or hex string, inconsistent sizes, or a place that a
// record of version 2 does not state because it follows from the rest, and that is another one
// here.
absl::StatusOr<out::LaunchRecord> FromVersion1(const launch_record_1::LaunchRecord1& record);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_RECORD_1_CONVERT_H_
