// Which lane each lane reads: DPP16, DPP8, v_permlane16, ds_swizzle.
//
// Sources: AMD, "RDNA 2" ISA guide, 30 November 2020, 6.8 ("Data parallel processing"), 12.16
// (v_permlane16_b32, v_permlanex16_b32), 12.17 (ds_swizzle_b32).
#ifndef KILN_CORE_SIM_RDNA2_DPP_H_
#define KILN_CORE_SIM_RDNA2_DPP_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// The kinds of source 0 that a lane of a DPP instruction can have.
enum class DppSource : uint8_t {
  kLane,      // the value of lane `lane`
  kZero,      // 0
  kDisabled,  // the lane is not written
};
struct DppLane {
  DppSource source = DppSource::kLane;
  int lane = 0;
};

// Returns false for a control that gfx1030 does not have (row_bcast, wave shifts).
bool IsDppControl(uint16_t control);

// Decides the source of `lane`, which is on. `exec` are the lanes that are on. The form of the
// instruction is kDpp16 with an existing control, or kDpp8.
DppLane DppLaneOf(const isa::Instruction& inst, int lane, uint64_t exec);

// Returns the lane that v_permlane16_b32 (or with `other_row` v_permlanex16_b32) reads in `lane`.
int PermlaneSource(uint32_t low_selects, uint32_t high_selects, bool other_row, int lane);

// Returns the lane that ds_swizzle_b32 with this offset, below kSwizzleFft, reads in `lane`.
inline constexpr uint32_t kSwizzleFft = 0xe000;
int SwizzleSource(uint32_t offset, int lane);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_DPP_H_
