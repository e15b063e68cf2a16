#include "core/base/cause.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"

namespace kiln {
namespace {

constexpr std::string_view kCauseUrl = "type.kiln/cause";

}  // namespace

absl::Status WithCause(absl::Status status, KnownCause cause) {
  return WithForeignCause(std::move(status), cause.name());
}

absl::Status WithForeignCause(absl::Status status, std::string_view cause) {
  if (status.ok()) return status;
  status.SetPayload(absl::string_view(kCauseUrl.data(), kCauseUrl.size()),
                    absl::Cord(absl::string_view(cause.data(), cause.size())));
  return status;
}

std::string CauseOf(const absl::Status& status) {
  if (status.ok()) return "ok";
  absl::optional<absl::Cord> cause =
      status.GetPayload(absl::string_view(kCauseUrl.data(), kCauseUrl.size()));
  if (cause.has_value()) return std::string(*cause);
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument: return "invalid_module";
    case absl::StatusCode::kNotFound: return "not_found";
    case absl::StatusCode::kCancelled: return "cancelled";
    case absl::StatusCode::kDeadlineExceeded: return "deadline_exceeded";
    case absl::StatusCode::kResourceExhausted: return "limit_exceeded";
    case absl::StatusCode::kUnimplemented: return "unsupported";
    default: return "internal";
  }
}

}  // namespace kiln
