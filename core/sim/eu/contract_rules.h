// The demands of the Gen12 software scoreboard, as a table: which wait is required between a
// producer and a consumer of the same register, and between messages and a memory fence.
//
// Contract mode (scoreboard.h) judges programs by this table. The table was written before that
// code and shares nothing with the pass that inserts waits or with that pass's checker.
//
// There is one column, for Gen12: on earlier generations the hardware waits for registers by itself
// (Mesa 25.0.7 runs brw_lower_scoreboard from Gen12 on), so that no program can break a rule. The
// simulator runs code of Gen12 only.
//
// Sources named in the table:
//   iga-auto   `iga64 -a -p=12p1 -Xauto-deps` on the instruction pair: Intel's assembler inserts
//              the wait (or, where the rule says none, inserts none).
//   sheet-3.6  core/intel/SOURCES.md, "The SWSB field": in-order distances, $n.dst, $n.src, $n.
//   no source  no document says that the wait can be left out, and a reference compiler emits it:
//              the more careful form. memory_rules.h says what may happen without it.
//   wa-1407528679  a wait carried by an instruction whose channels are all off is not performed:
//              fused EUs may run a block with all channels off.
#ifndef KILN_CORE_SIM_EU_CONTRACT_RULES_H_
#define KILN_CORE_SIM_EU_CONTRACT_RULES_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace kiln::sim::eu {

enum class Producer : uint8_t {
  kInOrderWrite,    // result of an in-order instruction in a general register
  kInOrderRead,     // its source
  kUnorderedWrite,  // response of a send, result of math
  kUnorderedRead,   // payload of a send, source of math
  kAddressWrite,    // a0, written in order
  kControlWrite,    // cr0, sr0
  kFlagOrAccWrite,  // flag registers and accumulators
  kMessage,         // a message with a response
};

enum class Consumer : uint8_t {
  kInOrder,
  kUnordered,  // send, math
  kEnd,        // send or sendc that ends the thread
  kFence,      // memory fence
};

// kMemoryOrder is about effects of messages on memory, not about a register.
enum class Hazard : uint8_t { kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite, kMemoryOrder };

enum class Wait : uint8_t {
  kNone,      // the hardware waits by itself
  kDistance,  // a register distance that covers the producer
  kTokenSrc,  // $n.src, $n.dst, or reuse of the token
  kTokenDst,  // $n.dst, or reuse of the token
};

struct ContractRule {
  Producer producer;
  Consumer consumer;
  Hazard hazard;
  Wait required;
  std::string_view source;
};

// The whole table: every combination that can occur has exactly one row.
absl::Span<const ContractRule> ContractRules();

// Returns the wait for a combination; kNone for combinations that cannot occur.
Wait RequiredWait(Producer producer, Consumer consumer, Hazard hazard);

// In-order results are visible to all instructions after this many further in-order instructions
// without any wait: the depth of the pipe (iga-auto drops the wait from distance 11 on).
inline constexpr uint64_t kInOrderDepth = 10;

std::string_view Name(Hazard hazard);
std::string_view Name(Wait wait);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_CONTRACT_RULES_H_
