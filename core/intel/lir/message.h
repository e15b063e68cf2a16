// What an instruction of LIR that sends a message says of it: the side row of kSampler, of messages
// and of fences. The bits of descriptors are isa/messages' business.
#ifndef KILN_CORE_INTEL_LIR_MESSAGE_H_
#define KILN_CORE_INTEL_LIR_MESSAGE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/intel/isa/messages.h"
#include "core/intel/lir/ops.h"
#include "core/lir/build.h"
#include "core/lir/lir.h"
#include "core/lir/side.h"

namespace kiln::intel {

struct LirMessage {
  // `header`: payload 0 is, or starts with, a message header. Lengths are those of the operands: 0
  // here, set when the message is written out. `lanes` of one message: wider ones become several.
  isa::MessageFields fields;
  // Uniform dwords, the last uses but the predicate:
  bool indirect = false;  // added to the descriptor: the index into an array of surfaces, samplers
                          // in bits 8 up
  bool bindless = false;  // handle of the surface, the upper bits of the extended descriptor
  friend bool operator==(const LirMessage&, const LirMessage&) = default;
};

inline LirMessage MessageOf(const lir::Function& f, const lir::Inst& in) {
  return lir::RecordOf<LirMessage>(f.side[in.aux]);
}

// For Inst::aux.
inline uint32_t AddMessage(lir::Function& f, const LirMessage& message) {
  return lir::InternSide(f, lir::RowOf(message));
}

// Uses behind the payloads or parameters: of the descriptors, and the predicate.
inline int UsesBehind(const lir::Inst& in, const LirMessage& message) {
  return (message.indirect ? 1 : 0) + (message.bindless ? 1 : 0) + (in.predicate_mode != 0 ? 1 : 0);
}

// Payload operands of a message: 1 or 2.
inline int PayloadCount(const lir::Function& f, const lir::Inst& in) {
  return in.num_uses - UsesBehind(in, MessageOf(f, in));
}

// Atomics on 64-bit addresses take 8 lanes: wider ones are sent 8 lanes at a time. (Other messages
// of 32 lanes are halved before, halve_messages.)
inline bool IsSplitMessage(const lir::Function& f, const lir::Inst& in) {
  return in.op == kMsgAtomic && in.width > 8 &&
         isa::Info(MessageOf(f, in).fields.message).most_lanes == 8;
}

// "untyped_read bti 3 lanes 16 channels 7": the message's name, then what differs from its default.
std::string PrintMessage(const lir::SideRow& row);
bool ParseMessage(std::string_view text, lir::SideRow* row);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_MESSAGE_H_
