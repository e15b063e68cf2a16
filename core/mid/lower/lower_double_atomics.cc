#include "core/mid/lower/lower_double_atomics.h"

#include "core/mid/lower/float_atomic_loops.h"

namespace kiln::mid {

absl::StatusOr<bool> LowerDoubleAtomics(mir::Module& module, const Features& features,
                                        PassContext&) {
  if (!module.Needs(mir::Need::kFloat64Atomics)) return false;
  return FloatAtomicLoops(module, features.float_atomics, true).Run();
}

}  // namespace kiln::mid
