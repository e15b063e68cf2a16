// Programs under test with all descriptors in arrays without length: none of them can be in a
// table, so every message uses handles.
#ifndef KILN_TESTS_EXEC_UNSIZED_H_
#define KILN_TESTS_EXEC_UNSIZED_H_

#include "core/mir/mir.h"

namespace kiln::exec {

// Returns the same program with each resource replaced by an element of an array without length.
mir::Module WithUnsizedArrays(mir::Module module);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_UNSIZED_H_
