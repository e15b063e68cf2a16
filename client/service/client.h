// The client library: compiles through a daemon.
//
//   kiln::client::ClientOptions options;
//   options.server = "127.0.0.1:7411";
//   auto client = kiln::client::Client::Connect(options);
//   if (!client.ok()) return client.status();               // Unavailable: no daemon answers there
//   kiln::v1::CompileRequest request;
//   request.set_spirv(module);
//   request.add_targets("tgl");
//   request.mutable_outputs()->set_binary(true);
//   auto response = (*client)->Compile(request);             // blocks; call it from many threads
//   if (!response.ok()) return response.status();            // about the call
//   for (const auto& result : response->results()) { ... }   // result.status(): about the shader
//
// One HTTP/2 connection carries all calls. Each has a deadline; calls that the daemon sheds or that
// fail with a lost connection are repeated (retry.h), for as long as patience lasts (outage.h).
// Pings detect a peer that vanished without closing the connection. Large sources go by digest
// first, so that sources of cached results need not be sent.
#ifndef KILN_CLIENT_SERVICE_CLIENT_H_
#define KILN_CLIENT_SERVICE_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/service/outage.h"
#include "client/service/retry.h"
#include "client/service/service.h"
#include "kiln/v1/compiler.grpc.pb.h"

namespace kiln::client {

inline constexpr char kDefaultServer[] = "127.0.0.1:7411";

// Paths of PEM files; empty: the system's authorities, no client certificate.
struct TlsFiles {
  std::string ca;           // authorities that vouch for the server
  std::string certificate;  // of this client, for servers that ask for one
  std::string key;
};

struct ClientOptions {
  std::string server = kDefaultServer;  // HOST:PORT, [IPV6]:PORT or unix:PATH, in kilnd's form
  // Used if `server` is tls:HOST:PORT: decides which server is trusted.
  TlsFiles tls;
  absl::Duration connect_timeout = absl::Seconds(5);
  absl::Duration call_timeout = absl::Seconds(120);  // of each try of a call
  RetryPolicy retry;
  // Waits also for a daemon that does not answer from the start. Otherwise that is an error at
  // once: a wrong address is more likely.
  bool patient_at_start = false;
  // Called now and then by threads that wait for a daemon that is away.
  std::function<void(const Away&)> on_wait;
  // After so long without a byte from the daemon, while calls are open, the client pings it, and
  // gives up the connection if no reply comes for as long again. kilnd allows 5 s and more.
  absl::Duration keepalive = absl::Seconds(20);
  // Headers that are sent with each call, as {name, value}.
  std::vector<std::pair<std::string, std::string>> headers;
  // Sources of at least this many bytes are requested by digest first.
  size_t digest_first_bytes = size_t{16} << 10;
};

// Returns true if the cache may answer the request, and it has a source to name by its digest.
bool MayBeCached(const kiln::v1::CompileRequest& request);
// Returns the request with its source replaced by the digest.
kiln::v1::CompileRequest DigestRequest(const kiln::v1::CompileRequest& request);
// Returns true if no result is NOT_CACHED.
bool AllCached(const kiln::v1::CompileResponse& response);

// InvalidArgument: text that is not UTF-8, which no request can carry; names the field.
// ResourceExhausted: larger than the daemon accepts. Such requests are not sent: the first kind
// would be refused without the name of the field, the second would break the stream for other
// items.
absl::Status CheckSendable(const kiln::v1::CompileRequest& request, uint64_t max_message_bytes);

// Prefix of an address with TLS, as through deploy/proxy.
inline constexpr absl::string_view kTlsPrefix = "tls:";

// InvalidArgument: the fault in the address and the right form.
absl::Status CheckServerAddress(absl::string_view server);

class Client : public Service {
 public:
  // Connects and requests the capabilities. Unavailable: the reason why no daemon answers.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const ClientOptions& options);
  // Uses an existing channel; does not wait for it.
  Client(const ClientOptions& options, std::shared_ptr<grpc::Channel> channel);

  absl::StatusOr<kiln::v1::CompileResponse> Compile(
      const kiln::v1::CompileRequest& request) override;
  // Returns the daemon's answer to the first request.
  absl::StatusOr<kiln::v1::Capabilities> GetCapabilities() override;
  absl::StatusOr<std::vector<ServiceHealth>> Health() override;
  void Stop() override;
  std::string Name() const override { return options_.server; }
  std::optional<Away> CurrentlyAway() override { return outage_.away(absl::Now()); }

  // Waits before another try while the connection is made; returns false after Stop.
  bool Sleep(absl::Duration duration);

  // For other calls on the same connection.
  kiln::v1::Compiler::Stub* stub() { return stub_.get(); }
  const ClientOptions& options() const { return options_; }
  Outage* outage() { return &outage_; }
  // From the daemon's latest answer; 0: there was none.
  uint64_t max_message_bytes() const { return max_message_bytes_; }

 private:
  using Try = std::function<grpc::Status(grpc::ClientContext*)>;
  // Sleeps, and reports the wait.
  bool Wait(absl::Duration delay);
  // Runs one try after another until one succeeds or patience ends.
  absl::Status Call(const RetryPolicy& policy, absl::Duration timeout, const Try& one);
  grpc::Status RunTry(absl::Duration timeout, const Try& one);
  absl::StatusOr<kiln::v1::CompileResponse> CompileAsIs(const kiln::v1::CompileRequest& request);

  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<kiln::v1::Compiler::Stub> stub_;
  Outage outage_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> max_message_bytes_{0};
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> in_flight_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<kiln::v1::Capabilities> capabilities_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_SERVICE_CLIENT_H_
