// Expands compacted (64-bit) instructions to the full form, and compacts full ones.
//
// A compacted instruction holds register numbers, the scoreboard byte, and indices into tables of
// common bit patterns (control, data types, sub-registers, source regions), or a 12-bit immediate
// in place of the second source. Instructions of one, two and three sources have such a form, and
// sync.nop; messages, branches and nops have none. The tables have a column per generation:
// gen12_compaction.inc, derived by experiment.
#ifndef KILN_CORE_INTEL_ISA_COMPACT_H_
#define KILN_CORE_INTEL_ISA_COMPACT_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/intel/isa/fields.h"

namespace kiln::intel::isa {

// Returns the index tables as the rows of a ColumnTable.
const ColumnTable& CompactionTable();

// Returns the full form, its compaction bit clear. Unknown opcodes and forms that are never
// compacted are an InvalidArgument error; a generation whose columns are not filled is an
// Unimplemented error (columns.h).
absl::StatusOr<Word128> Expand(Generation gen, uint64_t compacted);

// Returns the compacted form that Expand turns into `full`, bit by bit; if there are several, the
// one with the lowest indices. Absent if there is none: a word whose unused bits differ from those
// of the table's rows has no compacted form, whatever it means. A generation whose columns are not
// filled is an Unimplemented error.
absl::StatusOr<std::optional<uint64_t>> Compact(Generation gen, const Word128& full);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_COMPACT_H_
