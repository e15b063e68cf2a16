// Tables of the hardware that have a column per generation: the contents of a cell, and the error
// for reading an unfilled one.
//
// A cell is a value; ABSENT: the generation has no such thing, by the source that the table names;
// or UNFILLED: the value has not been looked up. Absence is an answer. An unfilled cell is an error
// with the cause isa_table_unfilled, returned at the entry points, called doors (encode, decode,
// expansion of compacted instructions, branches, verifier, errata), before a cell of the column is
// read. One unfilled cell in any table that a door needs closes it for the generation, so that
// half-filled columns are never used. Behind the door, code is instantiated for the generation, and
// its lookups fold.
#ifndef KILN_CORE_INTEL_ISA_COLUMNS_H_
#define KILN_CORE_INTEL_ISA_COLUMNS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

inline constexpr Generation kGenerations[] = {Generation::kGen7p5, Generation::kGen9,
                                              Generation::kGen12};
inline constexpr int kGenerationCount = 3;

constexpr int Index(Generation gen) { return static_cast<int>(gen); }

// "Gen7.5", "Gen9", "Gen12".
absl::string_view Name(Generation gen);

enum class Cell : uint8_t { kUnfilled, kAbsent, kValue };

// Cells of hardware codes: a code, or one of these.
inline constexpr int16_t kAbsentCode = -1;
inline constexpr int16_t kUnfilledCode = -2;
constexpr Cell CellOf(int16_t code) {
  return code >= 0 ? Cell::kValue : code == kAbsentCode ? Cell::kAbsent : Cell::kUnfilled;
}

// The statement of a table of rules about one generation: the rule holds (kValue) or does not
// (kAbsent), by the source named, or this is not known (kUnfilled).
struct Ruling {
  Cell cell = Cell::kUnfilled;
  absl::string_view source;
};

// By Index(Generation).
using Rulings = std::array<Ruling, kGenerationCount>;

// One table as the doors see it: which cells are filled, not their contents.
struct ColumnTable {
  absl::string_view name;
  size_t rows;
  absl::string_view (*row)(size_t);  // its name
  Cell (*cell)(Generation, size_t);
};

// Returns Unimplemented, isa_table_unfilled, if the cell is unfilled; the message names table, row
// and generation.
absl::Status CheckCell(const ColumnTable& table, Generation gen, size_t row);

// The same for the first unfilled cell of the column.
absl::Status CheckColumn(const ColumnTable& table, Generation gen);

constexpr bool IsFilled(const ColumnTable& table, Generation gen) {
  for (size_t row = 0; row < table.rows; ++row) {
    if (table.cell(gen, row) == Cell::kUnfilled) return false;
  }
  return true;
}

// Returns the first error of several columns.
template <typename... Tables>
absl::Status CheckColumns(Generation gen, const Tables&... tables) {
  absl::Status status;
  ((status.ok() ? (void)(status = CheckColumn(tables, gen)) : void()), ...);
  return status;
}

// Returns f(constant of the generation) if its columns are filled in all tables, else the error. F
// is instantiated for filled columns only. R is f's result type, which must be constructible from a
// status.
template <typename R, const ColumnTable&... tables, typename F>
[[gnu::always_inline]] inline R AtDoor(Generation gen, F f) {
  const auto enter = [&f]<Generation g>(std::integral_constant<Generation, g> constant) -> R {
    if constexpr ((IsFilled(tables, g) && ...)) {
      return f(constant);
    } else {
      return CheckColumns(g, tables...);
    }
  };
  switch (gen) {
    case Generation::kGen7p5:
      return enter(std::integral_constant<Generation, Generation::kGen7p5>());
    case Generation::kGen9: return enter(std::integral_constant<Generation, Generation::kGen9>());
    case Generation::kGen12: return enter(std::integral_constant<Generation, Generation::kGen12>());
  }
  return absl::InvalidArgumentError("unknown generation");
}

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_COLUMNS_H_
