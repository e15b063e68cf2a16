// The pipeline state of --state=FILE.json.
#ifndef KILN_CLIENT_REQUEST_PIPELINE_STATE_H_
#define KILN_CLIENT_REQUEST_PIPELINE_STATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Reads the JSON form of PipelineState (proto/kiln/v1/compile.proto), with its field names:
//   {"fragment": {"color": {"attachments": [{"location": 0, "type": "UINT"}]}, "samples": 4}}
// InvalidArgument names the file: no such file, no JSON, an unknown field, or a value of another
// type. The daemon checks whether values are within their bounds.
absl::StatusOr<kiln::v1::PipelineState> ReadPipelineState(const std::string& path);

// Does the same for a text. InvalidArgument: "not a pipeline state: ...".
absl::StatusOr<kiln::v1::PipelineState> ParsePipelineState(const std::string& json);

// Returns the JSON from which ParsePipelineState makes the same state, on one line; empty for the
// state that is unset everywhere.
std::string PipelineStateJson(const kiln::v1::PipelineState& state);

}  // namespace kiln::client

#endif  // KILN_CLIENT_REQUEST_PIPELINE_STATE_H_
