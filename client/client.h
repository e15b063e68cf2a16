// The client library: compiles through a daemon.
//
//   kiln::client::ClientOptions options;
//   options.server = "127.0.0.1:7411";
//   auto client = kiln::client::Client::Connect(options);
//   if (!client.ok()) return client.status();               // Unavailable: nobody answers there
//   kiln::v1alpha::CompileRequest request;
//   request.set_spirv(module);
//   request.add_targets("tgl");
//   request.mutable_outputs()->set_binary(true);
//   auto response = (*client)->Compile(request);             // blocks; call it from many threads
//   if (!response.ok()) return response.status();            // about the call
//   for (const auto& result : response->results()) { ... }   // result.status(): about the shader
//
// One HTTP/2 connection carries all calls. Each has a deadline; calls that the daemon sheds or that
// a lost connection spoils are repeated (retry.h). Large sources go by digest first, so that what
// the daemon has in its cache need not be sent.
#ifndef KILN_CLIENT_CLIENT_H_
#define KILN_CLIENT_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/retry.h"
#include "client/service.h"
#include "proto/compiler.grpc.pb.h"

namespace kiln::client {

inline constexpr char kDefaultServer[] = "127.0.0.1:7411";

struct ClientOptions {
  std::string server = kDefaultServer;  // HOST:PORT, [IPV6]:PORT or unix:PATH
  absl::Duration connect_timeout = absl::Seconds(5);
  absl::Duration call_timeout = absl::Seconds(120);  // of each try of a call
  RetryPolicy retry;
  // Sources of at least this many bytes are asked for by digest first.
  size_t digest_first_bytes = size_t{16} << 10;
};

// May the cache answer it, and is there a source to name by its digest?
bool MayBeCached(const kiln::v1alpha::CompileRequest& request);
// The request with its source replaced by the digest.
kiln::v1alpha::CompileRequest DigestRequest(const kiln::v1alpha::CompileRequest& request);
// No result says NOT_CACHED.
bool AllCached(const kiln::v1alpha::CompileResponse& response);

// InvalidArgument: what is wrong with the address and how it should look.
absl::Status CheckServerAddress(absl::string_view server);

class Client : public Service {
 public:
  // Connects and asks for the capabilities. Unavailable: why nobody answers.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const ClientOptions& options);
  // Over a channel that exists; does not wait for it.
  Client(const ClientOptions& options, std::shared_ptr<grpc::Channel> channel);

  absl::StatusOr<kiln::v1alpha::CompileResponse> Compile(
      const kiln::v1alpha::CompileRequest& request) override;
  // What the daemon said when it was first asked.
  absl::StatusOr<kiln::v1alpha::Capabilities> GetCapabilities() override;
  absl::StatusOr<std::vector<ServiceHealth>> Health() override;
  void Stop() override;
  std::string Name() const override { return options_.server; }

  // For calls of one's own on the same connection.
  kiln::v1alpha::Compiler::Stub* stub() { return stub_.get(); }
  const ClientOptions& options() const { return options_; }

 private:
  using Try = std::function<grpc::Status(grpc::ClientContext*)>;
  // Runs one try after another until it succeeds or waiting is over.
  absl::Status Call(const RetryPolicy& policy, absl::Duration timeout, const Try& one);
  grpc::Status RunTry(absl::Duration timeout, const Try& one);
  // False after Stop.
  bool Sleep(absl::Duration duration);
  absl::StatusOr<kiln::v1alpha::CompileResponse> CompileAsIs(
      const kiln::v1alpha::CompileRequest& request);

  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<kiln::v1alpha::Compiler::Stub> stub_;
  std::atomic<uint64_t> calls_{0};
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> in_flight_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<kiln::v1alpha::Capabilities> capabilities_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::client

#endif  // KILN_CLIENT_CLIENT_H_
