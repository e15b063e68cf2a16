#include "core/front/refusal.h"

#include <cassert>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/front/coverage.h"

namespace kiln::front {
namespace {

constexpr char kCausePayload[] = "kiln/refusal_cause";

}  // namespace

absl::Status Refused(std::string_view cause, const std::string& detail, uint32_t id,
                     std::string_view capability) {
  assert(IsCause(cause));
  std::string text = std::string(cause) + ": " + detail;
  if (!capability.empty()) text += " [capability " + std::string(capability) + "]";
  if (id != 0) absl::StrAppend(&text, " (%", id, ")");
  absl::Status status = absl::UnimplementedError(text);
  status.SetPayload(kCausePayload, absl::Cord(std::string(cause)));
  return status;
}

absl::Status Invalid(const std::string& detail, uint32_t id) {
  if (id == 0) return absl::InvalidArgumentError(detail);
  return absl::InvalidArgumentError(absl::StrCat(detail, " (%", id, ")"));
}

std::string RefusalCause(const absl::Status& status) {
  const auto payload = status.GetPayload(kCausePayload);
  return payload.has_value() ? std::string(*payload) : std::string();
}

}  // namespace kiln::front
