// Vectors: a collect becomes parallel moves into its place, which is the one that leaves the most
// parts where they are; a part that ends in a collect is placed there from the first.
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

  // False if its vector has no place.
  bool Place(InstId i);
  // The place of a value within the collect that is its last use, kNowhere if it ends in none. The
  // first of the parts chooses a place for the whole.
  uint32_t PartPlace(const PlaceSearch::Query& s);

 private:
  // At `promised` if that fits.
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
