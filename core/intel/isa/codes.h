// Hardware codes of enumerations: types, register files, strides. Internal to encoder and decoder.
//
// The rows are in codes.def, those of opcodes in opcodes.def. Here they become dense arrays, so
// that a lookup is one load. Conditional modifiers, predicates, shared functions and sync functions
// need no rows: their enumerators are the hardware's codes (instruction.h).
#ifndef KILN_CORE_INTEL_ISA_CODES_H_
#define KILN_CORE_INTEL_ISA_CODES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/string_view.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// A family of codes; the comments of its rows in codes.def describe it.
enum class CodeGroup : uint8_t {
  kRegType,
  kImmType,
  kTernaryInt,
  kTernaryFloat,
  kArchRegister,
  kHstride,
  kVstride,
  kTernaryVstride,
  kTernaryDstHstride,
  kWidth,
  kExecSize,
  kMath,
  kBranchUnit,
};
inline constexpr int kCodeGroups = 13;

namespace internal {

#define ABSENT kAbsentCode
#define UNFILLED kUnfilledCode

struct CodeRow {
  CodeGroup group;
  int value;
  absl::string_view name;
  int16_t code[kGenerationCount];
};

inline constexpr CodeRow kCodeRows[] = {
#define KILN_EU_CODE(group, value, g75, g9, g12) \
  {CodeGroup::k##group, static_cast<int>(value), #group " " #value, {g75, g9, g12}},
#include "core/intel/isa/codes.def"
#undef KILN_EU_CODE
};

inline constexpr struct {
  absl::string_view mnemonic;
  int16_t code[kGenerationCount];
} kOpcodeRows[] = {
#define KILN_EU_OPCODE(name, mnemonic, g75, g9, g12, nsrc, format, types, flags) \
  {mnemonic, {g75, g9, g12}},
#include "core/intel/isa/opcodes.def"
#undef KILN_EU_OPCODE
};

#undef UNFILLED
#undef ABSENT

// Values are at most 32, except the marker of one-dimensional indirect regions.
inline constexpr int kValueSlots = 34;
constexpr int SlotOf(int value) {
  if (value == Region::kVxH) return kValueSlots - 1;
  return value < kValueSlots - 1 ? value : -1;
}
inline constexpr int kCodeSlots = 16;

// The codes of one generation, in both directions; -1: none.
struct CodeColumn {
  int8_t code[kCodeGroups][kValueSlots];
  int16_t value[kCodeGroups][kCodeSlots];
};

constexpr CodeColumn MakeCodeColumn(Generation gen) {
  CodeColumn column{};
  for (auto& group : column.code) {
    for (int8_t& code : group) code = -1;
  }
  for (auto& group : column.value) {
    for (int16_t& value : group) value = -1;
  }
  for (const CodeRow& row : kCodeRows) {
    const int16_t code = row.code[Index(gen)];
    if (code < 0) continue;
    column.code[static_cast<int>(row.group)][SlotOf(row.value)] = static_cast<int8_t>(code);
    column.value[static_cast<int>(row.group)][code] = static_cast<int16_t>(row.value);
  }
  return column;
}

inline constexpr CodeColumn kCodeColumns[] = {MakeCodeColumn(Generation::kGen7p5),
                                              MakeCodeColumn(Generation::kGen9),
                                              MakeCodeColumn(Generation::kGen12)};

}  // namespace internal

inline constexpr ColumnTable kCodeTable = {
    "code", std::size(internal::kCodeRows),
    [](size_t row) { return internal::kCodeRows[row].name; },
    [](Generation gen, size_t row) { return CellOf(internal::kCodeRows[row].code[Index(gen)]); }};

inline constexpr ColumnTable kOpcodeTable = {
    "opcode", std::size(internal::kOpcodeRows),
    [](size_t row) { return internal::kOpcodeRows[row].mnemonic; },
    [](Generation gen, size_t row) { return CellOf(internal::kOpcodeRows[row].code[Index(gen)]); }};

// Returns the code of a value (an enumerator, or the number of elements), or nothing if the
// generation has none.
template <Generation gen>
inline std::optional<int> CodeOf(CodeGroup group, int value) {
  static_assert(IsFilled(kCodeTable, gen));
  const int slot = internal::SlotOf(value);
  if (slot < 0) return std::nullopt;
  const int code = internal::kCodeColumns[Index(gen)].code[static_cast<int>(group)][slot];
  return code < 0 ? std::nullopt : std::optional<int>(code);
}
template <Generation gen, typename Enum>
inline std::optional<int> CodeOf(CodeGroup group, Enum value) {
  return CodeOf<gen>(group, static_cast<int>(value));
}

// Returns the value of a code, or nothing if the code is reserved.
template <Generation gen>
inline std::optional<int> ValueOf(CodeGroup group, uint64_t code) {
  static_assert(IsFilled(kCodeTable, gen));
  if (code >= internal::kCodeSlots) return std::nullopt;
  const int value = internal::kCodeColumns[Index(gen)].value[static_cast<int>(group)][code];
  return value < 0 ? std::nullopt : std::optional<int>(value);
}

// The unit of JIP and UIP in bytes.
template <Generation gen>
inline constexpr int kBranchUnit =
    internal::kCodeColumns[Index(gen)].code[static_cast<int>(CodeGroup::kBranchUnit)][0];

// Returns the group of types of three-source operands with this float bit, which all of them share.
constexpr CodeGroup TernaryTypes(bool is_float) {
  return is_float ? CodeGroup::kTernaryFloat : CodeGroup::kTernaryInt;
}

// Returns true if the math function takes a second source.
bool MathIsBinary(MathFunction function);

// Returns true if the function divides integers. Such functions have widths and types of their own.
bool IsIntegerDivision(MathFunction function);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_CODES_H_
