// Selection of arithmetic and conversions. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_ARITHMETIC_H_
#define KILN_CORE_AMD_SELECT_ARITHMETIC_H_

#include "absl/status/status.h"
#include "core/amd/select/bools.h"

namespace kiln::amd {

class Arithmetic : public Room {
 public:
  Arithmetic(Emission& e, Bools& bools) : Room(e), bools_(bools) {}

  // Selects an instruction whose result is a number computed lane by lane.
  absl::Status VisitAlu(mir::InstId id);

 private:
  Bools& bools_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_ARITHMETIC_H_
