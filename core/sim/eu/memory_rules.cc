// See memory_rules.h.
#include "core/sim/eu/memory_rules.h"

#include <array>

namespace kiln::sim::eu {
namespace {

constexpr uint8_t Set(Event e) { return static_cast<uint8_t>(1u << static_cast<int>(e)); }
constexpr uint8_t Set(Meeting m) { return static_cast<uint8_t>(1u << static_cast<int>(m)); }

constexpr uint8_t kReads = Set(Event::kRead);
constexpr uint8_t kWrites = Set(Event::kWrite);
constexpr uint8_t kFences = Set(Event::kFence);
constexpr uint8_t kAnswering = kReads | Set(Event::kAtomic);
constexpr uint8_t kChanging = kWrites | Set(Event::kAtomic);
constexpr uint8_t kAccesses = kAnswering | kWrites;

constexpr uint8_t kBytes = Set(Meeting::kSameBytes);
constexpr uint8_t kMemory = Set(Meeting::kSameMemory);
constexpr uint8_t kElsewhere = Set(Meeting::kOtherMemory);

constexpr OrderRule kRules[] = {
    // The same address: in order, for all messages.
    {kChanging, kAccesses, kBytes, true, "mesa-spill"},
    {kReads, kChanging, kBytes, true, "mesa-spill: a store after a load from the same slot"},
    {kReads, kReads, kBytes, true, "mesa-coherence"},
    // Different addresses.
    {kAccesses, kAccesses, kMemory | kElsewhere, false, "no source"},
    // A fence is complete when messages that change its memory have taken effect; messages with a
    // response must be waited for. Writes include atomics without response. That a fence orders
    // these like stores has no source of its own: Mesa removes the response of atomics with unused
    // results, as Kiln does.
    {kWrites, kFences, kMemory, true, "skl-prm; visa-fence; mesa-fence: the commit"},
    {kAnswering, kFences, kMemory, false, "mesa-fence: sync.allwr"},
    {kAccesses, kFences, kElsewhere, false, "visa-fence: bit 5"},
    {kFences, kFences, kMemory | kElsewhere, false, "no source; mesa-fence: stalls on each"},
    // Accesses after a fence must wait for its response.
    {kFences, kAccesses, kMemory | kElsewhere, false,
     "no source; mesa-fence: stalls from Gen11 on"},
};

constexpr TokenRule kTokens[] = {
    {Event::kRead, true, "sheet-3.6: the response is there"},
    {Event::kAtomic, true, "sheet-3.6: the response is there"},
    {Event::kWrite, false, "no source"},
    {Event::kFence, true, "mesa-fence; visa-fence: the commit"},
};

constexpr int Index(int earlier, int later, int meeting) {
  return (earlier * kEvents + later) * kMeetings + meeting;
}

constexpr std::array<bool, kEvents * kEvents * kMeetings> MakeIndex() {
  std::array<bool, kEvents * kEvents * kMeetings> kept{};
  for (const OrderRule& r : kRules) {
    for (int e = 0; e < kEvents; ++e) {
      for (int l = 0; l < kEvents; ++l) {
        for (int m = 0; m < kMeetings; ++m) {
          const bool applies = (r.earlier >> e & 1) && (r.later >> l & 1) && (r.meetings >> m & 1);
          if (applies) kept[Index(e, l, m)] = r.kept;
        }
      }
    }
  }
  return kept;
}

constexpr auto kIndex = MakeIndex();

}  // namespace

absl::Span<const OrderRule> OrderRules() { return kRules; }

bool OrderKept(Event earlier, Event later, Meeting meeting) {
  return kIndex[Index(static_cast<int>(earlier), static_cast<int>(later),
                      static_cast<int>(meeting))];
}

absl::Span<const TokenRule> TokenRules() { return kTokens; }

bool TokenTellsEffect(Event event) { return kTokens[static_cast<int>(event)].took_effect; }

}  // namespace kiln::sim::eu
