#include "core/front/validate/validate.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "spirv-tools/libspirv.h"

namespace kiln::front {

absl::Status Validate(absl::Span<const uint32_t> words) {
  const std::unique_ptr<spv_context_t, void (*)(spv_context)> context(
      spvContextCreate(SPV_ENV_VULKAN_1_3), spvContextDestroy);
  const std::unique_ptr<spv_validator_options_t, void (*)(spv_validator_options)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), true);
  spv_const_binary_t binary = {words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result =
      spvValidateWithOptions(context.get(), options.get(), &binary, &diagnostic);
  const std::unique_ptr<spv_diagnostic_t, void (*)(spv_diagnostic)> owner(diagnostic,
                                                                          spvDiagnosticDestroy);
  if (result == SPV_SUCCESS) return absl::OkStatus();
  const char* message = diagnostic != nullptr ? diagnostic->error : "no message";
  return WithCause(absl::InvalidArgumentError(absl::StrCat("SPIR-V validator: ", message)),
                   "invalid_spirv");
}

}  // namespace kiln::front
