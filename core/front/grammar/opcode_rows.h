// Looks up rows of tables by SPIR-V opcode in one step, by an index that is computed at compile
// time. Opcodes are below a few thousand; an index has two bytes for each.
#ifndef KILN_CORE_FRONT_GRAMMAR_OPCODE_ROWS_H_
#define KILN_CORE_FRONT_GRAMMAR_OPCODE_ROWS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "core/front/grammar/spirv_enums.h"

namespace kiln::front {

// Makes the index: for each opcode 1 + the index of the row whose member `kOpcode` equals it, or 0.
template <const auto& kRows, auto kOpcode>
constexpr auto MakeOpcodeIndex() {
  constexpr size_t kSize = 1 + [] {
    size_t most = 0;
    for (const auto& row : kRows) most = std::max(most, static_cast<size_t>(row.*kOpcode));
    return most;
  }();
  std::array<uint16_t, kSize> index{};
  for (size_t i = 0; i < std::size(kRows); ++i) {
    index[static_cast<size_t>(kRows[i].*kOpcode)] = static_cast<uint16_t>(i + 1);
  }
  return index;
}

// Returns the row whose member `kOpcode` is the opcode, or null. Rows have different opcodes.
template <const auto& kRows, auto kOpcode>
const auto* RowOf(spv::Op op) {
  static constexpr auto kIndex = MakeOpcodeIndex<kRows, kOpcode>();
  const auto number = static_cast<size_t>(op);
  const size_t row = number < kIndex.size() ? kIndex[number] : 0;
  return row == 0 ? nullptr : &kRows[row - 1];
}

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_GRAMMAR_OPCODE_ROWS_H_
