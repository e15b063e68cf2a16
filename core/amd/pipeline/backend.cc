#include "core/amd/pipeline/backend.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"

namespace kiln::amd {
namespace {

std::string VariantName(uint32_t width) { return absl::StrCat("wave", width); }

}  // namespace

// Results of version 0 are refusals; the first compiler has version 1, and so none of their keys.
const Backend kGfx1030Backend = {.name = "gfx1030",
                                 .code_generation_version = 0,
                                 .abi_version = 1,
                                 .statistics = StatisticRows,
                                 .variant_name = VariantName,
                                 .disassemble = DisassembleCode,
                                 .analyze = AnalyzeCode,
                                 .simulate = Simulate,
                                 .analyzes_records = true,
                                 .analysis_switches = kAnalysisSwitches};

}  // namespace kiln::amd
