// State that the parts of the interpreter share while it runs one dispatch: the values of all
// lanes, the run's random numbers and counts, and its first error. Each part owns the rest of its
// state.
//
// A value has 8 bytes a lane. Results of inactive lanes are never read.
#ifndef KILN_CORE_ORACLE_EXECUTION_H_
#define KILN_CORE_ORACLE_EXECUTION_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/mir/semantics.h"
#include "core/oracle/chance.h"
#include "core/oracle/interp.h"

namespace kiln::oracle {

struct Execution {
  Execution(const mir::Module& module, LaunchInputs& inputs) : m(module), in(inputs) {}

  uint64_t* Lanes(mir::ValueId v) { return registers.data() + size_t{v.index} * lanes; }
  mir::Type TypeOf(mir::ValueId v) const { return m.value(v).type; }

  // Remembers the first error.
  void Fail(absl::Status status) {
    if (error.ok()) error = std::move(status);
  }

  // Calls f with the first lane of each subgroup that has an active one.
  template <class F>
  void ForSubgroups(const BitSet& active, F f) const {
    for (uint32_t first = 0; first < lanes; first += in.subgroup_size) {
      if (FirstActive(active, first) < SubgroupEnd(first)) f(first);
    }
  }

  uint32_t SubgroupEnd(uint32_t first) const { return std::min(first + in.subgroup_size, lanes); }

  // Returns the first active lane of the subgroup that starts at `first`, or its end if there is
  // none.
  uint32_t FirstActive(const BitSet& active, uint32_t first) const {
    uint32_t lane = first;
    while (lane < SubgroupEnd(first) && !active.test(lane)) ++lane;
    return lane;
  }

  // Calls f with each active lane, in the order that the launch requests.
  template <class F>
  void ForActive(const BitSet& active, F f) {
    if (in.shuffle_seed != 0) {
      for (const uint32_t lane : chance.Shuffled(lanes)) {
        if (active.test(lane)) f(lane);
      }
      return;
    }
    if (!in.opposite_order) return active.for_each(f);
    for (size_t lane = lanes; lane-- > 0;) {
      if (active.test(lane)) f(lane);
    }
  }

  const mir::Module& m;
  LaunchInputs& in;
  Chance chance{in};
  uint32_t lanes = 0;  // of a workgroup, or all of a graphics stage
  BitSet helpers;      // helper lanes of fragments, whose effects are omitted
  mir::semantics::Flush flush;
  std::vector<uint64_t> registers;  // value by value, all lanes of a value together
  InterpStatistics statistics;
  absl::Status error;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_EXECUTION_H_
