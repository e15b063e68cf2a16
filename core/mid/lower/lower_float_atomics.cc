#include "core/mid/lower/lower_float_atomics.h"

#include "core/mid/lower/float_atomic_loops.h"

namespace kiln::mid {

absl::StatusOr<bool> LowerFloatAtomics(mir::Module& module, const Features& features,
                                       PassContext&) {
  return FloatAtomicLoops(module, features.float_atomics, false).Run();
}

}  // namespace kiln::mid
