// When to try again: see retry.h.
#include "client/retry.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/error_details.pb.h"

namespace kiln::client {
namespace {

// The first detail of type T, if there is one.
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
  std::string message = status.error_message();
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

std::optional<absl::Duration> Retry::Next(const grpc::Status& status, absl::Time now) {
  if (status.error_code() != grpc::StatusCode::UNAVAILABLE) return std::nullopt;
  std::optional<absl::Duration> asked = RetryDelayOf(status);
  absl::Duration patience =
      asked.has_value() ? policy_.patience_when_shed : policy_.patience_when_lost;
  absl::Duration delay = std::min(asked.value_or(delay_), policy_.longest_delay);
  delay_ = std::min(delay_ * 2, policy_.longest_delay);
  delay += delay * Jitter();
  if (now + delay > start_ + patience) return std::nullopt;
  return delay;
}

// From 0 to a quarter. xorshift64: nobody attacks this.
double Retry::Jitter() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<double>(random_ >> 40) / static_cast<double>(uint64_t{1} << 26);
}

}  // namespace kiln::client
