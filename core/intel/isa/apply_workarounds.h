// Hardware errata that matter to compiled code, for which generations, and what Kiln does about
// each.
//
// The list is every erratum that the reference compiler (Mesa 25.0.7) or Intel's own (IGC) applies
// in code it generates for Tiger Lake, Gen12 here, so that none is forgotten; `where` names the
// place that implements it, or why nothing does (core/intel/ERRATA.md has the whole of it). A
// generation that has it not has a source that says so. The list has not been gone
// through for Gen7.5 and Gen9, and what only they have is not in it. What is done depends on no
// stepping.
#ifndef KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
#define KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

enum class WorkaroundStatus : uint8_t {
  kImplemented,  // by the place named
  kVerified,     // not worked around: the verifier refuses code that would need it
  kBackEnd,      // a duty of selection or emission
  kLeftOut,      // not worked around, for a reason; another compiler's programs run without as well
  kNotYet,       // for generations or stages that nothing is compiled for yet
};

struct Workaround {
  absl::string_view id;
  absl::string_view rule;
  Rulings by;  // of each generation, whether it has it
  WorkaroundStatus status;
  absl::string_view where;
};

absl::Span<const Workaround> Workarounds();
const ColumnTable& WorkaroundTable();

// Does an erratum forbid a predicate on such an instruction: a message with a destination, or what
// reads registers through an address (Wa_16012061344)?
bool MustNotBePredicated(const Instruction& inst);

// Applies what changes a finished program, and nothing twice:
//  * the accumulator is cleared before the thread ends (Wa_14010017096);
//  * the first instruction has a non-empty mask (Wa_14015360517);
//  * a predicated send with a destination follows a csel of another register to itself
//    (Wa_16012061344);
//  * a nop follows the last instruction if that ends the thread (Wa_16013338947);
//  * a scalar three-source instruction whose destination is not 8-byte aligned, which has no
//    encoding, goes through acc0: the instruction writes acc0 and a mov the destination.
// Scoreboards come after it. `dispatch_width` is the number of lanes of the thread; 0
// takes the widest execution size for it. Unimplemented, isa_table_unfilled, for a generation of
// which not every row says whether it applies.
absl::Status ApplyWorkarounds(Program& program, int dispatch_width);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
