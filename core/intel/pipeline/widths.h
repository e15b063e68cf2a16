// Which dispatch widths are wanted, and which are worth having. Which a shader can have says
// abi/width_abi.h.
//
// A refusal of one width is ResourceExhausted, with a cause: another width may do.
#ifndef KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
#define KILN_CORE_INTEL_PIPELINE_WIDTHS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/mir/stage.h"
#include "core/target/compile_options.h"
#include "core/target/compiled.h"

namespace kiln::intel {

inline constexpr int kWidths[] = {8, 16, 32};

bool IsWanted(const CompileOptions& options, int width);

// A refusal because of what narrower widths are.
absl::Status Loses(absl::string_view why);

// Where no width is asked for: by what the narrower ones became, is this one worth compiling, may
// it spill, and, compiled, is it worth keeping? A width that spills loses to a narrower one that
// does not, and is given up as soon as that is known. 32 lanes take up to twice the registers
// of 16. A workgroup gains nothing by them, so they are for those that do not fit otherwise. Of
// fragments they are kept if threads by the model finish as many lanes in the same time as each
// narrower width, or more. The rules are Mesa's (brw_simd_selection.cpp, brw_compile_fs.cpp,
// intel/SOURCES.md), but that there the narrower one is kept of equals.
absl::Status WorthTrying(mir::Stage stage, int width, const std::vector<Variant>& narrower);
bool MaySpill(const std::vector<Variant>& narrower);
absl::Status WorthKeeping(mir::Stage stage, const Variant& made,
                          const std::vector<Variant>& narrower);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
