#include "core/front/grammar/spirv_grammar.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/front/grammar/opcode_rows.h"

namespace kiln::front {
namespace {

constexpr InstructionLayout MakeLayout(uint32_t opcode, std::string_view name,
                                       std::string_view operands, uint32_t least_words) {
  const bool has_type = operands.substr(0, 1) == "t";
  const bool has_result = operands.substr(has_type ? 1 : 0, 1) == "r";
  return {opcode, name, operands, least_words, has_type, has_result};
}

constexpr InstructionLayout kLayouts[] = {
#define OPCODE(number, name, operands, least) MakeLayout(number, name, operands, least),
#define PARAMETERS(kind, value, operands)
#define EXTENSION(name)
#include "core/front/grammar/spirv_grammar.inc"
#undef OPCODE
#undef PARAMETERS
#undef EXTENSION
};

// The operands that follow an enumerant or a bit of a mask.
struct Parameters {
  char kind;
  uint32_t value;
  std::string_view operands;
};

constexpr Parameters kParameters[] = {
#define OPCODE(number, name, operands, least)
#define PARAMETERS(kind, value, operands) {kind, value, operands},
#define EXTENSION(name)
#include "core/front/grammar/spirv_grammar.inc"
#undef OPCODE
#undef PARAMETERS
#undef EXTENSION
};

constexpr std::string_view kExtensions[] = {
#define OPCODE(number, name, operands, least)
#define PARAMETERS(kind, value, operands)
#define EXTENSION(name) name,
#include "core/front/grammar/spirv_grammar.inc"
#undef OPCODE
#undef PARAMETERS
#undef EXTENSION
};
static_assert(std::is_sorted(std::begin(kExtensions), std::end(kExtensions)));

static_assert(std::is_sorted(std::begin(kLayouts), std::end(kLayouts),
                             [](const InstructionLayout& a, const InstructionLayout& b) {
                               return a.opcode < b.opcode;
                             }));

bool IsMask(char kind) { return std::string_view("ILMAT").find(kind) != std::string_view::npos; }

bool HasZeroByte(uint32_t word) {
  return (word & 0xff) == 0 || (word & 0xff00) == 0 || (word & 0xff0000) == 0 || word >> 24 == 0;
}

class Walk {
 public:
  Walk(absl::Span<const uint32_t> words, size_t switch_literal_words,
       std::vector<uint32_t>* indices)
      : words_(words), literal_words_(switch_literal_words), indices_(indices) {}

  void Operands(std::string_view letters) {
    for (size_t i = 0; i < letters.size(); ++i) {
      const char quantifier = i + 1 < letters.size() ? letters[i + 1] : ' ';
      do {
        if (More()) Operand(letters[i]);
      } while (quantifier == '*' && More());
      if (quantifier == '*' || quantifier == '?') ++i;
    }
  }

 private:
  bool More() const { return at_ < words_.size(); }

  void Id() {
    if (More()) indices_->push_back(static_cast<uint32_t>(at_++));
  }

  void Operand(char letter) {
    switch (letter) {
      case 't':
      case 'r':
      case 'i': return Id();
      case 'l': ++at_; return;
      case 's':
        while (More() && !HasZeroByte(words_[at_])) ++at_;
        ++at_;
        return;
      case 'n': at_ = words_.size(); return;
      case 'p': at_ += literal_words_; return Id();
      case 'q':
        Id();
        ++at_;
        return;
      case 'd': Id(); return Id();
      case 'x': return Operation();
      default: return Enumerant(letter);
    }
  }

  // Walks the operation of an OpSpecConstantOp: another opcode, then its operands without type and
  // result.
  void Operation() {
    const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(words_[at_++]));
    const bool nested = layout != nullptr && layout->operands.find('x') != std::string_view::npos;
    if (layout == nullptr || nested || layout->operands.substr(0, 2) != "tr") return;
    Operands(layout->operands.substr(2));
  }

  void Enumerant(char kind) {
    const uint32_t value = words_[at_++];
    if (!IsMask(kind)) return ParametersOf(kind, value);
    for (uint32_t rest = value; rest != 0; rest &= rest - 1) ParametersOf(kind, rest & (0 - rest));
  }

  void ParametersOf(char kind, uint32_t value) {
    const auto row =
        std::find_if(std::begin(kParameters), std::end(kParameters),
                     [&](const Parameters& p) { return p.kind == kind && p.value == value; });
    if (row != std::end(kParameters)) Operands(row->operands);
  }

  absl::Span<const uint32_t> words_;
  size_t literal_words_;
  std::vector<uint32_t>* indices_;
  size_t at_ = 1;
};

}  // namespace

const InstructionLayout* LayoutOf(spv::Op op) {
  return RowOf<kLayouts, &InstructionLayout::opcode>(op);
}

std::string OpText(spv::Op op) {
  const InstructionLayout* layout = LayoutOf(op);
  return layout == nullptr ? "opcode " + std::to_string(static_cast<uint32_t>(op))
                           : std::string(layout->name);
}

absl::Span<const InstructionLayout> InstructionLayouts() { return kLayouts; }

bool IsKnownExtension(std::string_view name) {
  return std::binary_search(std::begin(kExtensions), std::end(kExtensions), name);
}

void AppendIdWords(absl::Span<const uint32_t> words, size_t switch_literal_words,
                   std::vector<uint32_t>* indices) {
  const InstructionLayout* layout = LayoutOf(static_cast<spv::Op>(words[0] & 0xffff));
  if (layout != nullptr) Walk(words, switch_literal_words, indices).Operands(layout->operands);
}

}  // namespace kiln::front
