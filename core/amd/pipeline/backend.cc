#include "core/amd/pipeline/backend.h"

#include "core/amd/abi/vertex.h"
#include "core/amd/pipeline/analyze.h"
#include "core/amd/pipeline/code_object.h"
#include "core/amd/pipeline/compile.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/simulate.h"
#include "core/amd/pipeline/statistics.h"
#include "core/amd/pipeline/trace.h"
#include "core/amd/select/scan_form.h"

namespace kiln::amd {
namespace {

constexpr std::string_view kContainedStages[] = {"compute"};
constexpr BackendContainer kBackendContainers[] = {
    {out::Container::kAmdHsa, kContainedStages, IsCodeObject, RecordOfCodeObject}};

constexpr Backend MakeRow() {
  Backend row;
  row.name = "gfx1030";
  row.code_generation_version = 3;
  row.abi_version = 1;
  row.features = &kGfx1030Features;
  row.statistics = StatisticRows;
  row.containers = kBackendContainers;
  row.scans = kScanFormNames;
  row.ngg_groups = kGroupSizes;
  row.passes = PassRows;
  row.compile = CompileModule;
  row.variant_name = VariantName;
  row.disassemble = DisassembleCode;
  row.analyze = AnalyzeCode;
  row.trace = TraceCode;
  row.simulate = Simulate;
  row.analyzes_records = true;
  row.analysis_switches = kAnalysisSwitches;
  row.trace_switches = kTraceSwitches;
  return row;
}

}  // namespace

constinit const Backend kGfx1030Backend = MakeRow();

}  // namespace kiln::amd
