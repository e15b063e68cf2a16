#include "core/front/ops/errors.h"

#include <utility>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"

namespace kiln::front {

bool Errors::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

bool Errors::Refuse(std::string_view cause, const std::string& detail, uint32_t id) {
  if (!status_.ok()) return false;
  std::string_view capability;
  for (spv::Capability c : capabilities_) {
    if (CauseOf(c) == cause) {
      capability = CapabilityName(c);
      break;
    }
  }
  return Fail(Refused(cause, detail, id, capability));
}

bool Errors::Malformed(const std::string& detail, uint32_t id) {
  return status_.ok() ? Fail(Invalid(detail, id)) : false;
}

bool Errors::RefuseSize() {
  return Refuse("module_too_large",
                "more than " + std::to_string(max_instructions_) + " instructions", function_);
}

}  // namespace kiln::front
