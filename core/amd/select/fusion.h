// Instructions that compute two operations of MIR: v_add3, v_lshl_add, v_min3 and their kin.
//
// An operation is fused into its only reader. In a chain every second one is: the reader of a fused
// operation is not fused itself. Both have 32 bits, and are divergent (a scalar instruction for the
// inner one costs less than the longer vector instruction) or both uniform, if there is a scalar
// instruction for both too.
#ifndef KILN_CORE_AMD_SELECT_FUSION_H_
#define KILN_CORE_AMD_SELECT_FUSION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/amd/select/emission.h"
#include "core/amd/select/parts.h"

namespace kiln::amd {

// A vector instruction of three sources, each a MIR value or, where that is invalid, a constant.
struct Fusion {
  struct Source {
    mir::ValueId value;
    uint32_t constant = 0;
  };
  Opcode op;
  mir::InstId inner;
  Source sources[3];
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
  std::optional<Fusion> MatchField(mir::InstId outer, int inner_source, mir::InstId inner) const;
  std::optional<uint32_t> Constant(mir::InstId id, int source) const;
  std::optional<Fusion> MatchMedian(mir::InstId outer, int inner_source, mir::InstId inner);
  mir::InstId OnlyReader(mir::InstId id);
  bool CanBePart(mir::InstId id) const;
  bool HasScalarForm(const Fusion& fusion) const;
  bool FitsBus(const Fusion& fusion) const;

  Emission& e_;
  const mir::Module& m_;
  Parts& parts_;
  std::vector<State> states_;  // by MIR instruction
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_FUSION_H_
