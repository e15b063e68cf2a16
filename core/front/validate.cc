#include "core/front/validate.h"

#include <spirv-tools/libspirv.hpp>

#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/spirv_enums.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxText = 16 << 10;
constexpr size_t kHeaderWords = 5;

spv_target_env EnvironmentOf(absl::Span<const uint32_t> words, const ValidateOptions& options) {
  if (options.vulkan_minor.has_value()) {
    switch (*options.vulkan_minor) {
      case 0:
        return SPV_ENV_VULKAN_1_0;
      case 1:
        return SPV_ENV_VULKAN_1_1;
      case 2:
        return SPV_ENV_VULKAN_1_2;
      default:
        return SPV_ENV_VULKAN_1_3;
    }
  }
  const uint32_t version = words.size() > 1 ? (words[1] >> 8) & 0xff : 0;
  switch (version) {
    case 4:
      return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
    case 5:
      return SPV_ENV_VULKAN_1_2;
    case 6:
      return SPV_ENV_VULKAN_1_3;
    default:
      return SPV_ENV_VULKAN_1_1;
  }
}

// Result id of the instruction with this number, counted from 1 as the validator's positions are;
// 0: there is no such instruction, or it has no result.
uint32_t ResultOf(absl::Span<const uint32_t> words, size_t number) {
  size_t at = kHeaderWords;
  for (size_t n = 1; at < words.size() && n < number; ++n) {
    if (words[at] >> 16 == 0) return 0;
    at += words[at] >> 16;
  }
  if (number == 0 || at >= words.size()) return 0;
  bool has_result = false, has_type = false;
  spv::HasResultAndType(static_cast<spv::Op>(words[at] & 0xffff), &has_result, &has_type);
  const size_t result = at + (has_type ? 2 : 1);
  return has_result && result < words.size() ? words[result] : 0;
}

// `names`: messages call ids by their names. The validator works all names out beforehand, which
// takes a third of its time.
absl::Status Validate(absl::Span<const uint32_t> words, const ValidateOptions& options,
                      bool names) {
  spvtools::SpirvTools tools(EnvironmentOf(words, options));
  if (!tools.IsValid()) return absl::InternalError("SPIRV-Tools has no such environment");
  std::string text;
  size_t first = 0;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char*,
                               const spv_position_t& position, const char* message) {
    if (level > SPV_MSG_ERROR || text.size() > kMaxText) return;
    if (text.empty()) first = position.index;
    if (!text.empty()) text += "\n";
    text += "instruction " + std::to_string(position.index) + ": " + Shortened(message, kMaxText);
  });
  spvtools::ValidatorOptions validator;
  validator.SetFriendlyNames(names);
  validator.SetScalarBlockLayout(options.scalar_block_layout);
  validator.SetWorkgroupScalarBlockLayout(options.scalar_block_layout);
  if (tools.Validate(words.data(), words.size(), validator)) return absl::OkStatus();
  return WithSpirvId(absl::InvalidArgumentError(text.empty() ? "not valid SPIR-V" : text),
                     ResultOf(words, first));
}

// The module with the languages of its sources unknown, where the validator has not heard of one: it
// refuses these (Slang is 11), though they say nothing about the module. Empty if there is none.
std::vector<uint32_t> WithoutNewLanguages(absl::Span<const uint32_t> words) {
  std::vector<uint32_t> copy;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t count = words[at] >> 16;
    if (count == 0) break;
    const auto op = static_cast<spv::Op>(words[at] & 0xffff);
    if (op == spv::Op::OpFunction) break;
    if (op != spv::Op::OpSource || count < 2 || at + 1 >= words.size()) continue;
    if (words[at + 1] <= static_cast<uint32_t>(spv::SourceLanguage::SYCL)) continue;
    if (copy.empty()) copy.assign(words.begin(), words.end());
    copy[at + 1] = static_cast<uint32_t>(spv::SourceLanguage::Unknown);
  }
  return copy;
}

}  // namespace

absl::Status ValidateSpirv(absl::Span<const uint32_t> words, const ValidateOptions& options) {
  if (Validate(words, options, false).ok()) return absl::OkStatus();
  const std::vector<uint32_t> older = WithoutNewLanguages(words);
  if (older.empty()) return Validate(words, options, true);
  if (Validate(older, options, false).ok()) return absl::OkStatus();
  return Validate(older, options, true);
}

}  // namespace kiln::front
