// The inputs that a fragment shader reads of the stage before it, as text for the database.
#ifndef KILN_CLIENT_PRECOMPILE_READS_H_
#define KILN_CLIENT_PRECOMPILE_READS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns "0:xyzw 3:x primitive_id", by location, then built-ins; "-" if it reads nothing; "" if
// the text cannot say what it reads, the values of each vertex.
std::string ReadsText(const kiln::v1::TargetResult& fragment);

// Returns what ReadsText wrote. DataLoss: it is no such text.
absl::StatusOr<kiln::v1::NextStageReads> ParseReads(absl::string_view text);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_READS_H_
