// rdna2_run: executes a gfx1030 binary with its launch record on the data of a job.
//
// Arguments, jobs and results: run_job.h. An option of its own: --needs (with --memory-seed) adds
// "needs", [byte of an instruction, what it needed] (core/sim/rdna2/needs.h).
#include "absl/status/statusor.h"
#include "core/sim/rdna2/simulator.h"
#include "tests/sim/run_job.h"

namespace kiln::tests {
namespace {

int Main(int argc, char** argv) {
  bool tells_needs = false;
  Machine machine;
  machine.name = "rdna2_run";
  machine.reset = [&] { tells_needs = false; };
  machine.take_option = [&](absl::string_view option) {
    tells_needs |= option == "--needs";
    return option == "--needs";
  };
  machine.run = [&](absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                    const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
                    nlohmann::json& results) {
    sim::rdna2::Options own;
    static_cast<sim::scene::RunOptions&>(own) = options;
    sim::rdna2::Needs needs;
    if (tells_needs) own.needs = &needs;
    absl::StatusOr<sim::scene::RunStats> stats = sim::rdna2::Run(code, record, own, dispatch);
    if (!tells_needs) return stats;
    results["needs"] = nlohmann::json::array();
    for (const auto& [offset, need] : needs) {
      results["needs"].push_back({offset, sim::rdna2::NameOf(need)});
    }
    return stats;
  };
  return RunJobs(machine, argc, argv);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
