// Decides if loops end for any values in their lanes.
//
// A loop does if the number of its iterations is known to be bounded (loop_analysis.h), or if every
// iteration meets an exit that leaves once a counter with step 1 reaches a bound that the loop does
// not change, or once a mask is 0 from which each iteration clears the highest or the lowest bit.
// Other loops may end too: the answer for them is false. Cost: that of the analysis for each loop
// of each query; the caller should not repeat queries.
#ifndef KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_
#define KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_

#include <optional>
#include <vector>

#include "core/mid/analysis/loop_analysis.h"
#include "core/mir/mir.h"

namespace kiln::mid {

class LoopEnds {
 public:
  explicit LoopEnds(const mir::Module& module) : m_(module), analysis_(module) {}

  // Returns true if all loops in the instruction end for any values in their lanes.
  bool AllEnd(mir::InstId id);

 private:
  bool Ends(mir::InstId loop);
  bool Continues(mir::InstId id) const;
  struct Exit {
    mir::InstId compare;
    bool when;  // the result of the comparison with which lanes leave
  };
  std::optional<Exit> ExitOf(mir::InstId id) const;
  bool CountsToBound(mir::InstId loop, mir::InstId exit) const;
  bool ClearsMask(mir::InstId loop, mir::InstId exit) const;
  bool LacksABitOf(mir::ValueId v, mir::ValueId mask) const;
  std::optional<mir::InstId> MadeBy(mir::ValueId v, mir::Op op) const;
  bool StepsByOne(mir::InstId loop, mir::ValueId counter, bool up) const;
  std::vector<bool> DefinedIn(mir::RegionId body) const;
  bool IsInvariant(const std::vector<bool>& of_body, mir::ValueId v, int depth) const;

  const mir::Module& m_;
  LoopAnalysis analysis_;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_
