#include "core/amd/pipeline/simulate.h"

#include <utility>

#include "core/amd/pipeline/code_object.h"
#include "core/amd/pipeline/launch_code_object.h"
#include "core/sim/rdna2/simulator.h"

namespace kiln::amd {
namespace {

// Afterwards the dispatch has the client's data and nothing else, also if the run fails.
absl::StatusOr<sim::scene::RunStats> RunCodeObject(absl::Span<const uint8_t> file,
                                                   const sim::rdna2::Options& options,
                                                   sim::scene::Dispatch& dispatch) {
  const size_t buffers = dispatch.buffers.size();
  auto push = dispatch.push_constants;
  const auto base = dispatch.base;
  const auto run = [&]() -> absl::StatusOr<sim::scene::RunStats> {
    const auto launch = LaunchCodeObject(file, dispatch);
    if (!launch.ok()) return launch.status();
    return sim::rdna2::Run(launch->code, launch->record, options, dispatch);
  };
  auto stats = run();
  dispatch.buffers.resize(buffers);
  dispatch.push_constants = std::move(push);
  dispatch.base = base;
  return stats;
}

}  // namespace

absl::StatusOr<sim::scene::RunStats> Simulate(absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch) {
  sim::rdna2::Options own;
  static_cast<sim::scene::RunOptions&>(own) = options;
  own.vertex_record = options.vertex_record;
  if (IsCodeObject(code)) return RunCodeObject(code, own, dispatch);
  return sim::rdna2::Run(code, record, own, dispatch);
}

}  // namespace kiln::amd
