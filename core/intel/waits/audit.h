// Checks the waits of a program with a software scoreboard, and finds sync instructions that could
// go.
//
// Abstract execution over the machine program's blocks. The state is the set of instructions that
// may be in flight, each with the nearest distance in in-order instructions (in-order ones) and the
// phases that may be open, separately as masked and as NoMask consumers must see them; joins take
// the union. Before each instruction its waits are applied, then every producer in flight is
// compared with it by rules.h.
//
// Which instructions a wait covers (Wa_1407528679; EUs run in fused pairs, so a block may run with
// all channels off, its masked instructions and their waits not performed):
//   * carried by a NoMask instruction: all producers, for all consumers;
//   * carried by a masked one: masked producers only; for NoMask consumers only where the block
//     surely runs with a channel on, outside of control flow and not behind a halt, and producers
//     before it in the same block, which have run under the same channels.
//
// What an indirect operand without a noted range (isa::Program::indirect) touches is not known and
// not judged: machine code does not carry the ranges.
//
// FindCertainMissingWaits follows lanes instead (lanes.h): what it lists, two lanes of a thread
// meet, and a source demands it (rules.h has one wait without: of fences for answers). Whoever runs
// with a channel on performs its waits, for everybody; without fusion nothing else runs.
//
// A sync instruction is redundant if nothing that it waits for is missed without it;
// one that waits for a memory fence or the gateway never is.
//
// Cost: instructions times producers in flight (those not waited for are bounded by tokens) times
// iterations of the fixed point; for the second question, per sync instruction the way to where
// what it waits for is waited for otherwise. Whole registers, as compilers track them.
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

// Whether masked waits in control flow may be skipped under the feet of NoMask instructions there.
// The reference compiler takes it that they are not, when it decides what NoMask consumers wait
// for; its binaries are audited so.
enum class Skipping : uint8_t { kPossible, kNever };

struct MissingWait {
  int32_t producer = 0;  // instruction indices
  int32_t consumer = 0;
  uint8_t phases = 0;  // of the producer, Phase bits
  friend bool operator==(const MissingWait&, const MissingWait&) = default;
};

// "instruction 12 (add) does not wait for 7 (send): results not written".
std::string Describe(const isa::Program& program, const MissingWait& missing);

// In order of consumers, then producers. Errors: those of isa::BuildBlocks.
absl::StatusOr<std::vector<MissingWait>> FindMissingWaits(const isa::Program& program,
                                                          Skipping skipping = Skipping::kPossible);

// Those that threads meet whatever they are fused with; with Fusion::kOn also those that need a
// block entered with all channels off. Errors: those of PlacesOf.
absl::StatusOr<std::vector<MissingWait>> FindCertainMissingWaits(const isa::Program& program,
                                                                 Fusion fusion);

// Indices of sync instructions (nop with a wait, allrd, allwr) that could go, each alone.
absl::StatusOr<std::vector<int32_t>> FindRedundantSyncs(const isa::Program& program,
                                                        Skipping skipping = Skipping::kPossible);

}  // namespace kiln::intel::waits

#endif  // KILN_CORE_INTEL_WAITS_AUDIT_H_
