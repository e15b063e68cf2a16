// The EU verifier's rules about messages: what a send's descriptors say, and its lengths; rows of
// verify.cc. Sends whose descriptors are in registers are not judged.
#ifndef KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_
#define KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_

#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// The shared function has no such message, or bits are set that it reserves.
bool UnknownMessage(Generation gen, const Instruction& inst);

// A header where the message takes none, or none where it needs one.
bool MessageHeader(Generation gen, const Instruction& inst);

// The payload is longer than the sampler takes.
bool SamplerPayload(Generation gen, const Instruction& inst);

// A block of several registers is sent for fewer than 16 channels.
bool BlockChannels(Generation gen, const Instruction& inst);

// A write to a render target that does not wait for the writes of earlier threads: not a sendc.
bool TargetWriteUnordered(Generation gen, const Instruction& inst);

// A message for other lanes than those of the instruction's channels: their number, and which half
// of a thread of 32 or which half of 16 the descriptor names.
bool MessageChannels(Generation gen, const Instruction& inst);

// A message that ends the thread and cannot: only writes to targets and to the URB and the thread
// spawner's do.
bool EndMessage(Generation gen, const Instruction& inst);

// Payload and response are not as long as the message makes them. The number of coordinates of
// typed messages is not in the descriptor, nor which parameters a sampler message ends with: any
// number that the message can have is good.
bool MessageLengths(Generation gen, const Instruction& inst);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_VERIFY_MESSAGES_H_
