// Posts batches with libcurl: see http_transport.h.
#include "server/trace/http_transport.h"

#include <sys/socket.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace kiln::trace {
namespace {

// Bound on the bytes of an answer that are kept; the rest is read and dropped.
constexpr size_t kMaxAnswer = size_t{64} << 10;

size_t Keep(char* data, size_t size, size_t count, void* to) {
  auto* answer = static_cast<std::string*>(to);
  answer->append(data, std::min(size * count, kMaxAnswer - std::min(kMaxAnswer, answer->size())));
  return size * count;
}

curl_socket_t OpenSocket(void*, curlsocktype, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool SetFile(CURL* curl, CURLoption option, const std::string& path) {
  return path.empty() || curl_easy_setopt(curl, option, path.c_str()) == CURLE_OK;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpTransport>> HttpTransport::Make(const Endpoint& endpoint) {
  std::unique_ptr<HttpTransport> transport(new HttpTransport);
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return absl::InternalError("libcurl could not be initialised");
  }
  CURL* curl = transport->curl_ = curl_easy_init();
  if (curl == nullptr) return absl::InternalError("libcurl has no memory");
  const auto add = [&](const std::string& line) {
    transport->headers_ = curl_slist_append(transport->headers_, line.c_str());
  };
  add("Content-Type: application/json");
  add("Expect:");  // no wait for "100 Continue"
  for (const auto& [name, value] : endpoint.headers) {
    // A header without a value is written with a semicolon.
    add(value.empty() ? absl::StrCat(name, ";") : absl::StrCat(name, ": ", value));
  }
  bool ok = curl_easy_setopt(curl, CURLOPT_URL, endpoint.url.c_str()) == CURLE_OK;
  ok = ok && curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK;
  ok = ok && curl_easy_setopt(curl, CURLOPT_USERAGENT, endpoint.user_agent.c_str()) == CURLE_OK;
  ok = ok && SetFile(curl, CURLOPT_CAINFO, endpoint.ca);
  ok = ok && SetFile(curl, CURLOPT_SSLCERT, endpoint.certificate);
  ok = ok && SetFile(curl, CURLOPT_SSLKEY, endpoint.key);
  if (!ok) return absl::InternalError("libcurl does not take the endpoint's settings");
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transport->headers_);
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, OpenSocket);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Keep);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transport->answer_);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transport->error_);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &HttpTransport::Progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transport.get());
  return transport;
}

HttpTransport::~HttpTransport() {
  if (curl_ != nullptr) curl_easy_cleanup(curl_);
  curl_slist_free_all(headers_);
}

// Called at least once a second while a transfer is under way; anything but 0 ends it.
int HttpTransport::Progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return absl::ToUnixNanos(absl::Now()) >= static_cast<HttpTransport*>(self)->end_ns_ ? 1 : 0;
}

Transport::Answer HttpTransport::Post(const std::string& body, absl::Duration timeout) {
  answer_.clear();
  error_[0] = '\0';
  curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS,
                   std::max<long>(1, static_cast<long>(absl::ToInt64Milliseconds(timeout))));
  const CURLcode code = curl_easy_perform(curl_);
  Answer answer;
  if (code != CURLE_OK) {
    answer.error = error_[0] != '\0' ? error_ : curl_easy_strerror(code);
    return answer;
  }
  long status = 0;
  curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
  answer.status = static_cast<int>(status);
  // 0 if the answer has no such header; dates are taken as the time until then.
  curl_off_t seconds = 0;
  curl_easy_getinfo(curl_, CURLINFO_RETRY_AFTER, &seconds);
  if (seconds > 0) answer.retry_after = absl::Seconds(seconds);
  answer.body = std::move(answer_);
  return answer;
}

}  // namespace kiln::trace
