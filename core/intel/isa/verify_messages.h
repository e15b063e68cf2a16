// The EU verifier's rules about messages, their descriptors and lengths: rows of verify.cc. Each
// returns true if the rule is broken. Sends whose descriptors are in registers are not judged.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_
#define KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_

#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// The shared function has no such message, or reserved bits are set.
bool UnknownMessage(Generation gen, const Instruction& inst);

// The message has a header but takes none, or has none but needs one.
bool MessageHeader(Generation gen, const Instruction& inst);

// The payload is longer than the sampler takes.
bool SamplerPayload(Generation gen, const Instruction& inst);

// A block of several registers is sent for fewer than 16 channels.
bool BlockChannels(Generation gen, const Instruction& inst);

// A write to a render target that does not wait for the writes of earlier threads: not a sendc.
bool TargetWriteUnordered(Generation gen, const Instruction& inst);

// A message is for other lanes than the instruction's channels: for another number, or for another
// half of a thread of 32 or of 16.
bool MessageChannels(Generation gen, const Instruction& inst);

// A message ends the thread but must not: only writes to render targets and to the URB, and
// messages to the thread spawner may.
bool EndMessage(Generation gen, const Instruction& inst);

// Payload and response do not have the message's lengths. The number of coordinates of typed
// messages is not in the descriptor, nor are the parameters with which a sampler message ends: any
// number that the message can have is accepted.
bool MessageLengths(Generation gen, const Instruction& inst);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_
