// The description of a message that an LIR instruction sends: the side row of kSampler, of messages
// and of fences. isa/messages encodes the bits of descriptors.
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
  // `header` is true if payload 0 is, or starts with, a message header. The lengths follow from the
  // operands: they are 0 here and set when the message is emitted. `lanes` is the width of one
  // message; a wider instruction becomes several messages.
  isa::MessageFields fields;
  // Each flag below means one more use, a uniform dword in front of the predicate:
  bool indirect = false;  // is added to the descriptor: index into an array of surfaces, and of
                          // samplers from bit 8 on
  bool bindless = false;  // handle of the surface: the upper bits of the extended descriptor
  friend bool operator==(const LirMessage&, const LirMessage&) = default;
};

inline LirMessage MessageOf(const lir::Function& f, const lir::Inst& in) {
  return lir::RecordOf<LirMessage>(f.side[in.aux]);
}

// Adds the message to the function's side rows; returns its index, for Inst::aux.
inline uint32_t AddMessage(lir::Function& f, const LirMessage& message) {
  return lir::InternSide(f, lir::RowOf(message));
}

// Returns the number of uses that follow the payloads or parameters: those of the descriptors, and
// the predicate.
inline int UsesAfterPayload(const lir::Inst& in, const LirMessage& message) {
  return (message.indirect ? 1 : 0) + (message.bindless ? 1 : 0) + (in.predicate_mode != 0 ? 1 : 0);
}

// Returns the number of payload operands of a message: 1 or 2.
inline int PayloadCount(const lir::Function& f, const lir::Inst& in) {
  return in.num_uses - UsesAfterPayload(in, MessageOf(f, in));
}

// Returns true for atomics of more than 8 lanes on 64-bit addresses: such messages take 8 lanes, so
// emission sends several. (halve_messages has halved other messages of 32 lanes before.)
inline bool IsSplitMessage(const lir::Function& f, const lir::Inst& in) {
  return in.op == kMsgAtomic && in.width > 8 &&
         isa::Info(MessageOf(f, in).fields.message).most_lanes == 8;
}

// The text is the message's name, then the fields that differ from their defaults: "untyped_read
// bti 3 lanes 16 channels 7".
std::string PrintMessage(const lir::SideRow& row);
bool ParseMessage(std::string_view text, lir::SideRow* row);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_MESSAGE_H_
