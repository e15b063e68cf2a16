// Constraints from later positions in the block: values that must be at home at its end, and homes
// of loop parameters whose next value is still to be computed. Lifetime: a block.
#ifndef KILN_CORE_LIR_RA_ASSIGN_KEPT_H_
#define KILN_CORE_LIR_RA_ASSIGN_KEPT_H_

#include <cstdint>
#include <vector>

#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

class StayingValues {
 public:
  StayingValues(const AssignInput& in, const Here& here)
      : in_(in), here_(here), epochs_(in.f.values.size()) {}

  // Begins the block Here::block.
  void Enter() { known_ = false; }
  // Returns true if the value, which is in registers here, must be at home at the next exit in the
  // block, or if there is none at the block's end: it is needed there or afterwards, by the
  // terminator, by an edge, or by parked lanes. Computed at the first call in a block.
  bool Stays(ValueId v);

 private:
  void FindAtEnd();
  void FindLastUses();
  bool PassesExit(ValueId v) const;

  const AssignInput& in_;
  const Here& here_;
  std::vector<uint32_t> epochs_;  // per value: epoch of the last block in which it stays
  uint32_t epoch_ = 0;
  bool known_ = false;
  std::vector<uint32_t> exits_;  // positions of the block's exits
  struct LastUse {
    uint32_t epoch = 0;  // of the block of that use
    uint32_t position = 0;
  };
  std::vector<LastUse> last_use_;  // by value, in a block with exits
};

// Homes of loop parameters, in the loop's last block until their next value is computed. A value
// that lives in such a home at that time costs a copy after the loop's last results, and a wait
// where those are loaded.
class KeptHomes {
 public:
  KeptHomes(const AssignInput& in, const Places& at, const Here& here, StayingValues& stays)
      : in_(in), at_(at), here_(here), stays_(stays) {}

  void Enter(BlockId b);
  // Returns units that the value should avoid: it would still live there when a parameter's next
  // value is computed.
  UnitSet KeptFrom(ValueId v);

 private:
  struct Kept {
    ValueId param;
    uint32_t until = kNowhere;  // position of the instruction that computes its next value
  };

  const AssignInput& in_;
  const Places& at_;
  const Here& here_;
  StayingValues& stays_;
  std::vector<Kept> kept_;          // of the block, in order of the parameters
  std::vector<uint32_t> last_use_;  // by value, in a block that keeps a home
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_KEPT_H_
