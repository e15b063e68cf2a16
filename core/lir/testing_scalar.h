// A second small machine for tests of the shared LIR code, shaped like AMD's RDNA2: vector
// registers of 32 or 64 lanes in which every write obeys the mask, scalar registers, masks of lanes
// in scalar registers, and a single mask register and a single carry. Only tests may depend on it.
//
// * V: a register is a unit; no copy, store or fill reaches lanes that are off.
// * W: whole-wave values in V registers: every lane is meaningful, every write reaches all lanes.
//   They live across divergent jumps like scalars.
// * S: dwords, two aligned to 2, four and more to 4; M: masks, a bit for each lane, in the same
//   pool. Instructions write all bits of a mask; an edge merges its argument into the parameter
//   under the mask of the lanes that take it, which clobbers SCC. Both are spilled to lanes of V
//   registers, V registers to memory.
// * Masks of the lanes that wait are not values: they are in reserved registers by nesting depth.
// * VCC: the mask that short encodings imply. SCC: the carry; scalar arithmetic and every divergent
//   jump clobber it. Both are saved to S where more than one lives.
// * v_mac adds to its own destination: a tied use.
// * Two V registers are exchanged by one instruction, two of S through a register outside the
//   pools.
#ifndef KILN_CORE_LIR_TESTING_SCALAR_H_
#define KILN_CORE_LIR_TESTING_SCALAR_H_

#include <cstdint>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::testing {

enum ScalarOp : uint16_t {
#define KILN_SCALAR_OP(op, text, flags, clobbers, tied, memory_class, timing) op,
#include "core/lir/testing_scalar_ops.def"
#undef KILN_SCALAR_OP
  kNumScalarOps,
};

enum ScalarFile : uint8_t { kFileV, kFileS, kFileM, kFileVcc, kFileScc, kFileW };
enum ScalarPool : uint8_t { kPoolV, kPoolS, kPoolVcc, kPoolScc };

inline constexpr uint32_t kScalarUnits = 106, kVectorUnits = 256;

// Dispatch widths 32 and 64.
const Machine& ScalarTestMachine();

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_TESTING_SCALAR_H_
