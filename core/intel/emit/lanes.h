// Machine code of the pseudo operations between lanes (core/intel/lir/ops.h): ballots, reads of
// other lanes, reductions and scans.
//
// Addresses: a lane of a register is read through a0, which nobody else uses and which is set right
// before. Lane numbers are taken modulo the width, also in lanes that are off, and so are those that
// come from an empty mask (fused EUs run blocks with all channels off): an address never leaves
// the register.
// Reductions: the scratch register gets the identity in all lanes and the values in those that are
// on; then everything is NoMask. Step k combines the last lane of the lower half of each group of
// 2^k lanes with the lanes of the upper half, for reductions only with the last. Two and four lanes
// are done for all groups at once by strides, more group by group, since a destination has no
// stride above 4. (Sklansky's network; the interpreter adds in the same order.)
#ifndef KILN_CORE_INTEL_EMIT_LANES_H_
#define KILN_CORE_INTEL_EMIT_LANES_H_

#include "core/intel/isa/program.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// `id`: kBallot, kBroadcast, kShuffle, kQuadBroadcast or kLaneScan.
void EmitLaneOp(const lir::Function& f, lir::InstId id, isa::Program& program);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_LANES_H_
