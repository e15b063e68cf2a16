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
  kCopyOp,         // copy
  kCollectOp,      // collect
  kConstOp,        // def = immediate
  kAddOp,          // def = use + use
  kMadOp,          // def = use * use + use
  kCmpOp,          // flag = use ? use
  kSelOp,          // def = flag ? use : use; the flag is the predicate
  kBcastOp,        // G or U from one U or G component
  kBallotOp,       // U from a flag
  kLoadOp,         // send-like: vector def, address
  kStoreOp,        // send-like: address, payload
  kOrderedLoadOp,  // load
  kBarrierOp,
  kIfOp,  // flag
  kElseOp,
  kEndifOp,
  kBreakOp,  // ends the block; lanes go to the exit of the loop
  kContOp,
  kWhileOp,  // back to the loop head; with a flag: the lanes that have it set
  kUniformIfOp,
  kUniformJumpOp,
  kEndOp,   // payload
  kMoveOp,  // made by the allocator
  kXorOp,
  kExitOp,  // lanes end here; with a flag: those that have it set
  kSaveOp,
  kRestoreOp,
  kSpillOp,  // header, payload, slot in scratch memory
  kFillOp,   // header, slot
  kFarHeaderOp,
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
