// Headers of messages: one register, made dword by dword.
// Internal to this folder.
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
// Only dword 2 of the header of a block read of a bound surface has a meaning, so all dwords get
// the offset (Mesa has r0's contents in the others on earlier generations).
absl::Status EmitHeader(EmitContext& em, lir::InstId id);
// Dword 3: size of the thread's scratch space; dword 5: its base.
absl::Status EmitScratchHeader(EmitContext& em, lir::InstId id);
// Dword 2: offsets, write mask, gather channel; dword 3: the sampler state pointer, whose low bits
// have another meaning in r0. A handle is used as it is.
absl::Status EmitSamplerHeader(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_HEADERS_H_
