// Which dispatch widths are wanted, and which are worth having. Which a shader can have says
// abi/width_abi.h.
//
// A refusal of one width is ResourceExhausted, with a cause: another width may do.
#ifndef KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
#define KILN_CORE_INTEL_PIPELINE_WIDTHS_H_

#include <vector>

#include "absl/status/status.h"
#include "core/mir/stage.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"

namespace kiln::intel {

inline constexpr int kWidths[] = {8, 16, 32};
// Of 128. A program of 16 lanes that has more live at once is not compiled for 32, where it would
// spill.
inline constexpr int kRegistersToDouble = 96;

bool IsWanted(const CompileOptions& options, int width);

// Where no width is asked for: by what the narrower ones became, is this one worth compiling, and,
// compiled, worth keeping? 32 lanes take twice the registers of 16. A workgroup gains nothing by
// them, so they are for those that do not fit otherwise. Of fragments they are kept if threads by the
// model finish as many lanes in the same time as each narrower width, or more. A width that spills
// loses to a narrower one that does not. The rules are Mesa's (brw_simd_selection.cpp,
// brw_compile_fs.cpp, intel/SOURCES.md), but that there the narrower one is kept of equals.
absl::Status WorthTrying(mir::Stage stage, int width, const std::vector<Variant>& narrower);
absl::Status WorthKeeping(mir::Stage stage, const Variant& made,
                          const std::vector<Variant>& narrower);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
