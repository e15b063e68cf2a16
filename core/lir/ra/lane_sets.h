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
  friend class LaneCounts;
  // Removes a unit of a layout; from all units only if no other layout has it.
  void Erase(uint32_t unit, const LaneLayout& layout, bool last) {
    if (last) all_.erase(unit, 1);
    if (layout.whole) return whole_.erase(unit, 1);
    UnitSet& set = SetOf(layout);
    set.erase(unit, 1);
    if (set.empty()) std::erase_if(lanes_, [&](const auto& row) { return row.first == layout; });
  }
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

// Keeps lane sets of ranges that come and go: counts the ranges that have a unit, which is in the
// sets until the last of them goes.
class LaneCounts {
 public:
  void Insert(uint32_t first, uint32_t n, const LaneLayout& layout, LaneSets* sets) {
    sets->insert(first, n, layout);
    all_.resize(UnitSet::kMaxUnits);
    Counts& own = CountsOf(layout);
    for (uint32_t u = first; u < first + n; ++u) {
      ++own[u];
      ++all_[u];
    }
  }
  // Removes a range that was inserted with this layout.
  void Erase(uint32_t first, uint32_t n, const LaneLayout& layout, LaneSets* sets) {
    Counts& own = CountsOf(layout);
    for (uint32_t u = first; u < first + n; ++u) {
      const bool last = --all_[u] == 0;
      if (--own[u] == 0) sets->Erase(u, layout, last);
    }
  }

 private:
  using Counts = std::vector<uint32_t>;  // by unit
  Counts& CountsOf(const LaneLayout& layout) {
    for (auto& [l, counts] : counts_) {
      if (l == layout) return counts;
    }
    counts_.push_back({layout, Counts(UnitSet::kMaxUnits)});
    return counts_.back().second;
  }

  Counts all_;  // empty before the first range
  std::vector<std::pair<LaneLayout, Counts>> counts_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_LANE_SETS_H_
