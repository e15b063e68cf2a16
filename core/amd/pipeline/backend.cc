#include "core/amd/pipeline/backend.h"

#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/compile.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"

namespace kiln::amd {
namespace {

constexpr Backend Tools() {
  Backend row;
  row.name = "gfx1030";
  row.abi_version = 1;
  row.statistics = StatisticRows;
  row.variant_name = VariantName;
  row.disassemble = DisassembleCode;
  row.analyze = AnalyzeCode;
  row.simulate = Simulate;
  row.analyzes_records = true;
  row.analysis_switches = kAnalysisSwitches;
  return row;
}

using CompileFunction = decltype(Backend::compile);

constexpr Backend WithCompiler(CompileFunction compile) {
  Backend row = Tools();
  row.code_generation_version = 1;
  row.features = &kGfx1030Features;
  row.passes = PassRows;
  row.compile = compile;
  return row;
}

}  // namespace

// Results of version 0 are refusals; the first compiler has version 1, and so none of their keys.
constinit const Backend kGfx1030Backend = Tools();
constinit const Backend kGfx1030Compiler = WithCompiler(CompileModule);
constinit const Backend kGfx1030CodeObjects = WithCompiler(CompileCodeObjects);

}  // namespace kiln::amd
