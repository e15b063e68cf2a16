// The search for a free range of a pool. Lifetime: a query is one definition's.
//
// A place fits where it is aligned, in the pool, free of live values, and free of what parked lanes
// hold and this value may not share (lane_sets.h: that depends on the phase, so places are searched
// phase by phase). Order decides which of the holes.
#ifndef KILN_CORE_LIR_RA_ASSIGN_SEARCH_H_
#define KILN_CORE_LIR_RA_ASSIGN_SEARCH_H_

#include <cstdint>
#include <vector>

#include "core/lir/ra/assign_kept.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/assign_written.h"
#include "core/lir/ra/holes.h"
#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

class PlaceSearch {
 public:
  struct Query {
    ValueId value;
    uint32_t units = 0;
    uint32_t first = 0;                // of the allowed part of the pool
    UnitSet taken;                     // by live values; a definition may take over those that die
    UnitSet barred;                    // by whatever else, for good
    const LaneSets* parked = nullptr;  // conflicts depend on the phase
    std::vector<const LaneSets*> more;
  };

  PlaceSearch(const AssignInput& in, const Places& at, const Here& here, LiveNow& live,
              WrittenSets& written, StayingValues& stays, KeptHomes& kept)
      : in_(in), at_(at), here_(here), live_(live), written_(written), stays_(stays), kept_(kept) {}

  // For a tied use also what its definition will ask, which has no other place.
  Query Start(ValueId v);
  bool Fits(const Query& s, uint32_t reg) const;
  // May the definition start where a dying source starts? Everything else in its range must be
  // free or belong to sources that start there as well.
  bool FitsOverSource(const Query& s, InstId i, int def, uint32_t reg) const;
  // All that a value at `reg` (whose phase matters) would have to avoid.
  UnitSet TakenAt(const Query& s, uint32_t reg) const;
  // kNowhere if nothing fits.
  uint32_t Find(const Query& s);

 private:
  // Avoids what was written while lanes that hold the value waited.
  void AvoidWritten(ValueId v, Query* s);
  // Avoids what others are to have. What ends as an argument of a parameter may be where that is to
  // be.
  void AvoidPromised(ValueId v, Query* s);
  bool MayShareWithParam(ValueId v, ValueId param) const;
  bool PhasesDiffer(const Query& s) const;
  bool FromTop(ValueId v) const;
  uint32_t FindAvoiding(const Query& s, const UnitSet& avoid);
  uint32_t SearchHoles(const Query& s, const UnitSet* avoid);
  // A short value gets a register of its own, or at least one that none was lately written to.
  uint32_t SpreadShort(const Query& s, const UnitSet& avoid);

  const AssignInput& in_;
  const Places& at_;
  const Here& here_;
  LiveNow& live_;
  WrittenSets& written_;
  StayingValues& stays_;
  KeptHomes& kept_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_SEARCH_H_
