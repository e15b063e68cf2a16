// Vectors: turns a collect into parallel moves to the register at which the most parts need no
// move; a value whose last use is as a part of a collect is assigned its register there from the
// start.
#ifndef KILN_CORE_LIR_RA_ASSIGN_COLLECTS_H_
#define KILN_CORE_LIR_RA_ASSIGN_COLLECTS_H_

#include <cstdint>

#include "core/lir/ra/assign_compaction.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_promises.h"
#include "core/lir/ra/assign_result.h"
#include "core/lir/ra/assign_search.h"
#include "core/lir/ra/assign_state.h"

namespace kiln::lir::ra {

class Collects {
 public:
  Collects(const AssignInput& in, Places& at, const Here& here, LiveNow& live, PlaceSearch& search,
           Compaction& compaction, Promises& promises, AssignResult& result)
      : in_(in),
        at_(at),
        here_(here),
        live_(live),
        search_(search),
        compaction_(compaction),
        promises_(promises),
        result_(result) {}

  // Assigns the collect's vector; false if nothing fits.
  bool Place(InstId i);
  // Returns a value's register within the collect that is its last use; kNowhere if its last use is
  // not a collect. The first of the parts chooses a hint for the whole vector.
  uint32_t PartPlace(const PlaceSearch::Query& s);

 private:
  // Returns `promised` if that fits.
  uint32_t FindPlace(InstId i, uint32_t promised);

  const AssignInput& in_;
  Places& at_;
  const Here& here_;
  LiveNow& live_;
  PlaceSearch& search_;
  Compaction& compaction_;
  Promises& promises_;
  AssignResult& result_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_COLLECTS_H_
