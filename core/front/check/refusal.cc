#include "core/front/check/refusal.h"

#include <cassert>

namespace kiln::front {

absl::Status Refused(std::string_view cause, const Detail& detail, uint32_t id) {
  assert(FindCause(cause) != nullptr);
  const absl::Status status = absl::UnimplementedError(DetailText(detail));
  return WithSpirvId(WithDetail(WithForeignCause(status, cause), detail), id);
}

absl::Status RefusedCapability(std::string_view cause, std::string_view capability) {
  Detail detail("declaration");
  detail.capability = capability;
  return Refused(cause, detail);
}

absl::Status Invalid(const std::string& message, uint32_t id) {
  return WithSpirvId(absl::InvalidArgumentError(message), id);
}

std::string RefusalCause(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kUnimplemented) return {};
  return kiln::CauseOf(status);
}

}  // namespace kiln::front
