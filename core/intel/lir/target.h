// The Intel EU as the shared LIR code sees it.
#ifndef KILN_CORE_INTEL_LIR_TARGET_H_
#define KILN_CORE_INTEL_LIR_TARGET_H_

#include "core/lir/target.h"

namespace kiln::intel {

// Gen12 ("tgl"). Files: G, per lane, whole GRFs a component; U, uniform, a dword a component; F,
// flags, 16 lanes a granule. G and U share the pool of 128 GRFs counted in dwords.
const lir::Target& Gen12Target();

// GRFs that an operand of a message covers: all its components.
uint32_t PayloadRegisters(const lir::Function& f, const lir::Operand& o);

// A spill or fill of n registers is messages of 8, 4, 2 and 1: the first one's, and their number.
uint32_t ScratchBlock(uint32_t registers);
uint32_t ScratchMessages(uint32_t registers);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_TARGET_H_
