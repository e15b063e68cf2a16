// Which dispatch widths are wanted, and which are worth having. Which a shader can have says
// abi/width_abi.h.
//
// A refusal of one width is ResourceExhausted, with a cause: another width may do.
#ifndef KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
#define KILN_CORE_INTEL_PIPELINE_WIDTHS_H_

#include <vector>

#include "absl/status/status.h"
#include "core/intel/pipeline/work.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"

namespace kiln::intel {

inline constexpr int kWidths[] = {8, 16, 32};

bool IsWanted(const CompileOptions& options, int width);

// Where no width is asked for: by what the narrower ones became, is this one worth compiling, and,
// compiled, worth keeping? The rules are Mesa's (brw_simd_selection.cpp, intel/SOURCES.md): 32
// lanes take twice the registers of 16 and execute no faster, so they are for workgroups that do
// not fit otherwise, and for fragments on request; a width that spills loses to a narrower one that does not.
absl::Status WorthTrying(const Work& w, int width, const std::vector<Variant>& narrower);
absl::Status WorthKeeping(const Work& w, const std::vector<Variant>& narrower);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
