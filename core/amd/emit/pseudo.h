// Emits the pseudo operations of lir/ops.def that are no jumps, one function for each theme.
#ifndef KILN_CORE_AMD_EMIT_PSEUDO_H_
#define KILN_CORE_AMD_EMIT_PSEUDO_H_

#include "core/amd/emit/context.h"

namespace kiln::amd {

// Each returns false if the operation is none of its theme.
bool EmitMask(Context& c, lir::InstId i);
bool EmitCopy(Context& c, lir::InstId i);
bool EmitSpill(Context& c, lir::InstId i);
bool EmitWorkgroupScan(Context& c, lir::InstId i);
bool EmitRoomRequest(Context& c, lir::InstId i);

// A dword in a lane of the reserved vector registers of its kind: spilled scalars, or masks of
// lanes that wait (SlotPlaces).
inline constexpr uint8_t kSpilledScalars = kPoolSgpr, kWaitingLanes = lir::Reserved::kNoPool;
struct LaneSlot {
  uint8_t kind;  // Reserved::spilled_pool
  uint32_t dword;
};
// Append the writing and reading of dwords in a row, whichever lanes are on. SCC stays.
void WriteLanes(Context& c, isa::Operand first, uint32_t units, LaneSlot place);
void ReadLanes(Context& c, isa::Operand first, uint32_t units, LaneSlot place);

// Appends def = def & ~exec | use & exec, of masks: the bits of lanes that are on leave `def ^
// use`.
void AddMerge(Context& c, isa::Operand def, isa::Operand use);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_PSEUDO_H_
