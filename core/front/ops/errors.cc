#include "core/front/ops/errors.h"

#include <optional>
#include <utility>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"

namespace kiln::front {

bool Errors::Fail(absl::Status status) {
  if (status_.ok()) status_ = WithInstruction(std::move(status), instruction_);
  return false;
}

bool Errors::Refuse(std::string_view cause, Detail detail, uint32_t id) {
  if (!status_.ok()) return false;
  for (spv::Capability c : capabilities_) {
    if (CauseOf(c) == cause) {
      detail.capability = CapabilityName(c);
      break;
    }
  }
  return Fail(Refused(cause, detail, id));
}

bool Errors::Malformed(const std::string& detail, uint32_t id) {
  return status_.ok() ? Fail(Invalid(detail, id)) : false;
}

bool Errors::RefuseSize() {
  return Refuse("module_too_large", Detail("instructions", std::nullopt, max_instructions_),
                function_);
}

}  // namespace kiln::front
