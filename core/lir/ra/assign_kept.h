// What later places of the block count on: values that must be at home at its end, and homes of
// loop parameters whose next value is still to come. Lifetime: a block.
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

  // The block is Here::block.
  void Enter() { known_ = false; }
  // Must the value, which is here, be at home at the next exit in the block, or if there is none at
  // its end: is it needed there or afterwards, by the terminator, by an edge, or held by parked
  // lanes? Found out when first asked in a block.
  bool Stays(ValueId v);

 private:
  void FindAtEnd();
  void FindLastUses();
  bool PassesExit(ValueId v) const;

  const AssignInput& in_;
  const Here& here_;
  std::vector<uint32_t> epochs_;  // per value: of the last block in which it stays
  uint32_t epoch_ = 0;
  bool known_ = false;
  std::vector<uint32_t> exits_;  // of the block, positions
  struct LastUse {
    uint32_t epoch = 0;  // of the block that it stands in
    uint32_t position = 0;
  };
  std::vector<LastUse> last_use_;  // by value, in a block with exits
};

// Who lives in the home of a loop's parameter when the loop's last block computes its next value
// costs a copy behind the loop's last results, and a wait where those are loaded.
class KeptHomes {
 public:
  KeptHomes(const AssignInput& in, const Places& at, const Here& here, StayingValues& stays)
      : in_(in), at_(at), here_(here), stays_(stays) {}

  void Enter(BlockId b);
  // Places that the value had better not take: it would live there when the next value comes.
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
  std::vector<Kept> kept_;          // of the block, by parameter
  std::vector<uint32_t> last_use_;  // by value, in a block that keeps something
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_KEPT_H_
