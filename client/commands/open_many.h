// The service of a command that compiles many items, several at a time.
#ifndef KILN_CLIENT_COMMANDS_OPEN_MANY_H_
#define KILN_CLIENT_COMMANDS_OPEN_MANY_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "client/cli/flags.h"
#include "client/service/service.h"
#include "kiln/v1/compile.pb.h"

namespace kiln::client {

// Returns --jobs: how many items are in flight, or without the flag one for each processor with
// --local, whose workers take one each, and else 32, so that some requests wait and a daemon's
// workers are kept busy. InvalidArgument: not from 1 to 1024.
absl::StatusOr<size_t> JobsOf(const ParsedFlags& flags);

struct ManyService {
  std::unique_ptr<Service> service;
  kiln::v1::Capabilities capabilities;
};

// Opens the service that the flags name, over one stream. Errors: those of OpenService and of
// Service::GetCapabilities.
absl::StatusOr<ManyService> OpenMany(const ParsedFlags& flags, size_t jobs);

}  // namespace kiln::client

#endif  // KILN_CLIENT_COMMANDS_OPEN_MANY_H_
