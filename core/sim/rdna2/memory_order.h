// Memory mode: accesses take effect late, and out of order as far as memory_rules.h allows.
//
// Problem: a simulator in which a load or store acts when it is issued never shows the effect of a
// missing wait, cache bit or invalidate.
//
// Algorithm: a memory instruction is kept in flight with the registers it had. Between instructions
// time passes: at random, some lanes of an instruction of some wave take effect, if every earlier
// one that the tables order before it has. s_waitcnt makes those take effect that it waits for. An
// instruction takes effect by being executed for those lanes on the registers it had, and its
// results are copied to the wave. Loads of the client's memory may see what it was earlier
// (client_memory.h). All random choices come from one seed: the same seed gives the same run.
//
// Invariants: a register is written when the lane takes effect, so a program that does not wait
// reads the old content. A wave may end with accesses in flight; Finish performs them.
//
// Limits: samples read the newest texels (loads of images do not). Invalidates act when they are
// issued. Memory that is not the client's (scratch, descriptors) has no old copies. An instruction
// whose bytes overlap an earlier one of its CU waits for all lanes of that.
//
// Cost: each access is executed twice, and compared with those in flight on its CU.
#ifndef KILN_CORE_SIM_RDNA2_MEMORY_ORDER_H_
#define KILN_CORE_SIM_RDNA2_MEMORY_ORDER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/splitmix.h"
#include "core/sim/rdna2/client_memory.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/in_flight.h"
#include "core/sim/rdna2/needs.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::sim::rdna2 {

class MemoryOrder : public AccessObserver {
 public:
  // Executes an instruction for the lanes that are on.
  using Execute = std::function<absl::Status(const Op& op, Context& context, WaveState& wave)>;

  // Keeps the addresses of the dispatch's buffers and images. `needs` may be null.
  MemoryOrder(uint64_t seed, const scene::Dispatch& dispatch, Needs* needs, Execute execute);

  // Adds a workgroup to those that run: its waves, which must not move until Finish, and what each
  // reaches. `two_cus`: they may be on both CUs of a WGP. Returns the number of its first wave:
  // waves are numbered through all workgroups that run.
  uint32_t StartGroup(absl::Span<WaveState> waves, absl::Span<const Context> contexts,
                      bool two_cus);

  // Issues a memory instruction of a wave. Errors of the access are returned here; those that a
  // barrier or the scalar cache does not order are noted in `context`, with the accesses outside.
  absl::Status Issue(uint32_t wave, const Op& op, Context& context);

  // Performs the waits of an instruction. Returns false if not all has arrived: the caller lets
  // other waves run and calls again.
  absl::StatusOr<bool> Wait(uint32_t wave, const Op& op);

  // Between two instructions.
  absl::Status Pass();

  // Performs all accesses in flight, when all workgroups have ended.
  absl::Status Finish();

  // Returns a random number below n, n > 0.
  uint32_t Draw(uint32_t n) { return random_.Draw(n); }

  void Note(Space space, uint8_t* data, uint64_t address, uint32_t bytes, Use use) override;

 private:
  // Counters fit 63; the machine waits before they overflow.
  static constexpr size_t kMaxInFlight = 60;

  struct Wave {
    WaveState* state = nullptr;
    Context context;
    uint32_t cu = 0;
    std::vector<Message> messages;  // oldest first
  };

  absl::Status Try(InFlight& message, Context& context);
  bool Empties(uint32_t wave, const Op& op);
  bool Before(const InFlight& earlier, const InFlight& later) const;
  std::vector<Message> Earlier(const InFlight& message) const;
  absl::Status Complete(InFlight& message);
  absl::Status Perform(InFlight& message, uint64_t lanes);
  absl::Status PassOne(InFlight& message);
  void Clean(Wave& wave);
  void NoteNeeds(const Op& op, const WaitCounts& counts, const Wave& wave) const;

  Splitmix random_;
  ClientMemory memory_;
  Needs* needs_;
  Execute execute_;
  uint32_t pace_;  // something takes effect at one in so many opportunities
  bool keeps_;     // stores that may stay on their CU stay until the end
  std::vector<Wave> waves_;
  std::array<std::vector<Message>, kCus> on_cu_;  // vector accesses of all its waves, oldest first
  // The access under way.
  InFlight* current_ = nullptr;
  bool trying_ = false;  // to find out which bytes it accesses
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_MEMORY_ORDER_H_
