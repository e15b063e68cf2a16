// One run of `kiln precompile`: captures and files into a database of results.
#ifndef KILN_CLIENT_COMMANDS_PRECOMPILE_RUN_H_
#define KILN_CLIENT_COMMANDS_PRECOMPILE_RUN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/flags.h"
#include "client/commands/command.h"

namespace kiln::client {

// `flag_names`: those of the command's flags, which are no keys of manifests.
absl::StatusOr<ExitCode> RunPrecompile(const ParsedFlags& flags,
                                       const std::vector<std::string>& flag_names,
                                       const Environment& environment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_PRECOMPILE_RUN_H_
