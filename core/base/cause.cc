#include "core/base/cause.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace kiln {
namespace {

constexpr std::string_view kCauseUrl = "type.kiln/cause";
constexpr std::string_view kSpirvIdUrl = "type.kiln/spirv_id";

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

namespace {

absl::Status Rebuilt(const absl::Status& status, absl::StatusCode code, absl::string_view message) {
  absl::Status rebuilt(code, message);
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { rebuilt.SetPayload(url, payload); });
  return rebuilt;
}

}  // namespace

absl::Status WithMessage(const absl::Status& status, std::string_view message) {
  return Rebuilt(status, status.code(), absl::string_view(message.data(), message.size()));
}

absl::Status AsOwnFault(absl::Status status) {
  if (!absl::IsInvalidArgument(status) && !absl::IsNotFound(status)) return status;
  return Rebuilt(status, absl::StatusCode::kInternal, status.message());
}

absl::Status WithSpirvId(absl::Status status, uint32_t id) {
  if (status.ok() || id == 0) return status;
  status.SetPayload(absl::string_view(kSpirvIdUrl.data(), kSpirvIdUrl.size()),
                    absl::Cord(absl::StrCat(id)));
  return status;
}

uint32_t SpirvIdOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload =
      status.GetPayload(absl::string_view(kSpirvIdUrl.data(), kSpirvIdUrl.size()));
  uint32_t id = 0;
  if (payload.has_value() && !absl::SimpleAtoi(std::string(*payload), &id)) return 0;
  return id;
}

}  // namespace kiln
