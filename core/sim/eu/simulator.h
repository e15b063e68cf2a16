// Functional simulator of the Gen12 EU for compute, fragment and vertex programs.
//
// In: machine code of any compiler, its launch record (out::LaunchRecord) and the client's data.
// Out: the client's buffers after the program, and counts. Workgroups run one after the other in
// ascending order (except in memory mode), the threads of a workgroup alternate after a fixed
// number of instructions, so that a run is deterministic and threads may wait for each other.
// Fragment threads (scene/fragment.h) run one after the other in the order of the draw; only those
// of one primitive change their order. Vertex threads (scene/vertex.h) are in no order.
//
// Modelled: per-channel control flow, predication, regions, all integer, F and HF types,
// accumulators, flags, data-port messages, shared memory, barriers, scratch, 64-bit addresses,
// typed surfaces, the sampler, render target writes, URB writes. Not modelled, each a named error:
// other URB messages, 64-bit floats, other generations. Time is not modelled; in contract mode
// missing waits are errors (scoreboard.h). Messages act when they are issued, except in memory mode
// (memory_order.h). Undefined registers hold a recognisable pattern (signalling NaNs), not zeros.
#ifndef KILN_CORE_SIM_EU_SIMULATOR_H_
#define KILN_CORE_SIM_EU_SIMULATOR_H_

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"

namespace kiln::sim::eu {

// Unsourced rules: contract_rules.h. Memory mode: memory_order.h.
struct Options : scene::RunOptions {
  bool fusion = false;  // enter skipped blocks with all channels off (control_flow.h)
  bool paths = false;   // record RunStats::paths: four bytes for each instruction executed
};

// Accesses of a block that is partly outside: outside_reads.h.
using scene::OutOfBounds;

// Instructions with NoMask are executed for all lanes.
struct RunStats : scene::RunStats {
  // With Options::paths: byte offsets of the instructions that a thread executed, in order, odd
  // (one more) if all channels were off; each different path of a thread once.
  std::set<std::vector<uint32_t>> paths;
};

// Runs the whole dispatch; the buffers are changed even if it fails. Errors: InvalidArgument
// (undecodable code, record and data that do not fit), Unimplemented (named construct),
// FailedPrecondition (contract violation, barrier deadlock), OutOfRange (access outside memory or
// registers), DeadlineExceeded (limits).
absl::StatusOr<RunStats> Run(absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                             const Options& options, scene::Dispatch& dispatch);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_SIMULATOR_H_
