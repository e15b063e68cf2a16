// Selection of booleans: compares, logic, select. emission.h describes their representation.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_BOOLS_H_
#define KILN_CORE_INTEL_SELECT_BOOLS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Bools : public Room {
 public:
  Bools(Emission& e, Conversions& conversions)
      : Room(e), conversions_(conversions), flags_(e.scopes()) {}

  void FindStoredBools();
  absl::Status VisitBool(mir::InstId id);
  Flag FlagOf(mir::ValueId v, Where where);
  Operand StoredBool(mir::ValueId v);
  // Returns a number or stored boolean as bits, in whichever file it is.
  Operand AnyValue(mir::ValueId v);
  // Returns the same as a dword in G.
  Operand LaneValue(mir::ValueId v) { return e_.ToLanes(AnyValue(v)); }
  Operand SelectOp(mir::InstId id);
  // A comparison, with legal sources, that holds in the lanes in which the boolean is true.
  struct Comparands {
    CondMod cmod = CondMod::kNz;
    Operand a, b;
  };
  Comparands ComparandsOf(mir::ValueId v);

 private:
  void Keep(mir::ValueId v, Where where, const Flag& flag);
  Type CompareType(Type t, mir::ValueId v) const;
  void EmitCompare(mir::InstId id, Where where, bool store, bool flag);

  Conversions& conversions_;
  struct CachedFlag {
    mir::ValueId value;
    Where where;
    Flag flag;
  };
  static constexpr size_t kMaxFlags = 2;

  std::vector<bool> stored_;                   // booleans that are needed as dwords
  BlockCache<std::vector<CachedFlag>> flags_;  // oldest first
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_BOOLS_H_
