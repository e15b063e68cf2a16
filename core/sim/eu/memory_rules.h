// The order in which the messages of one Gen12 thread take effect in memory, as a table.
//
// The simulator's memory mode (memory_order.h) delays messages by this table. The table was written
// before that code and shares nothing with selection, scheduling or the scoreboard pass. Guarantees
// that no document states are not relied upon: without a source, a later message may overtake.
//
// Messages of different threads are not ordered at all. An access takes effect at one moment for
// all threads (L3 and the store of shared memory are one each), lane by lane in any order: no
// source says that the lanes of a message take effect together.
//
// Sources named in the table:
//   mesa-spill     Mesa 25.0.7, brw_reg_allocate.cpp: a fill follows the spill of its slot with
//                  nothing between them that waits for the write; so do loads, stores and atomics
//                  of brw_lower_logical_sends.cpp, whatever the form of the message.
//   mesa-coherence brw makes plain reads of relaxed atomic loads and waits for none before the
//                  next; anv reports vulkanMemoryModel on this generation, which wants them in
//                  order.
//   mesa-fence     brw_fs_nir.cpp, barriers: asks for the commit (HSD 1404612949), stalls on the
//                  fence's response from Gen11 on, and puts sync.allwr before an acquire fence,
//                  since several caches that work out of order may overtake pending messages.
//   visa-fence     Intel's visa manual, FENCE: with the commit the fence is observed globally; bit
//                  5 chooses global memory or shared memory only (Gen11 on).
//   skl-prm        Skylake PRM vol. 7, "Memory Fence": later messages of the thread wait until all
//                  its earlier data port messages have completed. No document repeats this for
//                  Gen12. The table relies on it for the order of writes before a fence; it is no
//                  proof that a program may omit other waits.
//   sheet-3.6      core/intel/SOURCES.md, "The SWSB field": $n.dst, $n.src.
#ifndef KILN_CORE_SIM_EU_MEMORY_RULES_H_
#define KILN_CORE_SIM_EU_MEMORY_RULES_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace kiln::sim::eu {

// The effect of a message on memory.
enum class Event : uint8_t {
  kRead,
  kAtomic,  // with a response
  kWrite,   // or an atomic without response
  kFence,
};
inline constexpr int kEvents = 4;

// The overlap of two messages. A fence has no bytes: it overlaps others by the memory it is for.
enum class Meeting : uint8_t { kSameBytes, kSameMemory, kOtherMemory };
inline constexpr int kMeetings = 3;

// The order of a thread's earlier and later message.
struct OrderRule {
  uint8_t earlier;  // set of events, bit by number
  uint8_t later;
  uint8_t meetings;
  bool kept;  // the later one never takes effect before the earlier one
  std::string_view source;
};

// The whole table: every combination has exactly one row (fences never meet in kSameBytes).
absl::Span<const OrderRule> OrderRules();

bool OrderKept(Event earlier, Event later, Meeting meeting);

// The meaning of a completed wait for a message's token ($n.dst, reuse of the token, sync.allwr).
struct TokenRule {
  Event event;
  bool took_effect;  // false: only that its payload has been read
  std::string_view source;
};
absl::Span<const TokenRule> TokenRules();
bool TokenTellsEffect(Event event);

// Allows a read to be answered from a cache line (kLineBytes) that an earlier read of the thread
// has loaded. Not after a completed fence for that memory, nor after a message of the thread that
// changes the line. Allowed because mesa-fence says that an acquire fence invalidates caches, and
// no source says that a thread's reads never hit one.
inline constexpr bool kReadsMayBeStale = true;
inline constexpr int kLineBytes = 64;

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MEMORY_RULES_H_
