// Promises registers to values that lanes wait with before the walk reaches their definitions:
// parameters of a block that lanes wait for, and, in a loop that lanes have left, values defined
// further down in it.
//
// Without a promise such a value avoids, when it is assigned, all units that were written for all
// lanes while they waited (assign_written.h). Each of these writes is of a short-lived value, but
// in time they cover the whole pool: fills are NoMask, and a loop that spills is full of them.
// Spilling counts the value during the whole wait, so registers are chosen for it where the wait
// begins, and no other value gets them.
//
// A promise is broken if a value that was there before becomes live again at the definition. The
// definition then takes any range that fits: writes during the wait have been recorded regardless.
//
// Used with Order::kPromised only. Lifetime: the function.
#ifndef KILN_CORE_LIR_RA_ASSIGN_PROMISES_H_
#define KILN_CORE_LIR_RA_ASSIGN_PROMISES_H_

#include <cstdint>
#include <vector>

#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_search.h"
#include "core/lir/ra/assign_state.h"

namespace kiln::lir::ra {

class Promises {
 public:
  Promises(const AssignInput& in, Places& at, const Here& here, LiveNow& live, PlaceSearch& search)
      : in_(in), at_(at), here_(here), live_(live), search_(search), asked_(in.f.values.size()) {}

  // Begins the block Here::block, whose parameters are assigned. Promises registers to the values
  // with which lanes begin to wait here, larger values first.
  void Enter();
  // Ends the promise to a value about to be defined and returns its register; kNowhere if none was
  // promised. Other values may use it from now on.
  uint32_t Redeem(ValueId v);

 private:
  void Promise(ValueId v);

  const AssignInput& in_;
  Places& at_;
  const Here& here_;
  LiveNow& live_;
  PlaceSearch& search_;
  std::vector<char> asked_;     // per value: its wait has begun
  std::vector<ValueId> begin_;  // scratch of Enter
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_PROMISES_H_
