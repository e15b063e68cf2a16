// --server, --local and related flags: opens the service that a command uses.
#ifndef KILN_CLIENT_SERVICE_SERVICE_FLAGS_H_
#define KILN_CLIENT_SERVICE_SERVICE_FLAGS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/flags.h"
#include "client/service/service.h"

namespace kiln::client {

std::vector<Flag> ServiceFlags();

// How a daemon is called: one call for each compile, or one for many (stream_client.h).
enum class Calls { kUnary, kStream };

// Opens a daemon, or with --local `workers` worker processes. InvalidArgument: flags; Unavailable:
// no daemon answers; FailedPrecondition: the worker does not start.
absl::StatusOr<std::unique_ptr<Service>> OpenService(const ParsedFlags& flags, int workers,
                                                     Calls calls = Calls::kUnary);

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_SERVICE_FLAGS_H_
