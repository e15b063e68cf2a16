// Edits that passes on machine programs make to ifs and to the list of instructions.
#ifndef KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_
#define KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "core/intel/isa/program.h"

namespace kiln::intel {

// Removes the marked instructions; branches to one go to the instruction that follows it.
void RemoveMarked(isa::Program& program, const std::vector<bool>& dead);

// Gives the instruction the predicate of `from`, or its opposite.
void TakePredicate(isa::Instruction& inst, const isa::Instruction& from, bool inverse);

bool IsIf(const isa::Program& program, int32_t at);

// Returns the index of the else of an if, or of its endif if it has none. The else side begins at
// the if's `jip`.
int32_t ThenEnd(const isa::Program& program, int32_t at);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_
