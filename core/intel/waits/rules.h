// The waits that one instruction owes another: the contract table as the checker states it.
//
// core/sim/eu/contract_rules.cc names the sources. In short: everything but send and math runs in
// order in one pipe that does not interlock on general registers or a0; sends and math finish in
// any order; hardware keeps flags and accumulators coherent; fences wait for responses.
#ifndef KILN_CORE_INTEL_WAITS_RULES_H_
#define KILN_CORE_INTEL_WAITS_RULES_H_

#include <cstdint>

#include "core/intel/isa/footprint.h"
#include "core/intel/isa/instruction.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel::waits {

// In-order results have been written this many in-order instructions later.
inline constexpr int kPipeDepth = 10;
inline constexpr int kTokens = 16;

inline bool IsUnordered(const isa::Instruction& inst) {
  return isa::IsSend(inst.op) || inst.op == isa::Opcode::kMath;
}
// Counts towards distances.
inline bool IsInOrder(const isa::Instruction& inst) {
  return !IsUnordered(inst) && inst.op != isa::Opcode::kSync;
}

inline bool IsMemoryFence(isa::Generation gen, const isa::Instruction& inst) {
  if (!isa::IsSend(inst.op) || inst.send.desc_is_register) return false;
  const auto fields = isa::ParseDescriptor(gen, inst.send.sfid, inst.send.desc, inst.send.ex_desc);
  return fields.ok() && fields->message == isa::Message::kMemoryFence;
}

// The phases of a producer that may not be over.
enum Phase : uint8_t {
  kReading = 1,  // its sources may not have been read
  kWriting = 2,  // its results may not have been written
};

// Returns the phases of `producer` that must be over before `consumer` starts; 0 if none.
inline uint8_t PhasesOwed(const isa::Footprint& producer, bool producer_unordered,
                          const isa::Footprint& consumer, bool consumer_unordered) {
  uint8_t owed = 0;
  const bool raw = consumer.reads.Intersects(producer.writes);
  const bool waw = consumer.writes.Intersects(producer.writes);
  const bool war = consumer.writes.Intersects(producer.reads);
  // Two in-order instructions write and read in program order.
  const bool ordered_pair = !producer_unordered && !consumer_unordered;
  if (raw || (waw && !ordered_pair)) owed |= kWriting;
  if (war && !ordered_pair) owed |= kReading;
  if (consumer.reads_address && producer.writes_address) owed |= kWriting;
  // The next instruction depends on control registers, whatever it is.
  if (producer.writes_special) owed |= kWriting;
  return owed;
}

// Returns the phases for which a memory fence waits in addition: the responses of messages, which
// it might overtake. No source says that it does not overtake them; a reference compiler waits (the
// row in contract_rules.cc).
inline uint8_t PhasesOwedToFence(const isa::Instruction& producer,
                                 const isa::Footprint& footprint) {
  return isa::IsSend(producer.op) && !footprint.writes.Empty() ? kWriting : 0;
}

}  // namespace kiln::intel::waits

#endif  // KILN_CORE_INTEL_WAITS_RULES_H_
