// Shared by commands on machine code: the target flag, and the file.
#ifndef KILN_CLIENT_OUTPUT_CODE_FILE_H_
#define KILN_CLIENT_OUTPUT_CODE_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/flags.h"
#include "core/driver/compile.h"

namespace kiln::client {

// Returns --target, which is required. InvalidArgument lists the targets.
absl::StatusOr<Target> TargetOf(const ParsedFlags& flags);

// Reads the one file argument whole; errors name it. InvalidArgument if it is empty.
absl::StatusOr<std::string> ReadCodeFile(const ParsedFlags& flags);

}  // namespace kiln::client

#endif  // KILN_CLIENT_OUTPUT_CODE_FILE_H_
