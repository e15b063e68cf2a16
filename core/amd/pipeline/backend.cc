#include "core/amd/pipeline/backend.h"

#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/compile.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"

namespace kiln::amd {
const Backend kGfx1030Backend = {.name = "gfx1030",
                                 .code_generation_version = 1,
                                 .abi_version = 2,
                                 .features = &kGfx1030Features,
                                 .statistics = StatisticRows,
                                 .passes = PassRows,
                                 .compile = CompileModule,
                                 .variant_name = VariantName,
                                 .disassemble = DisassembleCode,
                                 .analyze = AnalyzeCode,
                                 .simulate = Simulate,
                                 .analysis_switches = kAnalysisSwitches};

}  // namespace kiln::amd
