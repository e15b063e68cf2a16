#include "core/driver/tools.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln {
namespace {

absl::Status Missing(const Backend& backend, std::string_view tool) {
  return WithCause(absl::UnimplementedError(absl::StrCat("the target ", std::string(backend.name),
                                                         " has no ", std::string(tool))),
                   "missing_tool");
}

std::string ToolOf(const Backend& backend, std::string_view tool) {
  return absl::StrCat("the ", std::string(tool), " of ", std::string(backend.name));
}

absl::Status CheckTakesRecord(const Backend& backend, const out::LaunchRecord* record,
                              std::string_view tool) {
  if (record == nullptr || backend.analyzes_records) return absl::OkStatus();
  return WithCause(absl::UnimplementedError(absl::StrCat("--launch: ", ToolOf(backend, tool),
                                                         " takes no launch record")),
                   "missing_tool");
}

absl::Status CheckIsOf(const Backend& backend, const out::LaunchRecord* record) {
  if (record == nullptr || record->target == backend.name) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("is of a program for ", record->target, ", not ", std::string(backend.name)));
}

}  // namespace

absl::Status CheckCompiler(const Backend& backend) {
  if (backend.compile != nullptr) return absl::OkStatus();
  return WithCause(absl::UnimplementedError(absl::StrCat(
                       "the target ", std::string(backend.name),
                       " has tools for machine code of other compilers, and no compiler yet")),
                   "missing_compiler");
}

absl::Status CheckContainer(const Backend& backend, out::Container container,
                            std::string_view stage) {
  if (container == out::Container::kRaw) return absl::OkStatus();
  const std::string name(out::InfoOf(container).name), target(backend.name);
  for (const BackendContainer& row : backend.containers) {
    if (row.container != container) continue;
    if (std::find(row.stages.begin(), row.stages.end(), stage) != row.stages.end()) {
      return absl::OkStatus();
    }
    return Unsupported("container", absl::StrCat(name, " for the stage ", std::string(stage),
                                                 " of the target ", target));
  }
  return Unsupported("container", absl::StrCat(name, " for the target ", target));
}

absl::Status CheckScan(const Backend& backend, std::string_view scan) {
  if (scan.empty()) return absl::OkStatus();
  if (std::find(backend.scans.begin(), backend.scans.end(), scan) != backend.scans.end()) {
    return absl::OkStatus();
  }
  return Unsupported("scan", absl::StrCat("form of scans ", std::string(scan), " for the target ",
                                          std::string(backend.name)));
}

absl::Status CheckNggGroup(const Backend& backend, uint32_t size, std::string_view stage) {
  if (size == 0) return absl::OkStatus();
  const std::string group = absl::StrCat("workgroups of ", size, " vertices");
  if (std::find(backend.ngg_groups.begin(), backend.ngg_groups.end(), size) ==
      backend.ngg_groups.end()) {
    return Unsupported("ngg_group",
                       absl::StrCat(group, " for the target ", std::string(backend.name)));
  }
  if (stage == "vertex") return absl::OkStatus();
  return Unsupported("ngg_group", absl::StrCat(group, " for the stage ", std::string(stage)));
}

absl::Status CheckCulling(const Backend& backend, const PipelineState& state) {
  if (state.primitive_culling != PrimitiveCulling::kOn || !backend.ngg_groups.empty()) {
    return absl::OkStatus();
  }
  return Unsupported("primitive_culling",
                     absl::StrCat("primitives are no matter of programs of the target ",
                                  std::string(backend.name)));
}

absl::Status CheckDisassembler(const Backend& backend) {
  return backend.disassemble == nullptr ? Missing(backend, "disassembler") : absl::OkStatus();
}

absl::Status CheckAnalysis(const Backend& backend, const AnalyzeOptions& options) {
  if (backend.analyze == nullptr) return Missing(backend, "analysis");
  if (absl::Status s = CheckTakesRecord(backend, options.record, "analysis"); !s.ok()) return s;
  return CheckSwitches(options.switches, backend.analysis_switches, ToolOf(backend, "analysis"));
}

absl::Status CheckTrace(const Backend& backend, const TraceOptions& options) {
  if (backend.trace == nullptr) return Missing(backend, "timeline");
  if (absl::Status s = CheckTakesRecord(backend, options.record, "timeline"); !s.ok()) return s;
  return CheckSwitches(options.switches, backend.trace_switches, ToolOf(backend, "timeline"));
}

absl::Status CheckSimulation(const Backend& backend, const SimulationOptions& options) {
  if (backend.simulate == nullptr) return Missing(backend, "simulator");
  return CheckSwitches(options.switches, backend.simulation_switches, ToolOf(backend, "simulator"));
}

absl::StatusOr<std::string> DisassembleBy(const Backend& backend, absl::Span<const uint8_t> code) {
  if (absl::Status s = CheckDisassembler(backend); !s.ok()) return s;
  return backend.disassemble(code);
}

absl::StatusOr<Analysis> AnalyzeBy(const Backend& backend, absl::Span<const uint8_t> code,
                                   const AnalyzeOptions& options) {
  if (absl::Status s = CheckAnalysis(backend, options); !s.ok()) return s;
  if (absl::Status s = CheckIsOf(backend, options.record); !s.ok()) return s;
  return backend.analyze(code, options);
}

absl::StatusOr<Timeline> TraceBy(const Backend& backend, absl::Span<const uint8_t> code,
                                 const TraceOptions& options) {
  if (absl::Status s = CheckTrace(backend, options); !s.ok()) return s;
  if (absl::Status s = CheckIsOf(backend, options.record); !s.ok()) return s;
  return backend.trace(code, options);
}

absl::StatusOr<sim::scene::RunStats> SimulateBy(const Backend& backend,
                                                absl::Span<const uint8_t> code,
                                                const out::LaunchRecord& record,
                                                const SimulationOptions& options,
                                                sim::scene::Dispatch& dispatch) {
  if (absl::Status s = CheckSimulation(backend, options); !s.ok()) return s;
  return backend.simulate(code, record, options, dispatch);
}

std::vector<Switch> SwitchesOf(absl::Span<const Backend* const> backends,
                               absl::Span<const Switch> Backend::*switches) {
  std::vector<Switch> all;
  for (const Backend* backend : backends) {
    for (const Switch& row : backend->*switches) {
      const auto same = [&](const Switch& each) { return each.name == row.name; };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(row);
    }
  }
  return all;
}

}  // namespace kiln
