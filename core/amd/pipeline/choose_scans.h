// Chooses the form of each scan of the workgroup (core/amd/select/scan_form.h) by the cost model:
// of the forms that the device has, the one whose program takes a wave the fewest cycles.
//
// It compares programs of a scan and nothing else, compiled like any module. So the choice
// depends on waves, streams and the device alone; it is made once for each of these in a process.
#ifndef KILN_CORE_AMD_PIPELINE_CHOOSE_SCANS_H_
#define KILN_CORE_AMD_PIPELINE_CHOOSE_SCANS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/amd/abi/abi.h"
#include "core/amd/device/device.h"
#include "core/amd/isa/decode.h"
#include "core/amd/select/scan_form.h"
#include "core/mir/mir.h"

namespace kiln::amd {

// A program that scans counts from push constants and stores the sums.
struct ScanProgram {
  std::vector<isa::PlacedInstruction> code;
  uint32_t lds_bytes = 0;  // of the scan
};
absl::StatusOr<ScanProgram> CompileScan(ScanForm form, const ScanShape& shape);

// Returns the fastest form; of equals, the one of the fewest instructions, the first in the order
// of ScanForm.
absl::StatusOr<ScanForm> FastestScan(const Device& device, const ScanShape& shape);

// Sets the forms of the module's scans, and of the scan with which its vertices are numbered if it
// culls, at a size of waves. Errors are the compiler's own.
absl::Status ChooseScans(const Device& device, const mir::Module& module, const Abi& abi,
                         uint32_t width, ScanForms* forms);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_CHOOSE_SCANS_H_
