// The EU verifier's rules about structured control flow, which need the whole program.
//
//   * if, else and endif nest; JIP of if is what follows the else, or the endif without one; UIP of
//   if,
//     JIP and UIP of else are the endif;
//   * while goes back, to where the same if is open;
//   * break and cont lie in a loop; their UIP is its while, their JIP not behind that;
//   * JIP of endif and halt and UIP of halt go forwards;
//   * the last halt is outside of control flow, for all channels, and goes to what follows it; that
//   is
//     where all others end, else channels wait for ever (Mesa 25.0.7, brw_generator.cpp,
//     patch_halt_jumps).
// A branch to a sync or nop before its target is one to the target. Source: PRM volume 2a, if,
// else, endif, while, break, cont, halt. Linear, but for break: loops around it.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_
#define KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"

namespace kiln::intel::isa {

// Indices of instructions that break a rule, ascending.
std::vector<size_t> MisplacedControlFlow(absl::Span<const PlacedInstruction> program);

// The same for the rule about halts.
std::vector<size_t> UnmetHalts(absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_FLOW_H_
