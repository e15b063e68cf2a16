// The inputs of `kiln precompile`: captures, and files of folders, lists and manifests.
#ifndef KILN_CLIENT_PRECOMPILE_INPUTS_H_
#define KILN_CLIENT_PRECOMPILE_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kiln::client {

struct InputPaths {
  std::vector<std::string> captures;  // base.foz of each, once, in the order of the arguments
  std::vector<std::string> others;    // arguments for BatchItems::AddPath
};

// Splits the arguments. A folder is both: its captures are found recursively and sorted, and it is
// walked for shaders. NotFound, PermissionDenied: a path.
absl::StatusOr<InputPaths> SplitInputs(const std::vector<std::string>& arguments);

}  // namespace kiln::client

#endif  // KILN_CLIENT_PRECOMPILE_INPUTS_H_
