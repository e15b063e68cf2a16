// Subgroup ops of the interpreter: what interp_subgroup.h says of one subgroup, for all of a
// workgroup.
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

  // False if the op is none of lane masks, votes, reads of lanes, reductions and scans. With odd
  // seeds of undefined values helpers take no part but within quads (reads of quads, reductions of
  // four lanes or fewer), as Vulkan lets them ("Helper Invocations").
  bool Exec(mir::InstId id, const BitSet& active);

 private:
  static bool MayLeaveOutHelpers(const mir::Inst& inst);
  bool ExecFor(mir::InstId id, const BitSet& active);
  void LaneMasks(mir::InstId id);
  // Of the subgroup whose first lane is `first`.
  void Vote(mir::InstId id, const BitSet& active, uint32_t first);
  void ReadLanes(mir::InstId id, const BitSet& active, uint32_t first);
  void Reduce(mir::InstId id, const BitSet& active, uint32_t first);

  Execution& e_;
  const mir::Module& m_;
  const LaunchInputs& in_;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_SUBGROUPS_H_
