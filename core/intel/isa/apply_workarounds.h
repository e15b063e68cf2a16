// Hardware errata that matter to compiled code: the generations that have them, and Kiln's response
// to each.
//
// The list has every erratum that the reference compiler (Mesa 25.0.7) or Intel's own (IGC) applies
// in code it generates for Tiger Lake, Gen12 here, so that none is forgotten. `where` names the
// code that implements the workaround, or the reason why there is none (core/intel/ERRATA.md has
// the full text). For a generation without the erratum, a source says so. The list has not been
// checked for Gen7.5 and Gen9, and errata that only they have are not in it. No workaround depends
// on a stepping.
#ifndef KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
#define KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

enum class WorkaroundStatus : uint8_t {
  kImplemented,  // worked around by the code that `where` names
  kVerified,     // not worked around: the verifier rejects code that would need it
  kBackEnd,      // a duty of selection or emission
  kLeftOut,      // not worked around, for a reason; programs of another compiler run without it too
  kNotYet,       // for generations or stages that Kiln does not compile yet
};

struct Workaround {
  absl::string_view id;
  absl::string_view rule;
  Rulings by;  // for each generation, whether it has the erratum
  WorkaroundStatus status;
  absl::string_view where;
};

absl::Span<const Workaround> Workarounds();
const ColumnTable& WorkaroundTable();

// Returns true if an erratum forbids a predicate on the instruction: it is a message with a
// destination, or it reads registers through an address (Wa_16012061344).
bool MustNotBePredicated(const Instruction& inst);

// Applies the workarounds that change a finished program. A second run changes nothing: * the
// accumulator is cleared before the thread ends (Wa_14010017096); * the first instruction has a
// non-empty mask (Wa_14015360517); * a predicated send with a destination follows a csel of another
// register to itself
//    (Wa_16012061344);
// * a nop follows the last instruction if that ends the thread (Wa_16013338947); * a scalar
//   three-source instruction whose destination is not 8-byte aligned, which has no
//    encoding, goes through acc0: the instruction writes acc0 and a mov the destination.
// The scoreboard pass runs after it. `dispatch_width` is the number of lanes of the thread; 0
// stands for the widest execution size of the program. Returns Unimplemented, isa_table_unfilled,
// for a generation for which some row does not say whether it applies.
absl::Status ApplyWorkarounds(Program& program, int dispatch_width);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_APPLY_WORKAROUNDS_H_
