// Random programs for the machine of testing_scalar.h, with the structure and the guarantees of
// random_program.h: vector and scalar arithmetic side by side, masks and carries that live across
// operations that clobber them, masks on edges, whole-wave values that live across divergent jumps,
// accumulators that are read again, vectors of both files.
#ifndef KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_
#define KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_

#include <cstdint>

#include "core/lir/lir.h"
#include "core/lir/random_program.h"

namespace kiln::lir::testing {

// Makes a random program. `options.width` is 32 or 64. The units of the two pools are at most the
// machine's; masks of lanes that are off take some of S (Function::reserved).
Function RandomScalarProgram(uint64_t seed, const RandomOptions& options, uint32_t vector_units,
                             uint32_t scalar_units);

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_
