// A small machine for tests of the shared LIR code, shaped like the Intel EU: files G (per lane,
// whole 8-unit registers), U (uniform, dwords) in one pool, F (flags, 16 lanes a granule) in
// another. Only tests may depend on it.
#ifndef KILN_CORE_LIR_TESTING_H_
#define KILN_CORE_LIR_TESTING_H_

#include <cstdint>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::testing {

// Cycles between two loads.
inline constexpr int kTestLoadBusy = 20;

enum Op : uint16_t {
#define KILN_TEST_OP(op, text, flags, timing) op,
#include "core/lir/testing_ops.def"
#undef KILN_TEST_OP
  kNumOps,
};

enum File : uint8_t { kG, kU, kF };

// Pools of 1024 units and 4 flags; the tail begins at unit 896.
const Machine& TestMachine();
// The same with 256 units, tail at 192, so that fragmentation and lack of registers occur sooner;
// scratch messages reach only the first 4096 units without a header of their own.
const Machine& SmallTestMachine();

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_TESTING_H_
