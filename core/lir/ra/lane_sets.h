// Units that are held for, or written by, some of the lanes only.
//
// Two per-lane values may share a register in different lanes as long as both put a lane into the
// same bytes: same element size, and the same position within a component (a component of 64 bytes
// that starts at one register does not share with one that starts at the next: lane 0 of the one is
// lane 8 of the other). A whole value (file U, or defined NoMask) shares with no other value.
#ifndef KILN_CORE_LIR_RA_LANE_SETS_H_
#define KILN_CORE_LIR_RA_LANE_SETS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

struct LaneLayout {
  bool whole = true;
  uint8_t elem_bytes = 0;
  uint16_t phase = 0;  // first unit modulo the units of a component
  friend bool operator==(const LaneLayout&, const LaneLayout&) = default;
};

class LaneSets {
 public:
  void insert(uint32_t first, uint32_t n, const LaneLayout& layout) {
    all_.insert(first, n);
    (layout.whole ? whole_ : SetOf(layout)).insert(first, n);
  }

  LaneSets& operator|=(const LaneSets& o) {
    all_ |= o.all_;
    whole_ |= o.whole_;
    for (const auto& [layout, set] : o.lanes_) SetOf(layout) |= set;
    return *this;
  }

  const UnitSet& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  bool has_lanes() const { return !lanes_.empty(); }

  // Adds to `out` the units that a value of this layout may not share.
  void AddConflicts(const LaneLayout& layout, UnitSet* out) const {
    if (layout.whole) {
      *out |= all_;
      return;
    }
    *out |= whole_;
    for (const auto& [l, set] : lanes_) {
      if (l != layout) *out |= set;
    }
  }
  // Returns true if any of these units is in the range.
  bool Conflict(const LaneLayout& layout, uint32_t first, uint32_t n) const {
    if (!all_.intersects(first, n)) return false;
    if (layout.whole || whole_.intersects(first, n)) return true;
    for (const auto& [l, set] : lanes_) {
      if (l != layout && set.intersects(first, n)) return true;
    }
    return false;
  }

 private:
  UnitSet& SetOf(const LaneLayout& layout) {
    for (auto& [l, set] : lanes_) {
      if (l == layout) return set;
    }
    lanes_.push_back({layout, UnitSet()});
    return lanes_.back().second;
  }

  UnitSet all_, whole_;
  std::vector<std::pair<LaneLayout, UnitSet>> lanes_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_LANE_SETS_H_
