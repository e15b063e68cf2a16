// Places for values that lanes wait with before the walk comes to their definitions: parameters of
// a block that lanes wait for, and, of a loop that lanes have left, what is defined further down in
// it.
//
// Without a promise such a value avoids, when its turn comes, all that was written for all lanes
// while they waited (assign_written.h). Each of these writes was of something short, but in time
// they reach the whole pool: fills are NoMask, and a loop that spills is full of them. Spilling
// counts the value in all this time; so its place is chosen where the wait begins, and no other
// value gets it.
//
// A promise is broken where something that was there before comes alive again at the definition,
// which then takes any place that fits: what was written has been recorded all the same.
//
// Of Order::kPromised only. Lifetime: the function.
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

  // The block is Here::block; its parameters have places. Promises places for what lanes begin to
  // wait with here, larger values first.
  void Enter();
  // The place of a value that is to be defined now, kNowhere if none was promised; from now on
  // others may have it.
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
