// Results of subgroup operations, for one subgroup of the interpreter.
//
// Inactive lanes take no part. Where the order of a float reduction matters it is that of a tree
// over the lanes' numbers. The whole subgroup: the lower half of the lanes with the upper, then the
// lower quarter with the next, and so on. Clusters: neighbours first, then pairs of pairs. A scan
// adds to the upper half of each group of 2, 4, 8... lanes the last value of the lower half
// (Sklansky, Conditional-Sum Addition Logic, 1960). An exclusive scan is the inclusive one moved up
// by a lane, with the identity where there is no lower lane. A read from an inactive lane gives 0.
#ifndef KILN_CORE_ORACLE_INTERP_SUBGROUP_H_
#define KILN_CORE_ORACLE_INTERP_SUBGROUP_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::oracle {

// The values of a subgroup's lanes; inactive ones have none.
template <class T>
using SubgroupValues = std::vector<std::optional<T>>;

template <class T, class F>
std::optional<T> CombineLanes(F combine, std::optional<T> a, std::optional<T> b) {
  if (!a.has_value()) return b;
  if (!b.has_value()) return a;
  return combine(*a, *b);
}

// Scans in place, within groups of `cluster` lanes, which divides the number of lanes.
template <class T, class F>
void ScanLanes(F combine, uint32_t cluster, SubgroupValues<T>& lanes) {
  for (size_t half = 1; half < cluster; half *= 2) {
    for (size_t i = 0; i < lanes.size(); ++i) {
      if ((i & half) == 0) continue;
      const size_t last = (i & ~(2 * half - 1)) + half - 1;
      lanes[i] = CombineLanes(combine, lanes[last], lanes[i]);
    }
  }
}

// Gives every lane the reduction of its cluster.
template <class T, class F>
void ReduceLanes(F combine, uint32_t cluster, SubgroupValues<T>& lanes) {
  if (cluster == lanes.size()) {
    for (size_t half = cluster / 2; half >= 1; half /= 2) {
      for (size_t i = 0; i < half; ++i) lanes[i] = CombineLanes(combine, lanes[i], lanes[i + half]);
    }
    std::fill(lanes.begin(), lanes.end(), lanes[0]);
    return;
  }
  ScanLanes(combine, cluster, lanes);
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = lanes[i | (cluster - 1)];
}

template <class T, class F>
void ExclusiveScanLanes(F combine, T identity, SubgroupValues<T>& lanes) {
  ScanLanes(combine, static_cast<uint32_t>(lanes.size()), lanes);
  lanes.insert(lanes.begin(), identity);
  lanes.pop_back();
  for (std::optional<T>& lane : lanes) {
    if (!lane.has_value()) lane = identity;
  }
}

// The first value of an exclusive scan.
uint64_t ScanIdentity(mir::ReduceOp op, mir::Type type);

// The 128 bits of a LaneMask in lane number `lane` of a subgroup of `size`.
std::array<uint32_t, 4> LaneMaskBits(mir::LaneMask mask, uint32_t lane, uint32_t size);

// The lane that a lane reads from.
uint32_t SourceLane(const mir::Inst& inst, uint32_t lane, uint32_t index);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_INTERP_SUBGROUP_H_
