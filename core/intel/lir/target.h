// The Intel EU as the shared LIR code sees it.
#ifndef KILN_CORE_INTEL_LIR_TARGET_H_
#define KILN_CORE_INTEL_LIR_TARGET_H_

#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/lir/target.h"

namespace kiln::intel {

// The target of a device. Files: G, per lane, whole GRFs a component; U, uniform, a dword a
// component; F, flags, 16 lanes a granule. G and U share the pool of 128 GRFs counted in dwords.
const lir::Target& TargetOf(const Device& device);

// Its operations, the same for all devices.
absl::Span<const lir::OpInfo> IntelOps();

// GRFs that an operand of a message covers: all its components.
uint32_t PayloadRegisters(const lir::Function& f, const lir::Operand& o);

// A spill or fill of n registers is messages of 8, 4, 2 and 1: the first one's, and their number.
uint32_t ScratchBlock(uint32_t registers);
uint32_t ScratchMessages(uint32_t registers);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_TARGET_H_
