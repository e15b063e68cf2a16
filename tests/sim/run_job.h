// The part that the commands which run a binary on a job share (eu_run, rdna2_run): arguments, the
// job, the JSON line of results.
#ifndef KILN_TESTS_SIM_RUN_JOB_H_
#define KILN_TESTS_SIM_RUN_JOB_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"
#include "nlohmann/json.hpp"

namespace kiln::tests {

// A simulator as a command uses it.
struct Machine {
  const char* name;  // of the command
  // Takes an option that only this machine has; returns false if it is none.
  std::function<bool(absl::string_view option)> take_option;
  // Returns the counts of a run; adds results of its own to the line.
  std::function<absl::StatusOr<sim::scene::RunStats>(
      absl::Span<const uint8_t> code, const out::LaunchRecord& record,
      const sim::scene::RunOptions& options, sim::scene::Dispatch& dispatch,
      nlohmann::json& results)>
      run;
  std::function<void()> reset;  // forgets the options of the previous run
};

// The whole command; returns its exit status: 0 unless the arguments are unusable.
//
//   NAME [option...] BINARY LAUNCH.json JOB.json
//   NAME --list FILE       lines of "BINARY LAUNCH.json JOB.json [option...]", tabs between the
//                          words; each is answered before the next is read
//
// Options: --no-contract, --sourced (contract mode judges only by rules that have a source, for
// machine code of others), --opposite, --zero-memory, --memory-seed=N (delays and reorders
// messages), --max-instructions=N, --max-seconds=S, --coverage (adds "executed": the byte offsets
// of executed instructions), --patch=OFFSET:VALUE (overwrites a byte of the code, for tests that
// remove waits).
//
// The job format is that of `run-peer exec` (tests/peer/README.md): `push`, `resources` (buffers,
// texel buffers, images, samplers) and `dispatch`, or for fragment programs `draw` (draw.h), for
// vertex programs `vertices` (client/run/vertices.h). Prints one JSON line per run:
//   {"ok": true, "instructions": N, "lane_operations": N, "seconds": S,
//    "outputs": [{"set", "binding", "index", "hex"}]}   or   {"ok": false, "error": "..."}
// Outputs are all buffers and images given; a draw adds "width", "height", "colors": [{"location",
// "hex"}] (four dwords a sample, samples of a pixel together), "depth", "stencil" and
// "sample_mask": {"hex"}. For vertex programs, as on lavapipe, "outputs" are those of the vertices
// ("count", "instances") and buffers and images are "resources".
int RunJobs(const Machine& machine, int argc, char** argv);

}  // namespace kiln::tests

#endif  // KILN_TESTS_SIM_RUN_JOB_H_
