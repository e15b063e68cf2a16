#include "core/front/check/refusal.h"

#include <cassert>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/front/check/coverage.h"

namespace kiln::front {
namespace {

std::string IdText(uint32_t id) { return id == 0 ? "" : absl::StrCat(" (%", id, ")"); }

}  // namespace

absl::Status Refused(std::string_view cause, const std::string& detail, uint32_t id,
                     std::string_view capability) {
  assert(IsCause(cause));
  std::string text = std::string(cause) + ": " + detail;
  if (!capability.empty()) text += " [capability " + std::string(capability) + "]";
  text += IdText(id);
  return WithSpirvId(WithForeignCause(absl::UnimplementedError(text), cause), id);
}

absl::Status Invalid(const std::string& detail, uint32_t id) {
  return WithSpirvId(absl::InvalidArgumentError(detail + IdText(id)), id);
}

absl::Status WithOriginalId(const absl::Status& status, absl::Span<const uint32_t> original) {
  const uint32_t id = SpirvIdOf(status);
  if (id == 0 || id >= original.size()) return status;
  const std::string ending = IdText(id);
  std::string text(status.message());
  if (text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending) {
    text = text.substr(0, text.size() - ending.size()) + IdText(original[id]);
  }
  return WithSpirvId(WithMessage(status, text), original[id]);
}

std::string RefusalCause(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kUnimplemented) return {};
  return kiln::CauseOf(status);
}

}  // namespace kiln::front
