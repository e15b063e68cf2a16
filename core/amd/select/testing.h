// Helpers that the tests of selection share: the LIR that is selected for MIR text.
#ifndef KILN_CORE_AMD_SELECT_TESTING_H_
#define KILN_CORE_AMD_SELECT_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/amd/select/scan_form.h"
#include "core/target/pipeline_state.h"

namespace kiln::amd {

// Selects a body at a wave size and returns the names of the operations that are made for it, in
// order, separated by blanks, without the program's end; or the error's text.
//
// The body may use %1, the lane's number, and %2, a uniform number in a scalar register, both i32;
// %3 and %4, the same as f32; and resources 0, a storage buffer, 1, a storage image of three
// dimensions, 2, an array of sampled images of two, 3, a storage buffer that nothing writes, 4, an
// array of storage images of two, and 5, a storage texel buffer, both of texels of two dwords.
// Its own values start at %10. `scan`: the form of scans of the workgroup.
std::string SelectedOps(std::string_view body, uint32_t width = 32,
                        ScanForm scan = ScanForm::kByteDot);

// The same as printed LIR: an operation a line.
std::string SelectedText(std::string_view body, uint32_t width = 32,
                         ScanForm scan = ScanForm::kByteDot);

// Selects a fragment program, of declarations (inputs, outputs, resources) and a body, and returns
// the printed LIR.
std::string SelectedFragment(std::string_view declarations, std::string_view body,
                             uint32_t width = 32, const FragmentState& state = {});

// The same of a vertex program.
std::string SelectedVertex(std::string_view declarations, std::string_view body,
                           const PipelineState& state = {});

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_TESTING_H_
