// Programs under test with all descriptors in arrays without length: none of them can be in a
// table, so every message goes through handles.
#ifndef KILN_TESTS_EXEC_UNSIZED_H_
#define KILN_TESTS_EXEC_UNSIZED_H_

#include "core/mir/mir.h"

namespace kiln::exec {

// The same program: what used a resource uses the same element of an array without length.
mir::Module WithUnsizedArrays(mir::Module module);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_UNSIZED_H_
