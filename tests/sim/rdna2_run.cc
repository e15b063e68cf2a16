// rdna2_run: executes a gfx1030 binary with its launch record on the data of a job.
//
// Arguments, jobs and results: run_job.h. An option of its own: --waited (with --memory-seed) adds
// "waited", the [byte, count] of the waits for which something was in flight.
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/sim/rdna2/simulator.h"
#include "tests/sim/run_job.h"

namespace kiln::tests {
namespace {

int Main(int argc, char** argv) {
  bool tells_waited = false;
  Machine machine;
  machine.name = "rdna2_run";
  machine.reset = [&] { tells_waited = false; };
  machine.take_option = [&](absl::string_view option) {
    tells_waited |= option == "--waited";
    return option == "--waited";
  };
  machine.run = [&](absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                    const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
                    nlohmann::json& results) {
    sim::rdna2::Options own;
    static_cast<sim::scene::RunOptions&>(own) = options;
    std::set<std::pair<uint32_t, absl::string_view>> waited;
    if (tells_waited) own.waited = &waited;
    absl::StatusOr<sim::scene::RunStats> stats = sim::rdna2::Run(code, record, own, dispatch);
    if (!tells_waited) return stats;
    results["waited"] = nlohmann::json::array();
    for (const auto& [offset, count] : waited) {
      results["waited"].push_back({offset, std::string(count)});
    }
    return stats;
  };
  return RunJobs(machine, argc, argv);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
