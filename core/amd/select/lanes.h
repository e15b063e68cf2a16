// Selection of operations between the lanes of a wave: votes, ballots, shuffles, reductions, scans;
// and of derivatives. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_LANES_H_
#define KILN_CORE_AMD_SELECT_LANES_H_

#include <optional>

#include "absl/status/status.h"
#include "core/amd/select/bools.h"

namespace kiln::amd {

// Returns the fields of an instruction that reads lanes of its row (DPP), whatever row and bank:
// lanes whose source is off, or beyond the row, read 0.
Extra Dpp(uint16_t control);

// Returns the lane's number; 32 in all lanes from the 32nd on.
Operand LaneBelow32(Emission& e);
// Returns the lane's number.
Operand LaneOf(Emission& e);

class Lanes : public Room {
 public:
  Lanes(Emission& e, Bools& bools) : Room(e), bools_(bools) {}

  absl::Status VisitSubgroup(mir::InstId id);
  absl::Status VisitDerivative(mir::InstId id);

 private:
  Operand FirstLane();
  void Elect(mir::ValueId result);
  void Vote(mir::InstId id);
  void Ballot(mir::InstId id);
  absl::Status VisitDouble(mir::InstId id);
  void ReadLanes(mir::InstId id);
  void ReadBool(mir::InstId id);
  Operand Move(const Operand& value, uint16_t control);
  Operand LaneNumber(const Operand& index) const;
  Operand ByPattern(mir::InstId id, const Operand& value);
  Operand Shuffle(const Operand& value, const Operand& index);
  Operand ShuffleByXor(const Operand& value, uint32_t mask);
  std::optional<uint32_t> XorOfLanes(mir::ValueId index) const;
  absl::Status Scan(mir::InstId id);
  bool ReduceBool(mir::InstId id);
  bool CountByMask(mir::InstId id);

  Bools& bools_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_LANES_H_
