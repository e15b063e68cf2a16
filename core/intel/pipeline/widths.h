// Decides which dispatch widths are requested, and which are worth having. width_abi.h decides
// which widths a shader can have.
//
// A refusal of one width is ResourceExhausted, with a cause: another width may work.
#ifndef KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
#define KILN_CORE_INTEL_PIPELINE_WIDTHS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/mir/stage.h"
#include "core/target/compile_options.h"

namespace kiln::intel {

inline constexpr int kWidths[] = {8, 16, 32};

// Returns the name of a program of that width: "SIMD16".
std::string VariantName(uint32_t width);

// Facts about a width that was compiled, by which widths are chosen.
struct WidthCosts {
  int width = 0;
  int64_t cycles = 0;          // of one thread, by the model
  int64_t busiest_cycles = 0;  // cycles for which it occupies its busiest unit
  int64_t registers = 0;       // the most that are live at once
  bool spills = false;
  std::string Name() const { return VariantName(static_cast<uint32_t>(width)); }
};

// Returns a refusal that depends on narrower widths.
absl::Status Loses(absl::string_view why);

// If no width is asked for: given the results of the narrower ones, is this width worth compiling,
// may it spill, and, once compiled, is it worth keeping? A width that spills loses to a narrower
// one that does not, and is dropped as soon as that is known. 32 lanes take up to twice the
// registers of 16. Workgroups gain nothing by 32 lanes, so these are compiled only for workgroups
// that do not fit otherwise. Fragments keep 32 lanes if, by the model, threads finish at least as
// many lanes in the same time as with each narrower width. The rules are Mesa's
// (brw_simd_selection.cpp, brw_compile_fs.cpp, intel/SOURCES.md), except that Mesa keeps the
// narrower one of equals.
absl::Status WorthTrying(mir::Stage stage, int width, const std::vector<WidthCosts>& narrower);
bool MaySpill(const std::vector<WidthCosts>& narrower);
absl::Status WorthKeeping(mir::Stage stage, const WidthCosts& made,
                          const std::vector<WidthCosts>& narrower);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_WIDTHS_H_
