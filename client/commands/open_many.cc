// The service of a command that compiles many items: see open_many.h.
#include "client/commands/open_many.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "client/service/service_flags.h"

namespace kiln::client {
namespace {

int64_t Processors() { return std::max<int64_t>(1, std::thread::hardware_concurrency()); }

}  // namespace

absl::StatusOr<size_t> JobsOf(const ParsedFlags& flags) {
  const absl::StatusOr<int64_t> jobs =
      flags.Number("jobs", flags.Has("local") ? Processors() : 32, 1, 1024);
  if (!jobs.ok()) return jobs.status();
  return static_cast<size_t>(*jobs);
}

absl::StatusOr<ManyService> OpenMany(const ParsedFlags& flags, size_t jobs) {
  const int64_t workers = std::min<int64_t>(static_cast<int64_t>(jobs), 2 * Processors());
  absl::StatusOr<std::unique_ptr<Service>> service =
      OpenService(flags, static_cast<int>(workers), Calls::kStream);
  if (!service.ok()) return service.status();
  absl::StatusOr<kiln::v1::Capabilities> capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  return ManyService{*std::move(service), *std::move(capabilities)};
}

}  // namespace kiln::client
