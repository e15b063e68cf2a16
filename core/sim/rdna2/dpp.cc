// See dpp.h.
#include "core/sim/rdna2/dpp.h"

namespace kiln::sim::rdna2 {
namespace {

constexpr int kRow = 16;
constexpr uint16_t kRowShl = 0x100, kRowShr = 0x110, kRowRor = 0x120, kMirror = 0x140,
                   kHalfMirror = 0x141, kRowShare = 0x150, kRowXmask = 0x160;

// Returns the lane that a DPP16 control names, or -1 beyond the row.
int ControlledLane(uint16_t control, int lane) {
  const int row = lane / kRow * kRow, place = lane % kRow;
  const int n = control & 15;
  if (control < 0x100) return lane / 4 * 4 + (control >> (2 * (lane % 4)) & 3);
  switch (control & 0x1f0) {
    case kRowShl: return place + n < kRow ? lane + n : -1;
    case kRowShr: return place >= n ? lane - n : -1;
    case kRowRor: return row + ((place - n) & 15);
    case kMirror: return control == kMirror ? row + 15 - place : lane / 8 * 8 + 7 - lane % 8;
    case kRowShare: return row + n;
    default: return row + (place ^ n);
  }
}

}  // namespace

bool IsDppControl(uint16_t control) {
  if (control < 0x100) return true;
  const uint16_t kind = control & 0x1f0;
  if (kind == kRowShl || kind == kRowShr || kind == kRowRor) return (control & 15) != 0;
  return control == kMirror || control == kHalfMirror || kind == kRowShare || kind == kRowXmask;
}

DppLane DppLaneOf(const isa::Instruction& inst, int lane, uint64_t exec) {
  const isa::Dpp& dpp = inst.dpp;
  const auto is_on = [exec](int l) { return (exec >> l & 1) != 0; };
  if (inst.form == isa::Form::kDpp8) {
    const int from = lane / 8 * 8 + static_cast<int>(dpp.lanes >> (3 * (lane % 8)) & 7);
    if (!dpp.fetch_inactive && !is_on(from)) return {DppSource::kZero, from};
    return {DppSource::kLane, from};
  }
  const int row = lane / kRow, bank = lane % kRow / 4;
  if ((dpp.row_mask >> row & 1) == 0 || (dpp.bank_mask >> bank & 1) == 0) {
    return {DppSource::kDisabled, lane};
  }
  const int from = ControlledLane(dpp.control, lane);
  if (from < 0 || (!dpp.fetch_inactive && !is_on(from))) {
    return {dpp.bound_control ? DppSource::kZero : DppSource::kDisabled, lane};
  }
  return {DppSource::kLane, from};
}

int PermlaneSource(uint32_t low_selects, uint32_t high_selects, bool other_row, int lane) {
  const int place = lane % kRow;
  const uint32_t selects = place < 8 ? low_selects : high_selects;
  const int row = (lane / kRow) ^ (other_row ? 1 : 0);
  return row * kRow + static_cast<int>(selects >> (4 * (place % 8)) & 15);
}

// Offsets: bit 15 quad permutation, 0xc000 rotation; else and, or, xor masks of five bits, within
// 32 lanes.
int SwizzleSource(uint32_t offset, int lane) {
  const int half = lane / 32 * 32, place = lane % 32;
  if (offset >= 0xc000) {
    const int by = static_cast<int>(offset >> 5 & 31), keep = static_cast<int>(offset & 31);
    const int step = (offset & 0x400) != 0 ? -by : by;
    return half + ((place & keep) | ((place + step) & ~keep & 31));
  }
  if ((offset & 0x8000) != 0)
    return lane / 4 * 4 + static_cast<int>(offset >> (2 * (lane % 4)) & 3);
  const int by_and = static_cast<int>(offset & 31), by_or = static_cast<int>(offset >> 5 & 31);
  const int by_xor = static_cast<int>(offset >> 10 & 31);
  return half + (((place & by_and) | by_or) ^ by_xor);
}

}  // namespace kiln::sim::rdna2
