// Assigns the software scoreboard: sets the SWSB byte of every instruction and inserts sync
// instructions, so that no instruction reads or overwrites a register before it may.
//
// The devices that this pass runs for have no register scoreboard in hardware. In-order
// instructions (everything but send and math) complete in issue order: a wait names the distance to
// the producer, counted in in-order instructions (RegDist). Out-of-order instructions (send, math)
// set one of 16 tokens. A wait for token.dst ends when the destination is written, a wait for
// token.src when the sources are read.
//
// In: a program in final order with physical registers; SWSB bytes are ignored and overwritten. A
// sync.nop whose source is a GRF waits until that register is written (for fences and other
// messages whose result is waited for but not read); the pass turns the source into null. A
// sync.allwr or sync.allrd of the input (a barrier's, say) stays, and counts as the wait that it
// is. Out: the same instructions with SWSB bytes, and sync instructions between them.
//
// isa::ApplyWorkarounds runs before, since the instructions that it inserts need waits.
//
// Algorithm: tokens are assigned in program order, first to sends and math whose wait comes
// soonest; then a forward dataflow over registers finds what may be pending before each
// instruction. State per GRF, a0 and accumulator: position of the last in-order writer and reader,
// and the tokens that may write or read it, each kept separately for NoMask and masked producers.
// Joins take the union (the nearest position). Loops iterate to a fixed point: states only grow, at
// most about nesting depth + 2 iterations. While they grow, they may keep pending what a wait found
// in a later iteration has ended; the waits that are redundant for this reason are removed
// afterwards (Refine in assign_scoreboard.cc). Cost: linear in instructions times iterations.
//
// Rules (sources: the public PRM and the behaviour of Mesa's binaries; ERRATA.md):
//   read after in-order write              RegDist
//   out-of-order write after in-order read or write   RegDist
//   in-order write after in-order read or write       nothing: one pipe, in order
//   read or write after out-of-order write token.dst
//   write after out-of-order read          token.src
//   control, state, ip, mask registers     RegDist 1 at the access and after it
//   memory fence after messages that answer   token.dst (no source allows to leave it out)
//   end of thread                          RegDist 1 always (Wa_14013672992)
//   flags, n0, tdr, implicit acc0/acc1     nothing: hardware keeps them coherent
//   distance above 10                      nothing: the pipeline is shorter
// A wait for token.dst clears the token, a wait for token.src only its reads, and a RegDist all
// older in-order producers. A wait carried by a masked instruction clears masked producers only,
// and is enough only for them: in a block entered with all channels off the wait is skipped while
// NoMask producers still run (Wa_1407528679). Waits for NoMask producers therefore go into NoMask
// instructions. For the same reason a masked wait in such a block clears nothing for NoMask
// consumers except tokens set by masked instructions of the same block: these have run only if the
// wait did.
#ifndef KILN_CORE_INTEL_SWSB_ASSIGN_SCOREBOARD_H_
#define KILN_CORE_INTEL_SWSB_ASSIGN_SCOREBOARD_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::swsb {

inline constexpr int kTokens = 16;

struct SwsbStats {
  int syncs = 0;           // instructions inserted
  int nomask_syncs = 0;    // of these, forced by Wa_1407528679
  int distance_waits = 0;  // waits carried, wherever
  int token_waits = 0;
  int reused_tokens = 0;  // tokens set again while possibly in flight
  int iterations = 0;     // of the dataflow
  int refinements = 0;    // times that waits were removed
};

// Errors: those of isa::BuildBlocks.
absl::StatusOr<SwsbStats> AssignScoreboard(isa::Program& program);

}  // namespace kiln::intel::swsb

#endif  // KILN_CORE_INTEL_SWSB_ASSIGN_SCOREBOARD_H_
