// Retries of calls: see retry.h.
#include "client/service/retry.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

// Returns the first detail of type T, if there is one.
template <typename T>
std::optional<T> DetailOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const auto& any : details.details()) {
    T detail;
    if (any.Is<T>() && any.UnpackTo(&detail)) return detail;
  }
  return std::nullopt;
}

// Explains a web server's answer that is no gRPC, which gRPC reports by its number only, or not
// even that.
std::string Explained(const std::string& message) {
  struct Meaning {
    const char* status;
    const char* text;
  };
  constexpr Meaning kMeanings[] = {
      {"http2 header with status: 400",
       "the server requires a client certificate that it trusts; give --tls-certificate=FILE and "
       "--tls-key=FILE (HTTP status 400)"},
      {"Trying to connect an http1.x server",
       "the server does not speak HTTP/2 on this port; if it requires TLS, give "
       "--server=tls:HOST:PORT"},
      {"http2 header with status: 401", "the server requires authentication (HTTP status 401)"},
      {"http2 header with status: 403",
       "the server does not allow access from this address (HTTP status 403)"},
  };
  for (const Meaning& meaning : kMeanings) {
    if (absl::StrContains(message, meaning.status)) return meaning.text;
  }
  return message;
}

}  // namespace

std::optional<absl::Duration> RetryDelayOf(const grpc::Status& status) {
  auto info = DetailOf<google::rpc::RetryInfo>(status);
  if (!info.has_value() || !info->has_retry_delay()) return std::nullopt;
  absl::Duration delay =
      absl::Seconds(info->retry_delay().seconds()) + absl::Nanoseconds(info->retry_delay().nanos());
  return std::max(delay, absl::ZeroDuration());
}

absl::Status ToAbslStatus(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  std::string message = Explained(status.error_message());
  if (auto bad = DetailOf<google::rpc::BadRequest>(status); bad.has_value()) {
    std::string fields;
    for (const auto& violation : bad->field_violations()) {
      absl::StrAppend(&fields, fields.empty() ? "" : "; ", violation.field(), ": ",
                      violation.description());
    }
    if (!fields.empty()) message = fields;
  }
  if (message.empty()) message = "no reason was given";
  // The two enumerations have the same numbers.
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), message);
}

bool WasNotAnswered(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:  // not by us: a stopped client does not get here
      return true;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      // gRPC ends calls of any client like this when the daemon has no room for arriving data. A
      // message that is too large for the daemon or a proxy is refused with a text.
      return absl::StrContains(status.error_message(), "RST_STREAM");
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNKNOWN:
      // A proxy ends a stream like this when it has lost the daemon; there is no specific code for
      // it.
      return absl::StrContains(status.error_message(), "RST_STREAM") ||
             absl::StrContains(status.error_message(), "Stream removed");
    default: return false;
  }
}

std::string ReasonOf(const grpc::Status& status) {
  std::string reason = Explained(status.error_message());
  if (reason.find("failed to connect") != std::string::npos) {
    const size_t layer = reason.rfind(": ");
    if (layer != std::string::npos) reason.erase(0, layer + 2);
  }
  return reason.empty() ? "no reason was given" : reason;
}

std::optional<absl::Duration> Retry::Next(const grpc::Status& status, absl::Time now) {
  if (!WasNotAnswered(status)) {
    // A deadline that has passed does not show that the daemon is present.
    if (status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED) outage_->Answered();
    return std::nullopt;
  }
  const std::optional<absl::Duration> asked = RetryDelayOf(status);
  const absl::Time since = outage_->Failed(asked.has_value(), ReasonOf(status), now);
  const absl::Duration most = policy_.longest_delay * 0.8;
  absl::Duration delay = std::min(asked.value_or(delay_), most);
  delay_ = std::min(delay_ * 2, most);
  delay += delay * Chance();
  const absl::Duration left = since + policy_.patience - now;
  if (left <= absl::ZeroDuration()) return std::nullopt;
  return std::min(delay, left);  // the last try is when patience ends
}

absl::Status Retry::Failure(const grpc::Status& status, const std::string& service) const {
  if (!WasNotAnswered(status)) return ToAbslStatus(status);
  if (policy_.patience <= absl::ZeroDuration()) return absl::UnavailableError(ReasonOf(status));
  return absl::UnavailableError(absl::StrCat(
      service, RetryDelayOf(status).has_value() ? " has refused work" : " has not answered",
      " for ", absl::ToDoubleSeconds(policy_.patience), " s (", ReasonOf(status), ")"));
}

// Returns 0 to a quarter. xorshift64 suffices: jitter need not be unpredictable.
double Retry::Chance() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<double>(random_ >> 40) / static_cast<double>(uint64_t{1} << 26);
}

}  // namespace kiln::client
