// Lists the needs that show in the finished code: floats of 16 bits, accesses by address, clocks,
// barycentric coordinates.
//
// In: a module without dead code; the importer has listed the needs that only SPIR-V shows. Out:
// the same with these, each with the first instruction or variable to blame, which
// core/target/check_features.h names where a target lacks the feature. Cost: linear.
#ifndef KILN_CORE_FRONT_FINISH_FIND_NEEDS_H_
#define KILN_CORE_FRONT_FINISH_FIND_NEEDS_H_

#include "core/mir/mir.h"

namespace kiln::front {

void FindNeeds(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_FIND_NEEDS_H_
