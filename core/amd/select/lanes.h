// Selection of operations between the lanes of a wave: votes, ballots, shuffles, reductions, scans;
// and of derivatives. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_LANES_H_
#define KILN_CORE_AMD_SELECT_LANES_H_

#include "absl/status/status.h"
#include "core/amd/select/bools.h"

namespace kiln::amd {

class Lanes : public Room {
 public:
  Lanes(Emission& e, Bools& bools) : Room(e), bools_(bools) {}

  absl::Status VisitSubgroup(mir::InstId id);
  absl::Status VisitDerivative(mir::InstId id);

 private:
  Bools& bools_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_LANES_H_
