// Makes a module that shows a disagreement smaller.
#ifndef KILN_TESTS_EXEC_REDUCE_H_
#define KILN_TESTS_EXEC_REDUCE_H_

#include <functional>

#include "core/mir/mir.h"

namespace kiln::exec {

// Takes out instruction after instruction, what used their results uses 0 instead, as long as
// `fails` says that the module, which is well-formed, still fails. What says which lanes there are
// stays while it is used: without it a module may show what is undefined.
mir::Module Reduced(const mir::Module& module,
                    const std::function<bool(const mir::Module&)>& fails);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_REDUCE_H_
