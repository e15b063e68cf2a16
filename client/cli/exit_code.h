// Exit codes of the kiln command: a contract with scripts, never renumbered.
#ifndef KILN_CLIENT_CLI_EXIT_CODE_H_
#define KILN_CLIENT_CLI_EXIT_CODE_H_

#include "absl/status/status.h"
#include "core/base/cause.h"

namespace kiln::client {

enum ExitCode : int {
  kExitOk = 0,          // everything compiled
  kExitSomeFailed = 1,  // some modules were refused or invalid
  kExitUsage = 2,  // the command line is wrong, a file cannot be read, output cannot be written
  kExitUnreachable = 3,    // no daemon answers, or it does not serve
  kExitInternal = 4,       // the compiler crashed or timed out, or kiln itself failed
  kExitInterrupted = 130,  // by SIGINT or SIGTERM, as shells count
};

// Returns the exit code for an error that ends the command.
inline ExitCode ExitCodeOf(const absl::Status& status) {
  // A tool or a mode that the target does not have; unlike a call that a daemon does not know.
  if (CauseOf(status) == "missing_tool") return kExitUsage;
  switch (status.code()) {
    case absl::StatusCode::kOk: return kExitOk;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kFailedPrecondition: return kExitUsage;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kUnauthenticated: return kExitUnreachable;
    case absl::StatusCode::kCancelled: return kExitInterrupted;
    default: return kExitInternal;
  }
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLI_EXIT_CODE_H_
