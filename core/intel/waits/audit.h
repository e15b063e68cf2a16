// Checks the waits of a program with a software scoreboard, and finds redundant sync instructions.
//
// Abstract execution over the machine program's blocks. The state is the set of instructions that
// may be in flight, each with the nearest distance in in-order instructions (for in-order ones) and
// the phases that may be open, separately as masked and as NoMask consumers must see them; joins
// take the union. Before each instruction its waits are applied, then rules.h compares every
// producer in flight with it.
//
// Which instructions a wait covers (Wa_1407528679; EUs run in fused pairs, so a block may run with
// all channels off, its masked instructions and their waits not performed):
//   * carried by a NoMask instruction: all producers, for all consumers;
//   * carried by a masked one: masked producers only. For NoMask consumers it covers them only
//     where the block surely runs with a channel on (outside of control flow and not after a
//     halt), and for producers before it in the same block, which have run under the same channels.
//
// The registers of an indirect operand without a noted range (isa::Program::indirect) are not known
// and not judged: machine code does not carry the ranges.
//
// FindCertainMissingWaits follows lanes instead (lanes.h): two lanes of a thread can meet each wait
// that it lists, and a source demands the wait (rules.h has one that no source demands: fences wait
// for responses). A thread that runs with a channel on performs its waits, for all consumers;
// without fusion, nothing else runs.
//
// A sync instruction is redundant if no wait is missing without it. One that waits for a memory
// fence or the gateway never is redundant.
//
// Cost: instructions times producers in flight (those not waited for are bounded by tokens) times
// iterations of the fixed point. For redundant syncs, in addition, the path from each sync
// instruction to the next wait for the same producers. Dependences are by whole registers, as
// compilers track them.
#ifndef KILN_CORE_INTEL_WAITS_AUDIT_H_
#define KILN_CORE_INTEL_WAITS_AUDIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/isa/program.h"
#include "core/intel/waits/lanes.h"
#include "core/intel/waits/rules.h"

namespace kiln::intel::waits {

// Says whether masked waits in control flow may be skipped while NoMask instructions there run. The
// reference compiler assumes that they are not, when it decides what NoMask consumers wait for; its
// binaries are audited with kNever.
enum class Skipping : uint8_t { kPossible, kNever };

struct MissingWait {
  int32_t producer = 0;  // instruction indices
  int32_t consumer = 0;
  uint8_t phases = 0;  // of the producer that may be open, Phase bits
  friend bool operator==(const MissingWait&, const MissingWait&) = default;
};

// Returns a text: "instruction 12 (add) does not wait for 7 (send): results not written".
std::string Describe(const isa::Program& program, const MissingWait& missing);

// Returns the missing waits in order of consumers, then producers. Errors: those of
// isa::BuildBlocks.
absl::StatusOr<std::vector<MissingWait>> FindMissingWaits(const isa::Program& program,
                                                          Skipping skipping = Skipping::kPossible);

// Returns the missing waits that threads meet whatever they are fused with; with Fusion::kOn also
// those that need a block entered with all channels off. Errors: those of PlacesOf.
absl::StatusOr<std::vector<MissingWait>> FindCertainMissingWaits(const isa::Program& program,
                                                                 Fusion fusion);

// Returns the indices of sync instructions (nop with a wait, allrd, allwr) of which each alone is
// redundant.
absl::StatusOr<std::vector<int32_t>> FindRedundantSyncs(const isa::Program& program,
                                                        Skipping skipping = Skipping::kPossible);

}  // namespace kiln::intel::waits

#endif  // KILN_CORE_INTEL_WAITS_AUDIT_H_
