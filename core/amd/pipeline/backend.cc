#include "core/amd/pipeline/backend.h"

#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/compile.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"

namespace kiln::amd {
namespace {

using CompileFunction = decltype(Backend::compile);

constexpr Backend RowWith(CompileFunction compile) {
  Backend row;
  row.name = "gfx1030";
  row.code_generation_version = 1;
  row.abi_version = 1;
  row.features = &kGfx1030Features;
  row.statistics = StatisticRows;
  row.passes = PassRows;
  row.compile = compile;
  row.variant_name = VariantName;
  row.disassemble = DisassembleCode;
  row.analyze = AnalyzeCode;
  row.simulate = Simulate;
  row.analyzes_records = true;
  row.analysis_switches = kAnalysisSwitches;
  return row;
}

}  // namespace

constinit const Backend kGfx1030Backend = RowWith(CompileModule);
constinit const Backend kGfx1030CodeObjects = RowWith(CompileCodeObjects);

}  // namespace kiln::amd
