// eu_run: executes an EU binary with its launch record on the data of a job.
//
// Arguments, jobs and results: run_job.h. Options of its own: --fusion (core/sim/eu/simulator.h),
// --paths adds "paths": the byte offsets of each thread in the order of execution
// (RunStats::paths), equal ones once.
#include "absl/status/statusor.h"
#include "core/sim/eu/simulator.h"
#include "tests/sim/run_job.h"

namespace kiln::tests {
namespace {

int Main(int argc, char** argv) {
  sim::eu::Options own;
  Machine machine;
  machine.name = "eu_run";
  machine.reset = [&own] { own = {}; };
  machine.take_option = [&own](absl::string_view option) {
    own.fusion |= option == "--fusion";
    own.paths |= option == "--paths";
    return option == "--fusion" || option == "--paths";
  };
  machine.run = [&own](absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                       const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
                       nlohmann::json& results) -> absl::StatusOr<sim::scene::RunStats> {
    static_cast<sim::scene::RunOptions&>(own) = options;
    absl::StatusOr<sim::eu::RunStats> stats = sim::eu::Run(code, record, own, dispatch);
    if (!stats.ok()) return stats.status();
    if (own.paths) results["paths"] = stats->paths;
    return *std::move(stats);
  };
  return RunJobs(machine, argc, argv);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
