// Opens the service that a command uses: see service_flags.h.
#include "client/service/service_flags.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/cli/terminal.h"
#include "client/service/away_notice.h"
#include "client/service/client.h"
#include "client/service/local_service.h"
#include "client/service/stream_client.h"
#include "client/service/trace_flags.h"

namespace kiln::client {
namespace {

constexpr double kDefaultTimeout = 120;

absl::Status SetPatience(const ParsedFlags& flags, ClientOptions* options) {
  if (!flags.Has("patience")) return absl::OkStatus();
  // 0 is a valid time here.
  absl::StatusOr<double> seconds = flags.Get("patience") == "0" ? 0 : flags.Seconds("patience", 0);
  if (!seconds.ok()) return seconds.status();
  options->retry.patience = absl::Seconds(*seconds);
  options->patient_at_start = true;
  return absl::OkStatus();
}

// For a command with one call, whose user would otherwise not know why it takes so long.
std::function<void(const Away&)> SayThatWeWait(const std::string& server) {
  return [notice = std::make_shared<AwayNotice>(server)](const Away& away) {
    const std::string text = notice->Update(away);
    if (!text.empty()) absl::FPrintF(stderr, "kiln: %s\n", Printable(text));
  };
}

absl::Status SetHeaders(const ParsedFlags& flags, ClientOptions* options) {
  const absl::StatusOr<TraceHeaders> trace = TraceHeadersOf(flags, getenv);
  if (!trace.ok()) return trace.status();
  if (trace->traceparent.empty()) return absl::OkStatus();
  options->headers.emplace_back("traceparent", trace->traceparent);
  if (!trace->tracestate.empty()) options->headers.emplace_back("tracestate", trace->tracestate);
  constexpr size_t kIdBegin = 3, kIdSize = 32;
  static bool told = false;
  if (trace->is_new && !std::exchange(told, true)) {
    absl::FPrintF(stderr, "kiln: trace %s\n", trace->traceparent.substr(kIdBegin, kIdSize));
  }
  return absl::OkStatus();
}

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
      {"server", 0, "HOST:PORT", false,
       "address of the daemon, also tls:HOST:PORT or unix:PATH (default: $KILN_SERVER, else "
       "127.0.0.1:7411)"},
      {"tls-ca", 0, "FILE", false,
       "for tls: certificate authorities to verify the server with, as PEM (default: the "
       "system's)"},
      {"tls-certificate", 0, "FILE", false,
       "for tls: certificate of this client, as PEM, for servers that require one"},
      {"tls-key", 0, "FILE", false, "for tls: private key of the client's certificate, as PEM"},
      {"local", 0, "", false, "compile in worker processes on this machine, without a daemon"},
      {"timeout", 0, "SECONDS", false, "time limit of one compile in seconds (default 120)"},
      {"patience", 0, "SECONDS", false,
       "time in seconds to wait for a daemon that does not answer (default 60); if given, also at "
       "the start"},
      {"traceparent", 0, "HEADER|new", false,
       "trace that the daemon's spans join, as a W3C traceparent (default: $TRACEPARENT, with "
       "$TRACESTATE; else none); new: a trace of this command, whose id is printed"},
      {"worker", 0, "FILE", false,
       "for --local: path of the worker program (default: kiln_worker beside kiln)"},
  };
}

absl::StatusOr<std::unique_ptr<Service>> OpenService(const ParsedFlags& flags, int workers,
                                                     Calls calls) {
  absl::StatusOr<double> seconds = flags.Seconds("timeout", kDefaultTimeout);
  if (!seconds.ok()) return seconds.status();
  if (flags.Has("local") && flags.Has("patience")) {
    return absl::InvalidArgumentError("--patience is for a daemon; leave it out with --local");
  }
  if (flags.Has("local") && flags.Has("traceparent")) {
    return absl::InvalidArgumentError(
        "--traceparent is for a daemon, which exports traces; leave it out with --local");
  }
  if (flags.Has("local")) return OpenLocal(flags, workers, absl::Seconds(*seconds));
  if (flags.Has("worker")) {
    return absl::InvalidArgumentError("--worker belongs to --local; the daemon has its own");
  }
  ClientOptions options;
  const char* environment = getenv("KILN_SERVER");
  if (environment != nullptr && *environment != 0) options.server = environment;
  options.server = flags.Get("server", options.server);
  options.tls = {flags.Get("tls-ca"), flags.Get("tls-certificate"), flags.Get("tls-key")};
  options.call_timeout = absl::Seconds(*seconds);
  if (absl::Status s = SetPatience(flags, &options); !s.ok()) return s;
  if (absl::Status s = SetHeaders(flags, &options); !s.ok()) return s;
  // A batch reports it in its own way; but at the start it cannot yet.
  options.on_wait = SayThatWeWait(options.server);
  auto client = Client::Connect(options);
  if (!client.ok()) return client.status();
  if (calls == Calls::kStream) return std::make_unique<StreamClient>(*std::move(client));
  return std::unique_ptr<Service>(*std::move(client));
}

}  // namespace kiln::client
