#include "core/front/check/validate.h"

#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/base/cause.h"
#include "core/base/utf8.h"
#include "core/front/check/newer.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxText = 16 << 10;
constexpr size_t kHeaderWords = 5;

spv_target_env EnvironmentOf(absl::Span<const uint32_t> words, const ValidateOptions& options) {
  if (options.vulkan_minor.has_value()) {
    switch (*options.vulkan_minor) {
      case 0: return SPV_ENV_VULKAN_1_0;
      case 1: return SPV_ENV_VULKAN_1_1;
      case 2: return SPV_ENV_VULKAN_1_2;
      default: return SPV_ENV_VULKAN_1_3;
    }
  }
  const uint32_t version = words.size() > 1 ? (words[1] >> 8) & 0xff : 0;
  switch (version) {
    case 4: return SPV_ENV_VULKAN_1_1_SPIRV_1_4;
    case 5: return SPV_ENV_VULKAN_1_2;
    case 6: return SPV_ENV_VULKAN_1_3;
    default: return SPV_ENV_VULKAN_1_1;
  }
}

// Returns the offset in words of the instruction with this number, counted from 1 like the
// validator's positions; 0 if the module has fewer instructions.
size_t OffsetOf(absl::Span<const uint32_t> words, size_t number) {
  size_t at = kHeaderWords;
  for (size_t n = 1; at < words.size() && n < number; ++n) {
    if (words[at] >> 16 == 0) return 0;
    at += words[at] >> 16;
  }
  return number == 0 || at >= words.size() ? 0 : at;
}

// Returns the result id of the instruction at word `at`; 0 if `at` is 0 or it has no result.
uint32_t ResultOf(absl::Span<const uint32_t> words, size_t at) {
  if (at == 0) return 0;
  const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(words[at] & 0xffff));
  if (layout == nullptr || !layout->has_result) return 0;
  const size_t result = at + layout->ResultWord();
  return result < words.size() ? words[result] : 0;
}

bool IsName(uint32_t first_word) {
  const auto op = static_cast<spv::Op>(first_word & 0xffff);
  return op == spv::Op::OpName || op == spv::Op::OpMemberName;
}

// Returns the name as the validator reduces it to letters, digits and _; without the numbers at its
// end that distinguish equal ones.
std::string NameWithoutNumbers(absl::Span<const uint32_t> inst) {
  std::string name(reinterpret_cast<const char*>(inst.data()), inst.size() * sizeof(uint32_t));
  name.resize(std::min(name.size(), name.find('\0')));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  name.resize(name.find_last_not_of("_0123456789") + 1);
  return name;
}

// Returns true if so many ids share a name that the validator would be busy for long: it numbers
// them with a search from 0 for each, and does so for every message. 20,000 "a" took a minute.
bool HasTooManyEqualNames(absl::Span<const uint32_t> words) {
  constexpr uint64_t kMaxBytes = 1 << 22;  // bytes of names looked up: 0.2 s
  absl::flat_hash_map<std::string, uint64_t> seen;
  uint64_t bytes = 0;
  for (size_t at = kHeaderWords; at < words.size(); at += words[at] >> 16) {
    const uint32_t count = words[at] >> 16;
    if (count == 0 || count > words.size() - at) break;
    if (static_cast<spv::Op>(words[at] & 0xffff) != spv::Op::OpName || count < 3) continue;
    const std::string name = NameWithoutNumbers(words.subspan(at + 2, count - 2));
    bytes += seen[name]++ * (count + kHeaderWords);
    if (bytes > kMaxBytes) return true;
  }
  return false;
}

OlderForm WithoutNames(absl::Span<const uint32_t> words) {
  OlderForm copy;
  copy.changed = true;
  copy.words.assign(words.begin(), words.begin() + kHeaderWords);
  size_t at = kHeaderWords;
  for (size_t number = 1; at < words.size() && words[at] >> 16 != 0; ++number) {
    const size_t count = std::min<size_t>(words[at] >> 16, words.size() - at);
    if (!IsName(words[at])) {
      copy.words.insert(copy.words.end(), words.begin() + at, words.begin() + at + count);
      copy.numbers.push_back(number);
    }
    at += count;
  }
  copy.words.insert(copy.words.end(), words.begin() + at, words.end());
  return copy;
}

// Returns the number in the module of an instruction that has this number in a copy; `numbers` as
// in OlderForm, empty: the same.
size_t NumberInModule(absl::Span<const size_t> numbers, size_t number) {
  if (numbers.empty() || number == 0) return number;
  return numbers[std::min(number, numbers.size()) - 1];
}

// `names`: messages call ids by their names. The validator works all names out beforehand, which
// takes a third of its time. `numbers`: of the instructions of `module` that those of `words` stand
// for.
absl::Status Validate(absl::Span<const uint32_t> module, absl::Span<const uint32_t> words,
                      const ValidateOptions& options, bool names,
                      absl::Span<const size_t> numbers) {
  spvtools::SpirvTools tools(EnvironmentOf(words, options));
  if (!tools.IsValid()) return absl::InternalError("SPIRV-Tools does not know this environment");
  std::string text;
  size_t first = 0;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char*,
                               const spv_position_t& position, const char* message) {
    if (level > SPV_MSG_ERROR || text.size() > kMaxText) return;
    if (text.empty()) first = position.index;
    if (!text.empty()) text += "\n";
    text += "instruction " + std::to_string(NumberInModule(numbers, position.index)) + ": " +
            Shortened(message, kMaxText);
  });
  spvtools::ValidatorOptions validator;
  validator.SetFriendlyNames(names);
  validator.SetScalarBlockLayout(options.scalar_block_layout);
  validator.SetWorkgroupScalarBlockLayout(options.scalar_block_layout);
  validator.SetAllowLocalSizeId(true);  // VK_KHR_maintenance4
  if (tools.Validate(words.data(), words.size(), validator)) return absl::OkStatus();
  const absl::Status invalid = absl::InvalidArgumentError(text.empty() ? "not valid SPIR-V" : text);
  return WithInstruction(WithSpirvId(invalid, ResultOf(words, OffsetOf(words, first))),
                         static_cast<uint32_t>(OffsetOf(module, NumberInModule(numbers, first))));
}

}  // namespace

absl::Status ValidateSpirv(absl::Span<const uint32_t> module, const ValidateOptions& options) {
  absl::Span<const uint32_t> words = module;
  OlderForm fewer;
  if (HasTooManyEqualNames(words)) {
    fewer = WithoutNames(words);
    words = fewer.words;
  }
  if (Validate(module, words, options, false, fewer.numbers).ok()) return absl::OkStatus();
  absl::StatusOr<OlderForm> older = OlderFormOf(words);
  if (!older.ok()) return older.status();
  if (!older->changed) return Validate(module, words, options, true, fewer.numbers);
  if (Validate(module, older->words, options, false, {}).ok()) return absl::OkStatus();
  for (size_t& number : older->numbers) number = NumberInModule(fewer.numbers, number);
  const absl::Status status = Validate(module, older->words, options, true, older->numbers);
  return WithMessage(
      status, std::string(status.message()) +
                  "\n"
                  "(disassembled as validated: newer instructions are replaced by older ones)");
}

}  // namespace kiln::front
