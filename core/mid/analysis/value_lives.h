// Live ranges of values, in program order.
//
// Each instruction has a position. A value is live up to the position of its last use, or, if it is
// defined outside of a loop that uses it, up to the loop's end. Queries about instructions that are
// no longer or not yet in a region are undefined. Linear except for the depth of loops.
#ifndef KILN_CORE_MID_ANALYSIS_VALUE_LIVES_H_
#define KILN_CORE_MID_ANALYSIS_VALUE_LIVES_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::mid {

class ValueLives {
 public:
  explicit ValueLives(const mir::Module& module);

  int64_t PositionOf(mir::InstId id) const { return at_[id.index].place; }
  // The last position at which a value defined by `definition` is needed for its use by `user`.
  int64_t Needed(mir::InstId definition, mir::InstId user) const {
    return NeededSince(PositionOf(definition), user);
  }
  // The number of positions by which the value's live range would grow if it were needed until
  // `place`. Constants have no live range.
  int64_t Added(mir::ValueId v, int64_t place) const;
  // The largest number of dwords live at once; narrower values count as fractions of a dword.
  int64_t MostDwords() const;
  // Records a use of the value by `user`.
  void AddUse(mir::ValueId v, mir::InstId user);

 private:
  static constexpr int kNoLoop = -1;
  struct Loop {
    int parent = kNoLoop;
    int64_t place = 0;
    int64_t end = 0;
  };
  struct At {
    int64_t place = 0;
    int loop = kNoLoop;  // the innermost around the instruction
  };

  void Number(mir::RegionId region, int loop);
  bool Lives(mir::ValueId v) const;
  int64_t NeededSince(int64_t definition, mir::InstId user) const;

  const mir::Module& m_;
  std::vector<At> at_;  // by instruction
  std::vector<Loop> loops_;
  std::vector<int64_t> defined_;  // by value
  std::vector<int64_t> needed_;   // by value
  int64_t next_ = 0;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_VALUE_LIVES_H_
