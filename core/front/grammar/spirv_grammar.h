// The layout of SPIR-V's instructions: which words are ids, which are literals, and how many there
// must be. spirv_grammar.py generates the tables at build time, from the grammar in the SPIR-V
// headers and from the table of newer instructions (spirv_newer.def).
//
// Cost: one step for the row, then one for each operand.
#ifndef KILN_CORE_FRONT_GRAMMAR_SPIRV_GRAMMAR_H_
#define KILN_CORE_FRONT_GRAMMAR_SPIRV_GRAMMAR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

struct InstructionLayout {
  uint32_t opcode;
  std::string_view name;      // "OpLoad"; the first in the grammar if there are several
  std::string_view operands;  // letters, explained in spirv_grammar.py
  uint32_t least_words;       // of the whole instruction
  bool has_type;              // the first operand is the result type ...
  bool has_result;            // ... and the next one, or the first, the result
  // Returns the word index of the result; 0: there is none.
  size_t ResultWord() const { return has_result ? (has_type ? 2 : 1) : 0; }
};

// Returns the layout of an opcode; null: it is neither in core SPIR-V nor in a known extension.
const InstructionLayout* LayoutOf(spv::Op op);

// Returns the opcode's name, or "opcode 4711" if it has no layout: for messages.
std::string OpText(spv::Op op);

// Returns all layouts, by opcode.
absl::Span<const InstructionLayout> InstructionLayouts();

// Returns true if the tables have an extension of this name.
bool IsKnownExtension(std::string_view name);

// Appends the indices of the words of one instruction that are ids, ascending, result and type
// included; none for an opcode without a layout. `switch_literal_words`: words of each literal of
// an OpSwitch, 2 if its selector has 64 bits. Safe on instructions that are too short.
void AppendIdWords(absl::Span<const uint32_t> words, size_t switch_literal_words,
                   std::vector<uint32_t>* indices);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GRAMMAR_SPIRV_GRAMMAR_H_
