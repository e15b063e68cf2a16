#include "core/front/refusal.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/front/coverage.h"

namespace kiln::front {
absl::Status Refused(std::string_view cause, const std::string& detail, uint32_t id,
                     std::string_view capability) {
  assert(IsCause(cause));
  std::string text = std::string(cause) + ": " + detail;
  if (!capability.empty()) text += " [capability " + std::string(capability) + "]";
  if (id != 0) absl::StrAppend(&text, " (%", id, ")");
  return WithSpirvId(WithForeignCause(absl::UnimplementedError(text), cause), id);
}

absl::Status Invalid(const std::string& detail, uint32_t id) {
  if (id == 0) return absl::InvalidArgumentError(detail);
  return WithSpirvId(absl::InvalidArgumentError(absl::StrCat(detail, " (%", id, ")")), id);
}

std::string RefusalCause(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kUnimplemented) return {};
  return kiln::CauseOf(status);
}

}  // namespace kiln::front
