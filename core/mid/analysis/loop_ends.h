// Whether loops come to an end whatever the lanes in them hold.
//
// A loop does if the number of its iterations is known to be bounded (loop_analysis.h), or if every
// iteration meets an exit that leaves once a counter which steps by 1 is at a bound that the loop
// does not change. Other loops may end too: nothing is said of them. Cost: that of the analysis for
// each loop asked about; not to be asked of the same one over and over.
#ifndef KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_
#define KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_

#include "core/mid/analysis/loop_analysis.h"
#include "core/mir/mir.h"

namespace kiln::mid {

class LoopEnds {
 public:
  explicit LoopEnds(const mir::Module& module) : m_(module), analysis_(module) {}

  // Whether all loops in the instruction end whatever their lanes hold.
  bool AllEnd(mir::InstId id);

 private:
  bool Ends(mir::InstId loop);
  bool Continues(mir::InstId id) const;
  bool CountsToBound(mir::InstId loop, mir::InstId exit) const;
  bool StepsByOne(mir::InstId loop, mir::ValueId counter, bool up) const;
  bool IsInvariant(mir::RegionId body, mir::ValueId v) const;

  const mir::Module& m_;
  LoopAnalysis analysis_;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_LOOP_ENDS_H_
