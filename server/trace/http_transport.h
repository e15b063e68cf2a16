// The HTTP connection to a collector, by libcurl.
//
// One connection is kept open between batches. Only http and https are spoken, redirections are not
// followed, answers are read up to a bound, and descriptors are closed in worker processes. Proxies
// are taken from the environment as libcurl does (https_proxy, no_proxy).
#ifndef KILN_SERVER_TRACE_HTTP_TRANSPORT_H_
#define KILN_SERVER_TRACE_HTTP_TRANSPORT_H_

#include <curl/curl.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/trace/exporter.h"

namespace kiln::trace {

struct Endpoint {
  std::string url;  // http://HOST:PORT/PATH or https
  std::vector<std::pair<std::string, std::string>> headers;
  // PEM files; empty: the system's authorities, no certificate of this client.
  std::string ca, certificate, key;
  std::string user_agent;
};

class HttpTransport final : public Transport {
 public:
  // Internal: libcurl cannot be used.
  static absl::StatusOr<std::unique_ptr<HttpTransport>> Make(const Endpoint& endpoint);
  ~HttpTransport() override;

  Answer Post(const std::string& body, absl::Duration timeout) override;
  void EndBy(absl::Time end) override { end_ns_ = absl::ToUnixNanos(end); }

 private:
  HttpTransport() = default;
  static int Progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::string answer_;
  char error_[CURL_ERROR_SIZE] = {};
  std::atomic<int64_t> end_ns_ = INT64_MAX;
};

}  // namespace kiln::trace

#endif  // KILN_SERVER_TRACE_HTTP_TRANSPORT_H_
