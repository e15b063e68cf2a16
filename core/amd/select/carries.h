// Carries and borrows: numbers 0 or 1 in MIR, flags of the machine. Internal to this folder.
//
// A carry that is only added is the carry-in of that addition; the sum of the same numbers, in the
// same region, is computed by the instruction that makes the carry.
#ifndef KILN_CORE_AMD_SELECT_CARRIES_H_
#define KILN_CORE_AMD_SELECT_CARRIES_H_

#include <optional>
#include <vector>

#include "core/amd/select/bools.h"
#include "core/amd/select/fusion.h"

namespace kiln::amd {

class Carries : public Room {
 public:
  Carries(Emission& e, Fusions& fusions) : Room(e), fusions_(fusions) {}

  // Selects the instruction if it makes or adds a carry or borrow of 32-bit numbers; else returns
  // false.
  bool Visit(mir::InstId id);
  // Returns true for a sum that the instruction of its carry has computed.
  bool IsDone(mir::InstId id) const { return !done_.empty() && done_[id.index]; }

 private:
  void Make(mir::InstId carry, std::optional<mir::InstId> sum);
  void Add(mir::InstId id, int carry_source);
  std::optional<mir::InstId> Twin(mir::InstId id, mir::Op op);
  int CarrySource(mir::InstId id);
  bool IsOnlyAdded(mir::ValueId carry);
  Operand FlagAsMask(const Operand& flag);

  Fusions& fusions_;
  std::vector<Operand> flags_;          // by MIR value: carries, in M or SCC
  std::vector<bool> done_;              // by MIR instruction
  std::vector<mir::RegionId> regions_;  // by MIR instruction; empty until needed
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_CARRIES_H_
