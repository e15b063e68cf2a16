#include "core/front/spirv/dense_ids.h"

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/front/check/refusal.h"
#include "core/front/grammar/spirv_enums.h"
#include "core/front/grammar/spirv_grammar.h"

namespace kiln::front {
namespace {

constexpr size_t kHeaderWords = 5, kBoundWord = 3;

class Numbering {
 public:
  Numbering(std::vector<uint32_t>* words, std::vector<uint32_t>* original)
      : words_(*words), original_(*original), bound_((*words)[kBoundWord]) {
    original_.assign(1, 0);
    is_long_.assign(1, false);
    type_.assign(1, 0);
  }

  absl::Status Run() {
    for (size_t at = kHeaderWords; at < words_.size();) {
      const uint32_t count = words_[at] >> 16;
      if (count == 0 || count > words_.size() - at) {
        return Invalid("instruction at word " + std::to_string(at) + " runs past the end");
      }
      if (absl::Status s = Instruction(absl::MakeSpan(words_).subspan(at, count)); !s.ok())
        return s;
      at += count;
    }
    words_[kBoundWord] = static_cast<uint32_t>(original_.size());
    return absl::OkStatus();
  }

 private:
  // 0 is no id and stays 0.
  uint32_t NumberOf(uint32_t id) {
    if (id == 0) return 0;
    const auto [at, is_new] = numbers_.try_emplace(id, static_cast<uint32_t>(original_.size()));
    if (is_new) {
      original_.push_back(id);
      is_long_.push_back(false);
      type_.push_back(0);
    }
    return at->second;
  }

  absl::Status Instruction(absl::Span<uint32_t> inst) {
    const auto op = static_cast<spv::Op>(inst[0] & 0xffff);
    size_t literal_words = 1;
    if (op == spv::Op::OpSwitch && inst.size() > 1 && is_long_[type_[NumberOf(inst[1])]]) {
      literal_words = 2;
    }
    indices_.clear();
    AppendIdWords(inst, literal_words, &indices_);
    const InstructionLayout* layout = LayoutOf(op);
    const size_t result = layout == nullptr ? 0 : layout->ResultWord();
    if (result != 0 && result < inst.size() && inst[result] >= bound_) {
      return Invalid("result id outside the id bound", NumberOf(inst[result]));
    }
    for (uint32_t i : indices_) inst[i] = NumberOf(inst[i]);
    if (result == 0 || result >= inst.size()) return absl::OkStatus();
    if (layout->has_type) type_[inst[result]] = inst[1];
    if (op == spv::Op::OpTypeInt && inst.size() > 2) is_long_[inst[result]] = inst[2] == 64;
    return absl::OkStatus();
  }

  std::vector<uint32_t>& words_;
  std::vector<uint32_t>& original_;
  const uint32_t bound_;
  absl::flat_hash_map<uint32_t, uint32_t> numbers_;
  // By new id: true for the type of 64-bit integers; and the type of the id's value.
  std::vector<bool> is_long_;
  std::vector<uint32_t> type_;
  std::vector<uint32_t> indices_;
};

}  // namespace

absl::Status NumberIdsDensely(std::vector<uint32_t>* words, std::vector<uint32_t>* original) {
  return Numbering(words, original).Run();
}

}  // namespace kiln::front
