// The EU verifier's rules about structured control flow, which need the whole program.
//
// * if, else and endif nest; JIP of if is the instruction after the else, or the endif if there is
//   no else; UIP of if, JIP and UIP of else are the endif;
// * while goes back to an instruction in the same if;
// * break and cont lie in a loop; their UIP is its while, their JIP is not after that;
// * JIP of endif and halt and UIP of halt go forwards;
// * the last halt is outside of control flow, for all channels, and goes to the instruction after
//   it; all other halts go there too, since otherwise channels wait for ever (Mesa 25.0.7,
//   brw_generator.cpp, patch_halt_jumps).
//
// A branch to a sync or nop in front of its target counts as one to the target. Source: PRM volume
// 2a, if, else, endif, while, break, cont, halt. Cost: linear, except for breaks, which look at the
// loops around them.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_
#define KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"

namespace kiln::intel::isa {

// Returns the indices of instructions that break a rule, ascending.
std::vector<size_t> MisplacedControlFlow(absl::Span<const PlacedInstruction> program);

// The same for the rule about halts.
std::vector<size_t> UnmetHalts(absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_
