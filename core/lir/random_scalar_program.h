// Random programs for the machine of testing_scalar.h, of the same structure and with the same
// promises as random_program.h: vector and scalar arithmetic side by side, masks and carries that
// live across what clobbers them, accumulators that are read again, vectors of both files.
#ifndef KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_
#define KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_

#include <cstdint>

#include "core/lir/lir.h"
#include "core/lir/random_program.h"

namespace kiln::lir::testing {

// `options.width` is 32 or 64. Units of the two pools, at most the target's; masks of lanes that
// are off take some of S (Function::reserved).
Function RandomScalarProgram(uint64_t seed, const RandomOptions& options, uint32_t vector_units,
                             uint32_t scalar_units);

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_RANDOM_SCALAR_PROGRAM_H_
