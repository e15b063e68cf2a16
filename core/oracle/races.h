// Detects races of a run: accesses to memory that are unordered with each other
// (LaunchInputs::detect_races), and the value a lane reads if it comes before the writes it is
// unordered with (LaunchInputs::shuffle_seed).
//
// Memory is recorded in granules: dwords or the smallest element that the program accesses; of
// images texels. Costs four traces and two dwords a granule, constant time an access and granule.
#ifndef KILN_CORE_ORACLE_RACES_H_
#define KILN_CORE_ORACLE_RACES_H_

#include <cstdint>

#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

// A summary of the accesses of one kind to a granule of memory, enough to decide if one of them is
// unordered with a later access. Moments are numbered from 1; each barrier and each group begins a
// new one. Groups run one after another.
struct Trace {
  uint32_t who = 0;           // the invocation of the last one
  uint32_t moment = 0;        // of the last one; 0: there was none
  uint32_t other_moment = 0;  // of the last one by a subgroup other than that of `who`
  uint32_t first_group = 0;   // of the first one
  bool several = false;       // in `moment` also by another invocation of the subgroup of `who`
};

struct Access {
  Trace loads;
  Trace stores;        // that changed the value
  Trace quiet_stores;  // of the value already there
  Trace atomics;
  uint32_t before = 0;  // the value before the last of `stores` and `atomics`
  // Stores of different values, or a store and an atomic, are unordered: what is left is undefined.
  bool raced = false;
};

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

class Races {
 public:
  explicit Races(Execution& execution) : e_(execution), in_(e_.in) {}

  void BeginGroup();
  // A control barrier of the workgroup, or of its subgroups.
  void Barrier(bool of_workgroup);

  // Checks this access for races with earlier ones, and records it. Returns true if it races with a
  // write.
  bool Note(mir::InstId id, Access& a, size_t lane, AccessKind kind, bool same);
  // With a random order: decides randomly if a racing access comes before the write that it follows
  // here.
  bool ComesBefore(bool after_write);
  // Returns true if there was a write to the granule that the lane is unordered with.
  bool IsStale(const Access& a, size_t lane) const;

 private:
  uint32_t InvocationOf(size_t lane) const;
  bool OfOneSubgroup(uint32_t a, uint32_t b) const;
  bool Unordered(const Trace& t, uint32_t me) const;
  void Remember(uint32_t me, Trace* t) const;

  Execution& e_;
  const LaunchInputs& in_;
  uint32_t moment_ = 0;
  uint32_t workgroup_moment_ = 0;  // of the last barrier of the workgroup
  uint32_t groups_run_ = 0;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_RACES_H_
