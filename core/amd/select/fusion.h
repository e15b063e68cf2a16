// Instructions that compute two operations of MIR: v_add3, v_lshl_add, v_min3 and their kin.
//
// An operation is fused into its only reader. In a chain every second one is: the reader of a fused
// operation is not fused itself. Only divergent operations of 32 bits are: a scalar instruction for
// the inner one costs less than the longer vector instruction.
#ifndef KILN_CORE_AMD_SELECT_FUSION_H_
#define KILN_CORE_AMD_SELECT_FUSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/amd/select/emission.h"
#include "core/amd/select/parts.h"

namespace kiln::amd {

// An instruction of three sources, which are MIR values.
struct Fusion {
  Opcode op;
  mir::InstId inner;
  mir::ValueId sources[3];
};

class Fusions {
 public:
  Fusions(Emission& e, Parts& parts) : e_(e), m_(e.module()), parts_(parts) {}

  // Returns true if no code is made for the operation, since its reader computes it.
  bool IsFused(mir::InstId id);
  // Returns the instruction that computes the operation and another one, if there is one.
  std::optional<Fusion> Of(mir::InstId id);

 private:
  enum class State : uint8_t { kUnknown, kFused, kAlone };

  std::optional<Fusion> Candidate(mir::InstId outer);
  std::optional<Fusion> Match(mir::InstId outer, int inner_source, mir::InstId inner);
  std::optional<Fusion> MatchMedian(mir::InstId outer, int inner_source, mir::InstId inner);
  mir::InstId OnlyReader(mir::InstId id);
  bool CanBePart(mir::InstId id) const;

  Emission& e_;
  const mir::Module& m_;
  Parts& parts_;
  std::vector<State> states_;  // by MIR instruction
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_FUSION_H_
