// Opens the service that a command uses: see service_flags.h.
#include "client/service_flags.h"

#include <cstdlib>

#include "client/client.h"
#include "client/local_service.h"
#include "client/stream_client.h"

namespace kiln::client {
namespace {

constexpr double kDefaultTimeout = 120;

absl::StatusOr<std::unique_ptr<Service>> OpenLocal(const ParsedFlags& flags, int workers,
                                                   absl::Duration timeout) {
  if (flags.Has("server")) {
    return absl::InvalidArgumentError("--local and --server exclude each other; give one of them");
  }
  LocalOptions options;
  options.worker = flags.Get("worker");
  options.workers = workers;
  options.time_limit = timeout;
  auto service = LocalService::Start(options);
  if (!service.ok()) return service.status();
  return std::unique_ptr<Service>(*std::move(service));
}

}  // namespace

std::vector<Flag> ServiceFlags() {
  return {
      {"server", 0, "HOST:PORT", false, "the daemon; else $KILN_SERVER, else 127.0.0.1:7411"},
      {"local", 0, "", false, "compile here, in worker processes, without a daemon"},
      {"timeout", 0, "SECONDS", false, "how long one compile may take (120)"},
      {"worker", 0, "FILE", false, "for --local: the worker, kiln_worker beside kiln if not given"},
  };
}

absl::StatusOr<std::unique_ptr<Service>> OpenService(const ParsedFlags& flags, int workers,
                                                     Calls calls) {
  absl::StatusOr<double> seconds = flags.Seconds("timeout", kDefaultTimeout);
  if (!seconds.ok()) return seconds.status();
  if (flags.Has("local")) return OpenLocal(flags, workers, absl::Seconds(*seconds));
  if (flags.Has("worker")) {
    return absl::InvalidArgumentError("--worker belongs to --local; the daemon has its own");
  }
  ClientOptions options;
  const char* environment = getenv("KILN_SERVER");
  if (environment != nullptr && *environment != 0) options.server = environment;
  options.server = flags.Get("server", options.server);
  options.call_timeout = absl::Seconds(*seconds);
  auto client = Client::Connect(options);
  if (!client.ok()) return client.status();
  if (calls == Calls::kStream) return std::make_unique<StreamClient>(*std::move(client));
  return std::unique_ptr<Service>(*std::move(client));
}

}  // namespace kiln::client
