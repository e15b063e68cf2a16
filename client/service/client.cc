// Compiles through a daemon: see client.h.
#include "client/service/client.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "proto/bad_text.h"
#include "proto/health.grpc.pb.h"
#include "server/key/source_digest.h"
#include "server/worker/sandbox_level.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::SourceDigest;
using kiln::v1::TargetResult;

// Returns true for an IPv6 address without its brackets. The daemon parses it likewise: the last
// colon is the port's.
bool IsBareIpv6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// Returns the address in gRPC's form: a URI in which a path may have any bytes, and brackets around
// IPv6.
std::string TargetOf(const std::string& server) {
  constexpr absl::string_view kUnix = "unix:";
  if (absl::StartsWith(server, kUnix)) {
    std::string target(kUnix);
    for (const char c : absl::string_view(server).substr(kUnix.size())) {
      const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                         absl::StrContains("/-._~", absl::string_view(&c, 1));
      absl::StrAppend(&target, plain ? std::string(1, c)
                                     : absl::StrFormat("%%%02X", static_cast<unsigned char>(c)));
    }
    return target;
  }
  const std::string place(absl::StripPrefix(server, kTlsPrefix));
  const size_t colon = place.rfind(':');
  const std::string host = place.substr(0, colon);
  return IsBareIpv6(host) ? absl::StrCat("[", host, "]", place.substr(colon)) : place;
}

absl::Status ReadPem(const char* flag, const std::string& path, std::string* text) {
  if (path.empty()) return absl::OkStatus();
  std::ifstream file(path, std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(file), {});
  if (!absl::StrContains(*text, "-----BEGIN ")) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, "=", path, ": no PEM file can be read from this path"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(
    const ClientOptions& options) {
  const TlsFiles& files = options.tls;
  if (!absl::StartsWith(options.server, kTlsPrefix)) {
    if (files.ca.empty() && files.certificate.empty() && files.key.empty()) {
      return grpc::InsecureChannelCredentials();
    }
    return absl::InvalidArgumentError(
        absl::StrCat("certificates need a server with TLS: --server=tls:", options.server));
  }
  if (files.certificate.empty() != files.key.empty()) {
    return absl::InvalidArgumentError("--tls-certificate and --tls-key must be given together");
  }
  grpc::SslCredentialsOptions tls;
  absl::Status read = ReadPem("--tls-ca", files.ca, &tls.pem_root_certs);
  read.Update(ReadPem("--tls-certificate", files.certificate, &tls.pem_cert_chain));
  read.Update(ReadPem("--tls-key", files.key, &tls.pem_private_key));
  if (!read.ok()) return read;
  return grpc::SslCredentials(tls);
}

std::shared_ptr<grpc::Channel> MakeChannel(
    const ClientOptions& options, const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  grpc::ChannelArguments arguments;
  // The daemon bounds messages, not the transport.
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  // Finds a restarted daemon again soon.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 800);  // plus up to a fifth by chance
  // Despite its name the time to make a connection: a busy machine is not absent.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  // Only pings detect a machine that was switched off while a call waits for its answer.
  const int keepalive = static_cast<int>(absl::ToInt64Milliseconds(options.keepalive));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, keepalive);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, keepalive);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // no bound: a compile may take long
  // http_proxy is meant for the web: a proxy cannot reach a daemon on loopback.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A separate connection, whatever other clients this process has.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(TargetOf(options.server), credentials, arguments);
}

std::string ServingStatus(grpc::health::v1::HealthCheckResponse::ServingStatus status) {
  switch (status) {
    case grpc::health::v1::HealthCheckResponse::SERVING: return "serving";
    case grpc::health::v1::HealthCheckResponse::NOT_SERVING: return "not_serving";
    default: return "unknown";
  }
}

size_t SourceBytes(const CompileRequest& request) {
  if (request.source_case() == CompileRequest::kSpirv) return request.spirv().size();
  if (request.source_case() == CompileRequest::kGlsl) return request.glsl().ByteSizeLong();
  return 0;
}

}  // namespace

CompileRequest DigestRequest(const CompileRequest& request) {
  CompileRequest by_digest;
  by_digest.set_entry_point(request.entry_point());
  by_digest.set_stage(request.stage());
  *by_digest.mutable_spec_constants() = request.spec_constants();
  *by_digest.mutable_options() = request.options();
  *by_digest.mutable_targets() = request.targets();
  *by_digest.mutable_outputs() = request.outputs();
  by_digest.set_cache_policy(request.cache_policy());
  SourceDigest* to = by_digest.mutable_digest();
  bool spirv = request.source_case() == CompileRequest::kSpirv;
  to->set_kind(spirv                       ? SourceDigest::SPIRV
               : request.glsl().has_hlsl() ? SourceDigest::HLSL
                                           : SourceDigest::GLSL);
  cache::Digest digest =
      spirv ? cache::SpirvDigest(request.spirv()) : cache::GlslDigest(request.glsl());
  to->set_sha256(digest.data(), digest.size());
  return by_digest;
}

bool AllCached(const CompileResponse& response) {
  for (const TargetResult& result : response.results()) {
    if (result.status() == TargetResult::NOT_CACHED) return false;
  }
  return response.results_size() > 0;
}

bool MayBeCached(const CompileRequest& request) {
  return (request.cache_policy() == kiln::v1::CACHE_USE ||
          request.cache_policy() == kiln::v1::CACHE_ONLY_IF_CACHED) &&
         SourceBytes(request) != 0;
}

absl::Status CheckSendable(const CompileRequest& request, uint64_t max_message_bytes) {
  // Bytes that a stream's message adds to it.
  constexpr uint64_t kEnvelope = 64;
  const uint64_t bytes = request.ByteSizeLong();
  if (max_message_bytes != 0 && bytes + kEnvelope > max_message_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the request has ", bytes, " bytes; the daemon accepts ", max_message_bytes,
                     " (kilnd --max-message-bytes)"));
  }
  const std::optional<BadText> bad = FindBadText(request);
  return bad.has_value() ? absl::InvalidArgumentError(absl::StrCat(bad->field, ": ", bad->what))
                         : absl::OkStatus();
}

absl::Status CheckServerAddress(absl::string_view server) {
  auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("--server=", server, ": ", what,
                                                   "; must be HOST:PORT, for example ",
                                                   kDefaultServer, ", tls:HOST:PORT or unix:PATH"));
  };
  const absl::string_view place = absl::StripPrefix(server, kTlsPrefix);
  if (server.substr(0, 5) == "unix:") {
    return server.size() > 5 ? absl::OkStatus() : wrong("the path is empty");
  }
  size_t colon = place.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return wrong("host and port are missing");
  absl::string_view host = place.substr(0, colon);
  uint32_t port = 0;
  if (!absl::SimpleAtoi(place.substr(colon + 1), &port) || port == 0 || port > 65535) {
    return wrong(absl::StrCat("'", place.substr(colon + 1), "' is not a port from 1 to 65535"));
  }
  if (host.find("//") != absl::string_view::npos) return wrong("this is a URL");
  if (host.find(':') != absl::string_view::npos && (host.front() != '[' || host.back() != ']') &&
      !IsBareIpv6(std::string(host))) {
    return wrong("an IPv6 address needs brackets: [::1]:7411");
  }
  return absl::OkStatus();
}

Client::Client(const ClientOptions& options, std::shared_ptr<grpc::Channel> channel)
    : options_(options),
      channel_(std::move(channel)),
      stub_(kiln::v1::Compiler::NewStub(channel_)),
      outage_(options.retry.patience) {}

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(const ClientOptions& options) {
  if (absl::Status status = CheckServerAddress(options.server); !status.ok()) return status;
  auto credentials = CredentialsOf(options);
  if (!credentials.ok()) return credentials.status();
  auto client = std::make_unique<Client>(options, MakeChannel(options, *credentials));
  absl::StatusOr<Capabilities> capabilities = client->GetCapabilities();
  if (capabilities.ok()) return client;
  if (absl::IsUnimplemented(capabilities.status())) {
    return absl::UnimplementedError(absl::StrCat(
        "the program that answers on ", options.server, " is not a kilnd of this version (",
        capabilities.status().message(), "); check --server"));
  }
  return absl::UnavailableError(
      absl::StrCat("no kilnd answers on ", options.server, " (", capabilities.status().message(),
                   "); start one (deploy/quickstart), give its address with --server=HOST:PORT or "
                   "KILN_SERVER, or compile without one (--local)"));
}

bool Client::Sleep(absl::Duration duration) {
  constexpr absl::Duration kLook = absl::Milliseconds(50);
  const absl::Time end = absl::Now() + duration;
  for (;;) {
    {
      absl::MutexLock lock(&mutex_);
      if (stopped_) return false;
    }
    const absl::Time now = absl::Now();
    if (now >= end) return true;
    // Not just a sleep: without a thread that polls, gRPC notices only every 5 s that a connection
    // attempt has succeeded (or been refused), and threads whose calls fail at once do not poll.
    channel_->WaitForStateChange(channel_->GetState(true),
                                 absl::ToChronoTime(std::min(end, now + kLook)));
  }
}

bool Client::Wait(absl::Duration delay) {
  constexpr absl::Duration kTell = absl::Milliseconds(250);
  while (delay > absl::ZeroDuration()) {
    const std::optional<Away> away = CurrentlyAway();
    if (away.has_value() && options_.on_wait != nullptr) options_.on_wait(*away);
    if (!Sleep(std::min(delay, kTell))) return false;
    delay -= kTell;
  }
  return true;
}

grpc::Status Client::RunTry(absl::Duration timeout, const Try& one) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  for (const auto& [name, value] : options_.headers) context.AddMetadata(name, value);
  {
    absl::MutexLock lock(&mutex_);
    if (stopped_) return {grpc::StatusCode::CANCELLED, "stopped"};
    in_flight_.insert(&context);
  }
  grpc::Status status = one(&context);
  absl::MutexLock lock(&mutex_);
  in_flight_.erase(&context);
  return status;
}

absl::Status Client::Call(const RetryPolicy& policy, absl::Duration timeout, const Try& one) {
  uint64_t seed = (++calls_ << 32) ^ static_cast<uint64_t>(getpid());
  Retry retry(policy, &outage_, seed);
  for (;;) {
    grpc::Status status = RunTry(timeout, one);
    if (status.ok()) {
      outage_.Answered();
      return absl::OkStatus();
    }
    if (!Sleep(absl::ZeroDuration())) return absl::CancelledError("stopped");  // by Stop itself
    std::optional<absl::Duration> delay = retry.Next(status, absl::Now());
    if (!delay.has_value()) return retry.Failure(status, options_.server);
    if (!Wait(*delay)) return absl::CancelledError("stopped");
  }
}

absl::StatusOr<CompileResponse> Client::CompileAsIs(const CompileRequest& request) {
  CompileResponse response;
  absl::Status status =
      Call(options_.retry, options_.call_timeout, [&](grpc::ClientContext* context) {
        response.Clear();
        return stub_->Compile(context, request, &response);
      });
  if (!status.ok()) return status;
  if (response.results_size() != request.targets_size()) {
    return absl::InternalError(absl::StrCat(options_.server, " answered with ",
                                            response.results_size(), " results for ",
                                            request.targets_size(), " targets"));
  }
  return response;
}

absl::StatusOr<CompileResponse> Client::Compile(const CompileRequest& request) {
  if (absl::Status s = CheckSendable(request, max_message_bytes_); !s.ok()) return s;
  if (MayBeCached(request) && SourceBytes(request) >= options_.digest_first_bytes) {
    absl::StatusOr<CompileResponse> response = CompileAsIs(DigestRequest(request));
    if (!response.ok() || AllCached(*response)) return response;
  }
  return CompileAsIs(request);
}

absl::StatusOr<Capabilities> Client::GetCapabilities() {
  {
    absl::MutexLock lock(&mutex_);
    if (capabilities_ != nullptr) return *capabilities_;
  }
  // Fails at once on the first connection; retries would only delay the error.
  RetryPolicy policy = options_.retry;
  if (!options_.patient_at_start) policy.patience = absl::ZeroDuration();
  Capabilities capabilities;
  absl::Status status = Call(policy, options_.connect_timeout, [&](grpc::ClientContext* context) {
    return stub_->GetCapabilities(context, {}, &capabilities);
  });
  if (!status.ok()) return status;
  max_message_bytes_ = capabilities.limits().max_message_bytes();
  absl::MutexLock lock(&mutex_);
  capabilities_ = std::make_unique<Capabilities>(capabilities);
  return capabilities;
}

absl::StatusOr<std::vector<ServiceHealth>> Client::Health() {
  std::unique_ptr<grpc::health::v1::Health::Stub> stub =
      grpc::health::v1::Health::NewStub(channel_);
  RetryPolicy policy = options_.retry;
  policy.patience = absl::ZeroDuration();
  std::vector<ServiceHealth> all;
  for (const char* service : {"", "kiln.v1.Compiler"}) {
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(service);
    grpc::health::v1::HealthCheckResponse response;
    absl::Status status = Call(policy, options_.connect_timeout, [&](grpc::ClientContext* context) {
      return stub->Check(context, request, &response);
    });
    if (absl::IsNotFound(status)) {
      all.push_back({service, "unknown", "the daemon does not know this service"});
      continue;
    }
    if (!status.ok()) return status;
    all.push_back({service, ServingStatus(response.status()), ""});
  }
  absl::MutexLock lock(&mutex_);
  if (capabilities_ != nullptr && !capabilities_->sandbox().empty()) {
    const auto& level = capabilities_->sandbox();
    all.back().detail = "workers locked in by " + worker::SandboxText({level.begin(), level.end()});
  }
  return all;
}

void Client::Stop() {
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
  for (grpc::ClientContext* context : in_flight_) context->TryCancel();
}

}  // namespace kiln::client
