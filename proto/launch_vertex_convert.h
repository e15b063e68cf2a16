// Converts the launch record of a vertex program from the message and back. Internal to the
// conversion (launch_record_convert.h).
#ifndef KILN_PROTO_LAUNCH_VERTEX_CONVERT_H_
#define KILN_PROTO_LAUNCH_VERTEX_CONVERT_H_

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "proto/launch_record.pb.h"

namespace kiln::proto {

// InvalidArgument names the unknown or inconsistent value.
absl::Status ReadVertex(const v1alpha::LaunchVertex& in, out::VertexLaunch& result);
void WriteVertex(const out::VertexLaunch& in, v1alpha::LaunchVertex& result);

}  // namespace kiln::proto

#endif  // KILN_PROTO_LAUNCH_VERTEX_CONVERT_H_
