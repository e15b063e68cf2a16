// Lowers MIR to LIR of gfx1030, for one size of waves.
#ifndef KILN_CORE_AMD_SELECT_SELECT_H_
#define KILN_CORE_AMD_SELECT_SELECT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/amd/abi/abi.h"
#include "core/amd/select/scan_form.h"
#include "core/lir/lir.h"
#include "core/mir/mir.h"

namespace kiln::amd {

struct Selected {
  lir::Function function;
  uint32_t private_bytes = 0;  // of a lane's scratch, from its start, for private arrays
  uint32_t shared_bytes = 0;   // of the workgroup's LDS: the module's, then those of scans
};

// `width` is 32 or 64. `scans`: the form of each scan of the workgroup. Errors: refusals, with
// their causes and SPIR-V ids.
absl::StatusOr<Selected> Select(const mir::Module& module, const Abi& abi, uint32_t width,
                                const ScanForms& scans);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_SELECT_H_
