// The pipeline state of --state=FILE.json.
#ifndef KILN_CLIENT_REQUEST_PIPELINE_STATE_H_
#define KILN_CLIENT_REQUEST_PIPELINE_STATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/compile.pb.h"

namespace kiln::client {

// The JSON form of PipelineState (proto/compile.proto), with the names of its fields there:
//   {"fragment": {"color": {"attachments": [{"location": 0, "type": "UINT"}]}, "samples": 4}}
// InvalidArgument, naming the file, for what is not that: no such file, no JSON, an unknown field,
// a value of another type. Whether values are within their bounds the daemon says.
absl::StatusOr<kiln::v1alpha::PipelineState> ReadPipelineState(const std::string& path);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_PIPELINE_STATE_H_
