// The Intel EU as the shared LIR code sees it.
#ifndef KILN_CORE_INTEL_LIR_TARGET_H_
#define KILN_CORE_INTEL_LIR_TARGET_H_

#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/lir/machine.h"

namespace kiln::intel {

// Returns the machine of a device; it lives as long as the process. Files: G, per lane, whole GRFs
// per component; U, uniform, one dword per component; F, flags, 16 lanes per granule. G and U share
// the pool of 128 GRFs, which is counted in dwords.
const lir::Machine& MachineOf(const Device& device);

// Returns the machine's operations, which are the same for all devices.
absl::Span<const lir::OpInfo> IntelOps();

// Returns the number of GRFs that an operand of a message covers with all its components.
uint32_t PayloadRegisters(const lir::Function& f, const lir::Operand& o);

// A spill or fill of n registers is a sequence of messages of 8, 4, 2 and 1 registers. ScratchBlock
// returns the registers of the first one, ScratchMessages the number of messages.
uint32_t ScratchBlock(uint32_t registers);
uint32_t ScratchMessages(uint32_t registers);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_TARGET_H_
