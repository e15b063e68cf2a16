#include "core/amd/pipeline/backend.h"

#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/code_object.h"
#include "core/amd/pipeline/compile.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"

namespace kiln::amd {
namespace {

constexpr std::string_view kContainedStages[] = {"compute"};
constexpr BackendContainer kBackendContainers[] = {
    {out::Container::kAmdHsa, kContainedStages, IsCodeObject, RecordOfCodeObject}};

constexpr Backend Tools() {
  Backend row;
  row.name = "gfx1030";
  row.abi_version = 1;
  row.statistics = StatisticRows;
  row.containers = kBackendContainers;
  row.variant_name = VariantName;
  row.disassemble = DisassembleCode;
  row.analyze = AnalyzeCode;
  row.simulate = Simulate;
  row.analyzes_records = true;
  row.analysis_switches = kAnalysisSwitches;
  return row;
}

constexpr Backend WithCompiler() {
  Backend row = Tools();
  row.code_generation_version = 1;
  row.features = &kGfx1030Features;
  row.passes = PassRows;
  row.compile = CompileModule;
  return row;
}

}  // namespace

// Results of version 0 are refusals; the first compiler has version 1, and so none of their keys.
constinit const Backend kGfx1030Backend = Tools();
constinit const Backend kGfx1030Compiler = WithCompiler();

}  // namespace kiln::amd
