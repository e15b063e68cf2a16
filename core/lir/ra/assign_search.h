// Searches a pool for a free range. Lifetime: a query belongs to one definition.
//
// A range fits if it is aligned, in the pool, free of live values, and free of units that parked
// lanes hold and that this value may not share (lane_sets.h: that depends on the phase, so ranges
// are searched phase by phase). The order decides which of the holes is taken.
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
    uint32_t first = 0;                // first unit of the allowed part of the pool
    UnitSet taken;                     // by live values; a definition may take over those that die
    UnitSet barred;                    // for any other reason, always
    const LaneSets* parked = nullptr;  // conflicts depend on the phase
    std::vector<const LaneSets*> more;
  };

  PlaceSearch(const AssignInput& in, const Places& at, const Here& here, LiveNow& live,
              WrittenSets& written, StayingValues& stays, KeptHomes& kept)
      : in_(in), at_(at), here_(here), live_(live), written_(written), stays_(stays), kept_(kept) {}

  // Starts the query of a value. For a tied use it includes the constraints of its definition,
  // which gets the same registers.
  Query Start(ValueId v);
  bool Fits(const Query& s, uint32_t reg) const;
  // Returns true if the definition may start where a dying source starts. All other units in its
  // range must be free or belong to sources that start there as well.
  bool FitsOverSource(const Query& s, InstId i, int def, uint32_t reg) const;
  // Returns all units that a value at `reg` (whose phase matters) would have to avoid.
  UnitSet TakenAt(const Query& s, uint32_t reg) const;
  // Returns the first unit of a range, or kNowhere if nothing fits.
  uint32_t Find(const Query& s);

 private:
  // Avoids units that were written while lanes that hold the value waited.
  void AvoidWritten(ValueId v, Query* s);
  // Avoids units promised to other values. A value whose last use is as the argument of a parameter
  // may take the units promised to that parameter.
  void AvoidPromised(ValueId v, Query* s);
  bool MayShareWithParam(ValueId v, ValueId param) const;
  bool PhasesDiffer(const Query& s) const;
  bool FromTop(ValueId v) const;
  uint32_t FindAvoiding(const Query& s, const UnitSet& avoid);
  uint32_t SearchHoles(const Query& s, const UnitSet* avoid);
  // Gives a short value a register of its own, or at least one that no short value was recently
  // written to.
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
