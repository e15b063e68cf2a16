// See contract_rules.h.
#include "core/sim/eu/contract_rules.h"

#include <array>

namespace kiln::sim::eu {
namespace {

using enum Producer;
using enum Hazard;
using C = Consumer;
using W = Wait;

constexpr ContractRule kRules[] = {
    // In-order results: the pipe does not interlock on general registers.
    {kInOrderWrite, C::kInOrder, kReadAfterWrite, W::kDistance, "iga-auto; sheet-3.6"},
    {kInOrderWrite, C::kUnordered, kReadAfterWrite, W::kDistance, "iga-auto; sheet-3.6"},
    {kInOrderWrite, C::kEnd, kReadAfterWrite, W::kDistance, "iga-auto"},
    {kControlWrite, C::kEnd, kReadAfterWrite, W::kDistance, "iga-auto: mov cr0; sendc {EOT}"},
    // Within the pipe, writes complete in order; another unit's write may overtake.
    {kInOrderWrite, C::kInOrder, kWriteAfterWrite, W::kNone, "iga-auto: mov r10; mov r10"},
    {kInOrderWrite, C::kUnordered, kWriteAfterWrite, W::kDistance, "iga-auto; sheet-3.6"},
    // Sources are read in order; a message may return before an older in-order source is read.
    {kInOrderRead, C::kInOrder, kWriteAfterRead, W::kNone, "iga-auto"},
    {kInOrderRead, C::kUnordered, kWriteAfterRead, W::kDistance,
     "iga-auto: mov r26, r27; math r27"},
    // Sends and math finish in any order. Writes to render targets are sends, whose payload is read
    // as late as that of others: sendc waits for older threads, not for registers.
    {kUnorderedWrite, C::kInOrder, kReadAfterWrite, W::kTokenDst, "iga-auto; sheet-3.6"},
    {kUnorderedWrite, C::kUnordered, kReadAfterWrite, W::kTokenDst, "iga-auto; sheet-3.6"},
    {kUnorderedWrite, C::kEnd, kReadAfterWrite, W::kTokenDst, "sheet-3.6"},
    {kUnorderedWrite, C::kInOrder, kWriteAfterWrite, W::kTokenDst, "iga-auto; sheet-3.6"},
    {kUnorderedWrite, C::kUnordered, kWriteAfterWrite, W::kTokenDst,
     "iga-auto: send r42; send r42"},
    {kUnorderedRead, C::kInOrder, kWriteAfterRead, W::kTokenSrc, "iga-auto: send r50; mov r50"},
    {kUnorderedRead, C::kUnordered, kWriteAfterRead, W::kTokenSrc, "iga-auto; sheet-3.6"},
    // Address registers are not interlocked either, for indirect operands or for descriptors.
    {kAddressWrite, C::kInOrder, kReadAfterWrite, W::kDistance, "iga-auto: mov a0; mov r[a0]"},
    {kAddressWrite, C::kUnordered, kReadAfterWrite, W::kDistance, "iga-auto: mov a0; send a0.0"},
    {kAddressWrite, C::kInOrder, kWriteAfterWrite, W::kNone, "iga-auto"},
    // A change of the control register must be complete before the next instruction that depends on
    // it.
    {kControlWrite, C::kInOrder, kReadAfterWrite, W::kDistance, "iga-auto: mov cr0; mov"},
    {kControlWrite, C::kUnordered, kReadAfterWrite, W::kDistance, "iga-auto"},
    // Flags and accumulators keep their hardware scoreboard.
    {kFlagOrAccWrite, C::kInOrder, kReadAfterWrite, W::kNone, "iga-auto: cmp f0.0; (f0.0) sel"},
    {kFlagOrAccWrite, C::kUnordered, kReadAfterWrite, W::kNone, "iga-auto; sheet-3.6"},
    {kFlagOrAccWrite, C::kInOrder, kWriteAfterWrite, W::kNone, "iga-auto: mul acc0; mul acc0"},
    // A fence waits for writes to memory; messages with a response might be overtaken by it, since
    // several caches work out of order. Mesa waits for all (sync.allwr) before acquire fences. The
    // Skylake PRM says that every fence waits for everything by itself; no document says so for
    // Gen12.
    {kMessage, C::kFence, kMemoryOrder, W::kTokenDst, "no source; Mesa 25.0.7: sync.allwr"},
};

constexpr int kProducers = 8, kConsumers = 4, kHazards = 4;

constexpr int Index(Producer p, Consumer c, Hazard h) {
  return (static_cast<int>(p) * kConsumers + static_cast<int>(c)) * kHazards + static_cast<int>(h);
}

constexpr std::array<Wait, kProducers * kConsumers * kHazards> MakeIndex() {
  std::array<Wait, kProducers * kConsumers * kHazards> table{};
  for (const ContractRule& r : kRules) table[Index(r.producer, r.consumer, r.hazard)] = r.required;
  return table;
}

constexpr auto kIndex = MakeIndex();

}  // namespace

absl::Span<const ContractRule> ContractRules() { return kRules; }

Wait RequiredWait(Producer producer, Consumer consumer, Hazard hazard) {
  return kIndex[Index(producer, consumer, hazard)];
}

std::string_view Name(Hazard hazard) {
  switch (hazard) {
    case kReadAfterWrite: return "read after write";
    case kWriteAfterRead: return "write after read";
    case kWriteAfterWrite: return "write after write";
    case kMemoryOrder: return "memory order";
  }
  return "";
}

std::string_view Name(Wait wait) {
  switch (wait) {
    case W::kNone: return "no wait";
    case W::kDistance: return "a register distance";
    case W::kTokenSrc: return "$.src";
    case W::kTokenDst: return "$.dst";
  }
  return "";
}

}  // namespace kiln::sim::eu
