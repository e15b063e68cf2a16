#include "core/front/validate.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/spirv_enums.h"
#include "core/front/spirv_grammar.h"

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
  const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(words[at] & 0xffff));
  if (layout == nullptr || !layout->has_result) return 0;
  const size_t result = at + layout->ResultWord();
  return result < words.size() ? words[result] : 0;
}

bool IsName(uint32_t first_word) {
  const auto op = static_cast<spv::Op>(first_word & 0xffff);
  return op == spv::Op::OpName || op == spv::Op::OpMemberName;
}

// The name as the validator makes it of letters, digits and _; without the numbers at its end by
// which equal ones are told apart.
std::string NameWithoutNumbers(absl::Span<const uint32_t> inst) {
  std::string name(reinterpret_cast<const char*>(inst.data()), inst.size() * sizeof(uint32_t));
  name.resize(std::min(name.size(), name.find('\0')));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  name.resize(name.find_last_not_of("_0123456789") + 1);
  return name;
}

// Whether so many ids have one name that the validator, which numbers them with a search from 0 for
// each and does so for every message, would be busy for long: 20,000 "a" took a minute.
bool HasTooManyEqualNames(absl::Span<const uint32_t> words) {
  constexpr uint64_t kMostBytes = 1 << 22;  // of names looked up: 0.2 s
  absl::flat_hash_map<std::string, uint64_t> seen;
  uint64_t bytes = 0;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) break;
    if (static_cast<spv::Op>(words[at] & 0xffff) != spv::Op::OpName || count < 3) continue;
    const std::string name = NameWithoutNumbers(words.subspan(at + 2, count - 2));
    bytes += seen[name]++ * (count + kHeaderWords);
    if (bytes > kMostBytes) return true;
  }
  return false;
}

std::vector<uint32_t> WithoutNames(absl::Span<const uint32_t> words) {
  std::vector<uint32_t> copy(words.begin(), words.begin() + kHeaderWords);
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const size_t count = std::min<size_t>(words[at] >> 16, words.size() - at);
    if (!IsName(words[at])) copy.insert(copy.end(), words.begin() + at, words.begin() + at + count);
    if (count == 0) {
      copy.insert(copy.end(), words.begin() + at, words.end());
      break;
    }
  }
  return copy;
}

// The number, in a module, of the instruction that has this one when names are left out.
size_t NumberWithNames(absl::Span<const uint32_t> words, size_t number) {
  size_t names = 0;
  size_t at = kHeaderWords;
  for (size_t n = 0; at < words.size() && n < number && words[at] >> 16 != 0;
       at += words[at] >> 16) {
    ++(IsName(words[at]) ? names : n);
  }
  return number + names;
}

// `names`: messages call ids by their names. The validator works all names out beforehand, which
// takes a third of its time. `whole`: `words` is this module without its names; empty: it has them.
absl::Status Validate(absl::Span<const uint32_t> words, const ValidateOptions& options, bool names,
                      absl::Span<const uint32_t> whole) {
  spvtools::SpirvTools tools(EnvironmentOf(words, options));
  if (!tools.IsValid()) return absl::InternalError("SPIRV-Tools has no such environment");
  std::string text;
  size_t first = 0;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char*,
                               const spv_position_t& position, const char* message) {
    if (level > SPV_MSG_ERROR || text.size() > kMaxText) return;
    if (text.empty()) first = position.index;
    if (!text.empty()) text += "\n";
    const size_t number = whole.empty() ? position.index : NumberWithNames(whole, position.index);
    text += "instruction " + std::to_string(number) + ": " + Shortened(message, kMaxText);
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
  std::vector<uint32_t> fewer;
  absl::Span<const uint32_t> whole;
  if (HasTooManyEqualNames(words)) {
    fewer = WithoutNames(words);
    whole = words;
    words = fewer;
  }
  if (Validate(words, options, false, whole).ok()) return absl::OkStatus();
  const std::vector<uint32_t> older = WithoutNewLanguages(words);
  if (older.empty()) return Validate(words, options, true, whole);
  if (Validate(older, options, false, whole).ok()) return absl::OkStatus();
  return Validate(older, options, true, whole);
}

}  // namespace kiln::front
