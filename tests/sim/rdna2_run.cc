// rdna2_run: executes a gfx1030 binary with its launch record on the data of a job.
//
// Arguments, jobs and results: run_job.h. Its own option: --ngg-culling=N, the primitives that a
// vertex program is told to leave out (core/sim/rdna2/simulator.h).
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/sim/rdna2/simulator.h"
#include "tests/sim/run_job.h"

namespace kiln::tests {
namespace {

int Main(int argc, char** argv) {
  Machine machine;
  machine.name = "rdna2_run";
  uint32_t culling = 0;
  machine.reset = [&] { culling = 0; };
  machine.take_option = [&](absl::string_view option) {
    return absl::ConsumePrefix(&option, "--ngg-culling=") && absl::SimpleAtoi(option, &culling);
  };
  machine.run = [&](absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                   const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
                   nlohmann::json&) {
    sim::rdna2::Options own;
    static_cast<sim::scene::RunOptions&>(own) = options;
    own.ngg_culling = culling;
    return sim::rdna2::Run(code, record, own, dispatch);
  };
  return RunJobs(machine, argc, argv);
}

}  // namespace
}  // namespace kiln::tests

int main(int argc, char** argv) { return kiln::tests::Main(argc, argv); }
