// One run of `kiln batch`: its service, its files, its summary.
#ifndef KILN_CLIENT_COMMANDS_BATCH_RUN_H_
#define KILN_CLIENT_COMMANDS_BATCH_RUN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/command.h"
#include "client/cli/exit_code.h"
#include "client/cli/flags.h"

namespace kiln::client {

// Compiles, or lists, what the flags say. An error ends the command; finished results have been
// written. `flag_names`: as for ReadBatchItems.
absl::StatusOr<ExitCode> RunBatchCommand(const ParsedFlags& flags,
                                         const std::vector<std::string>& flag_names,
                                         const Environment& environment);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_BATCH_RUN_H_
