// Races of a run: which accesses to memory are unordered with each other
// (LaunchInputs::detect_races), and what a lane finds that comes before the writes it is not
// ordered with (LaunchInputs::shuffle_seed).
//
// Memory is seen in granules: dwords or the least element that the program accesses; of images
// texels. Costs four traces and a dword a granule, constant time an access and granule.
#ifndef KILN_CORE_ORACLE_RACES_H_
#define KILN_CORE_ORACLE_RACES_H_

#include <cstdint>

#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

// Accesses of one kind to a granule of memory: as much of them as decides whether one of them is
// unordered with a later access. Moments are numbered from 1, a new one with each barrier and
// group; groups run one after another.
struct Trace {
  uint32_t who = 0;           // made the last one
  uint32_t moment = 0;        // of the last one; 0: there was none
  uint32_t other_moment = 0;  // of the last one by another subgroup than that of `who`
  uint32_t first_group = 0;   // of the first one
  bool several = false;       // in `moment` also by another invocation of the subgroup of `who`
};

struct Access {
  Trace loads;
  Trace stores;        // that changed what is there
  Trace quiet_stores;  // of the value that is there already
  Trace atomics;
  uint32_t before = 0;  // what was there before the last of `stores` and `atomics`
};

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

class Races {
 public:
  explicit Races(Execution& execution) : e_(execution), in_(e_.in) {}

  void BeginGroup();
  // A control barrier of the workgroup, or of its subgroups.
  void Barrier(bool of_workgroup);

  // Looks for races of this access with earlier ones, and remembers it. True if one of them is a
  // write.
  bool Note(mir::InstId id, Access& a, size_t lane, AccessKind kind, bool same);
  // With a random order: does a racing access come before the write that it follows here?
  bool ComesBefore(bool after_write);
  // Has there been a write to the granule that the lane is not ordered with?
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
