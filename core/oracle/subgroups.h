// Subgroup ops of the interpreter: interp_subgroup.h, for all subgroups of a workgroup.
#ifndef KILN_CORE_ORACLE_SUBGROUPS_H_
#define KILN_CORE_ORACLE_SUBGROUPS_H_

#include <cstdint>

#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

class Subgroups {
 public:
  explicit Subgroups(Execution& execution) : e_(execution), m_(e_.m), in_(e_.in) {}

  // Executes lane masks, votes, reads of lanes, reductions and scans; returns false for other ops.
  // With odd seeds of undefined values helpers take part only within quads (reads of quads,
  // reductions of four lanes or fewer), which Vulkan allows ("Helper Invocations").
  bool Exec(mir::InstId id, const BitSet& active);

  // Executes a kWorkgroupScan, without its barrier. Undefined, and counted as such: sums of
  // subgroups that do not take part; all sums if lanes of a subgroup disagree about a source, two
  // subgroups have one number, one that takes part is missing, or its count exceeds its size.
  void ScanWorkgroup(mir::InstId id, const BitSet& active);

 private:
  static bool MayLeaveOutHelpers(const mir::Inst& inst);
  bool ExecFor(mir::InstId id, const BitSet& active);
  void LaneMasks(mir::InstId id);
  // These execute the op for the subgroup whose first lane is `first`.
  void Vote(mir::InstId id, const BitSet& active, uint32_t first);
  void ReadLanes(mir::InstId id, const BitSet& active, uint32_t first);
  void Reduce(mir::InstId id, const BitSet& active, uint32_t first);

  Execution& e_;
  const mir::Module& m_;
  const LaunchInputs& in_;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_SUBGROUPS_H_
