// Makes values that are message payloads.
#ifndef KILN_CORE_INTEL_MESSAGES_PAYLOAD_H_
#define KILN_CORE_INTEL_MESSAGES_PAYLOAD_H_

#include "absl/types/span.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Returns a new value of whole registers that is not per lane.
lir::Operand MakeRegisters(lir::Function& f, int registers);

// Returns a new value that holds the parts one after the other: per lane if all parts are, else
// registers.
lir::Operand MakePayload(lir::Function& f, absl::Span<const lir::Operand> parts);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_PAYLOAD_H_
