// Removes dead code: unused instructions without effect, unused results of `if` and `loop`, and
// unused loop parameters.
//
// SSA construction gives a loop a parameter for every slot written in it; most are rewritten in
// each iteration before they are read. Marking starts from effects and treats a parameter as used
// only if its readers are (so cycles of unused values are removed too). In: any valid module. Out:
// the same program, compacted. Control flow stays as it is. Cost: linear.
#ifndef KILN_CORE_FRONT_FINISH_PRUNE_H_
#define KILN_CORE_FRONT_FINISH_PRUNE_H_

#include "core/mir/mir.h"

namespace kiln::front {

void Prune(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_PRUNE_H_
