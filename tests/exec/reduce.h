// Reduces a module that shows a disagreement.
#ifndef KILN_TESTS_EXEC_REDUCE_H_
#define KILN_TESTS_EXEC_REDUCE_H_

#include <functional>

#include "core/mir/mir.h"

namespace kiln::exec {

// Removes one instruction after another, with 0 in place of their results, as long as `fails`
// returns true for the module, which stays well-formed. Instructions that tell lanes apart stay
// while they are used: without them a module may show undefined results.
mir::Module Reduced(const mir::Module& module,
                    const std::function<bool(const mir::Module&)>& fails);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_REDUCE_H_
