// A second small machine for tests of the shared LIR code, shaped like AMD's RDNA2: vector
// registers of 32 or 64 lanes in which every write obeys the mask, scalar registers, masks of lanes
// in scalar registers, and a single mask register and a single carry. Only tests may depend on it.
//
// * V: a register is a unit; no copy, store or fill reaches lanes that are off.
// * S: dwords, two aligned to 2, four and more to 4; M: a mask of all lanes, in the same pool. They
//   are spilled to lanes of V registers, V registers to memory.
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
  kVCopyOp,
  kSCopyOp,
  kSCollectOp,  // of either
  kVConstOp,
  kVAddOp,
  kVMadOp,
  kVMacOp,        // def = use * use + use; the last is tied
  kVCmpOp,        // M
  kVCmpVccOp,     // VCC
  kVSelOp,        // by M
  kVSelVccOp,     // by VCC
  kVBroadcastOp,  // V of S
  kReadFirstOp,   // S of V, of the first lane that is on
  kSConstOp,
  kSAddOp,       // clobbers SCC
  kSMulOp,       // does not
  kSAddCarryOp,  // S and SCC
  kSCmpOp,       // SCC
  kSSelOp,       // by SCC
  kMaskAndOp,    // M; clobbers SCC
  kVLoadOp,
  kVStoreOp,
  kSLoadOp,
  kLdsLoadOp,  // memory of a class of its own
  kLdsStoreOp,
  kSBarrierOp,
  kMaskIfOp,
  kMaskElseOp,
  kMaskEndifOp,
  kMaskBreakOp,
  kMaskContOp,
  kMaskWhileOp,
  kSccIfOp,  // all lanes, by SCC
  kSJumpOp,
  kSEndOp,
  kMaskExitOp,
  kVMoveOp,  // made by the allocator, from here on
  kSMoveOp,
  kVSwapOp,
  kSaveSccOp,
  kRestoreSccOp,
  kSaveVccOp,
  kRestoreVccOp,
  kWriteLanesOp,
  kReadLanesOp,
  kScratchStoreOp,
  kScratchLoadOp,
  kNumScalarOps,
};

enum ScalarFile : uint8_t { kFileV, kFileS, kFileM, kFileVcc, kFileScc };
enum ScalarPool : uint8_t { kPoolV, kPoolS, kPoolVcc, kPoolScc };

inline constexpr uint32_t kScalarUnits = 106, kVectorUnits = 256;

// Dispatch widths 32 and 64.
const Machine& ScalarTestMachine();

}  // namespace kiln::lir::testing

#endif  // KILN_CORE_LIR_TESTING_SCALAR_H_
