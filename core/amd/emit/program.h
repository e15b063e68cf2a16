// A program of gfx1030 between emission and encoding: instructions with symbolic targets.
//
// Passes over it insert and erase rows with the functions below, which keep the targets. finalise.h
// turns it into bytes.
#ifndef KILN_CORE_AMD_EMIT_PROGRAM_H_
#define KILN_CORE_AMD_EMIT_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd {

struct Row {
  isa::Instruction inst;
  int target = kNoTarget;  // of a branch: index of the row that it goes to
  // The literal is an offset into the program's constant data; encoding adds the distance from the
  // start of this row to the data. The row before is the s_getpc_b64.
  bool constant_address = false;
  uint32_t spirv_id = 0;

  static constexpr int kNoTarget = -1;
};

struct Program {
  isa::Wave wave = isa::Wave::k32;
  std::vector<Row> rows;
};

// Returns true if execution may go on with the next row.
bool FallsThrough(const isa::Instruction& inst);

// Inserts rows before row `at`, which branches to that row jump over. Linear.
void InsertIsland(Program& program, size_t at, absl::Span<const Row> rows);

struct Insertion {
  size_t before = 0;  // row of the program as it was
  Row row;            // without a target
};

// Inserts rows, given in order, each before one of the program; branches to that one go to what is
// inserted. Linear.
void InsertRows(Program& program, absl::Span<const Insertion> insertions);

// Erases the rows whose entry is true. Branches to them go to the next row that stays. Linear.
void EraseRows(Program& program, const std::vector<bool>& erased);

// Returns the text of the rows, one a line, with their numbers; targets as numbers of rows. For
// tests and messages.
std::string ProgramText(const Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_PROGRAM_H_
