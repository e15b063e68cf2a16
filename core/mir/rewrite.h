// The walk of passes that replace instructions.
//
// A region's list is taken out, visited in order and put back with the changes. While the walk is
// in a region, that region's list in the module is empty: a visitor that must look ahead does so
// before.
#ifndef KILN_CORE_MIR_REWRITE_H_
#define KILN_CORE_MIR_REWRITE_H_

#include <utility>
#include <vector>

#include "core/mir/build.h"

namespace kiln::mir {

// How a walk treats regions nested in the one that it rebuilds.
enum class Nested : uint8_t { kLeft, kVisited };

// Rebuilds the list of a region. visit(InstId) -> bool returns whether the instruction stays.
// Instructions that it emits through the builder come before the visited one and get its SPIR-V id;
// it must leave the builder's insertion point as it found it. With kVisited, nested regions are
// visited after their owner. With kLeft they are left to the visitor, which may rebuild them by
// this function at any point. The builder's insertion point and origin are restored at the end.
template <Nested nested, class Visit>
void Rewrite(Builder& b, RegionId region, Visit&& visit) {
  Module& m = b.module();
  const Builder::InsertionPoint outer = b.insertion_point();
  const uint32_t origin = b.spirv_id();
  const std::vector<InstId> old = std::exchange(m.region(region).insts, {});
  std::vector<InstId> list;
  list.reserve(old.size());
  b.SetList(&list);
  for (InstId id : old) {
    b.set_spirv_id(m.inst(id).spirv_id);
    if (!visit(id)) continue;
    list.push_back(id);
    if constexpr (nested == Nested::kVisited) {
      for (int r = 0; r < m.inst(id).num_regions; ++r) {
        Rewrite<nested>(b, m.inst(id).regions[r], visit);
      }
    }
  }
  m.region(region).insts = std::move(list);
  b.SetInsertionPoint(outer);
  b.set_spirv_id(origin);
}

// Rewrites one region.
template <class Visit>
void RewriteRegion(Builder& b, RegionId region, Visit&& visit) {
  Rewrite<Nested::kLeft>(b, region, visit);
}

// Rewrites a region and all regions nested in it.
template <class Visit>
void RewriteInsts(Builder& b, RegionId region, Visit&& visit) {
  Rewrite<Nested::kVisited>(b, region, visit);
}

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_REWRITE_H_
