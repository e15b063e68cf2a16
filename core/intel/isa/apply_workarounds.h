// Hardware errata that matter to compiled code on Tiger Lake (Gen12 `tgl`), and what Kiln does
// about each.
//
// The list is every erratum that the reference compiler (Mesa 25.0.7) applies in code it generates
// for this GPU, so that none is forgotten; `where` names the place that implements it, or
// `reason` says why it cannot arise. Errata of other GPUs are not listed.
#ifndef KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
#define KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

enum class WorkaroundStatus : uint8_t {
  kImplemented,    // by the place named
  kVerified,       // not worked around: the verifier refuses code that would need it
  kBackEnd,        // a duty of selection or emission
  kNotApplicable,  // cannot arise, for the reason given
};

struct Workaround {
  absl::string_view id;
  absl::string_view rule;
  WorkaroundStatus status;
  absl::string_view where_or_reason;
};

absl::Span<const Workaround> Workarounds();

// Applies what changes a finished program, and nothing twice:
//  * the accumulator is cleared before the thread ends (Wa_14010017096);
//  * the first instruction has a non-empty mask (Wa_14015360517);
//  * a scalar three-source instruction whose destination is not 8-byte aligned, which has no
//    encoding, goes through acc0: the instruction writes acc0 and a mov the destination.
// Scoreboards come after it. `dispatch_width` is the number of lanes of the thread; 0
// takes the widest execution size for it.
void ApplyWorkarounds(Program& program, int dispatch_width);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
