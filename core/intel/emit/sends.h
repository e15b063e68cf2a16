// Emission of messages: sends with their lengths and computed descriptors, fences, barriers and the
// end of the thread. Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_SENDS_H_
#define KILN_CORE_INTEL_EMIT_SENDS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/intel/emit/context.h"
#include "core/intel/isa/messages.h"

namespace kiln::intel {

// Returns a send of `message` with its lengths set; the caller sets its registers.
absl::StatusOr<isa::Instruction> MakeSend(EmitContext& em, const lir::Inst& in, int lanes,
                                          const isa::MessageFields& message);
absl::Status EmitMessage(EmitContext& em, lir::InstId id);
// The fence writes a register when it is done; the sync on that register waits for it.
absl::Status EmitFence(EmitContext& em, lir::InstId id);
// Sends the gateway message with the barrier's id (r0.2 bits 30:24) in dword 2, then waits for the
// barrier.
absl::Status EmitBarrier(EmitContext& em, lir::InstId id);
absl::Status EmitEot(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_SENDS_H_
