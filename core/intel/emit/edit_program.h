// What passes on a machine program do to its ifs and to the list.
#ifndef KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_
#define KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "core/intel/isa/program.h"

namespace kiln::intel {

// Takes the marked instructions out; targets go to what follows.
void RemoveMarked(isa::Program& program, const std::vector<bool>& dead);

// The predicate of another instruction, or its opposite.
void TakePredicate(isa::Instruction& inst, const isa::Instruction& from, bool inverse);

bool IsIf(const isa::Program& program, int32_t at);

// The else of an if, or its endif if it has none. Behind the else begins what `jip` names.
int32_t ThenEnd(const isa::Program& program, int32_t at);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_EDIT_PROGRAM_H_
