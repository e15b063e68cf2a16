// Emission of message headers: one register, written dword by dword. Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_HEADERS_H_
#define KILN_CORE_INTEL_EMIT_HEADERS_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

void ClearHeader(EmitContext& em, const lir::Inst& in, const lir::Operand& header);
void MaskInto(EmitContext& em, const lir::Inst& in, const lir::Operand& header, int dword,
              const lir::Operand& from, uint32_t mask);
void AddToHeader(EmitContext& em, const lir::Inst& in, const lir::Operand& header, int dword,
                 uint32_t bytes);
// Only dword 2 of the header has a meaning for a block read of a bound surface, so all dwords get
// the offset (on earlier generations, Mesa copies r0 to the others).
absl::Status EmitHeader(EmitContext& em, lir::InstId id);
// Dword 3 holds the size of the thread's scratch space, dword 5 its base.
absl::Status EmitScratchHeader(EmitContext& em, lir::InstId id);
// Dword 2 holds offsets, write mask and gather channel, dword 3 the sampler state pointer. The low
// bits of that dword have another meaning in r0 and are cleared. A handle is used as it is.
absl::Status EmitSamplerHeader(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_HEADERS_H_
