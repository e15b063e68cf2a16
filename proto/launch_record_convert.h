// Converts between the two forms of a launch record: proto/kiln/v1/launch_record.proto (files,
// wire, the JSON of tests/peer) and core/out/launch_record.h (compiler, simulator).
#ifndef KILN_PROTO_LAUNCH_RECORD_CONVERT_H_
#define KILN_PROTO_LAUNCH_RECORD_CONVERT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/out/launch_record.h"
#include "kiln/v1/launch_record.pb.h"

namespace kiln::proto {

inline constexpr uint32_t kRecordVersion = 2;

// Returns FailedPrecondition for a record from a service of another version of Kiln, whose fields
// this one cannot tell apart.
absl::Status CheckVersion(const v1::LaunchRecord& record);

// FailedPrecondition: see CheckVersion. InvalidArgument: an unknown kind, source or hex string,
// inconsistent sizes, or a record without a part for an architecture.
absl::StatusOr<out::LaunchRecord> FromProto(const v1::LaunchRecord& record);

// Keys that out::LaunchRecord lacks (names of files, ...) stay unset.
v1::LaunchRecord ToProto(const out::LaunchRecord& record);

// JSON with original field names, as the peer tool writes it; unknown keys are ignored. Also reads
// records of version 1 (launch_record_1_convert.h).
absl::StatusOr<out::LaunchRecord> LaunchRecordFromJson(absl::string_view json);
std::string LaunchRecordToJson(const out::LaunchRecord& record);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_RECORD_CONVERT_H_
