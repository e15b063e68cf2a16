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
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/dispatch.h"

namespace kiln::sim::eu {

struct Options {
  bool contract = true;   // judge waits
  bool unsourced = true;  // judge also by the rules without a source (contract_rules.h)
  bool fusion = false;    // enter skipped blocks with all channels off (control_flow.h)
  // Runs workgroups, threads and lanes in the opposite order and fills undefined registers and
  // memory differently: an output that changes depends on undefined contents or order.
  bool opposite = false;
  bool zero_memory = false;  // shared memory and scratch start as 0, as in the MIR interpreter
  // Memory mode: messages take effect late and out of order (memory_order.h), threads alternate in
  // random order after random times, whatever `opposite` says, and one to four consecutive
  // workgroups run at the same time, until all of them have ended. The seed decides everything.
  std::optional<uint64_t> memory_seed;
  bool paths = false;  // record RunStats::paths: four bytes for each instruction executed
  uint64_t max_instructions = uint64_t{1} << 32;  // of the whole run
  // Processor time of this run; 0: no limit. Dispatch::limit holds besides, with the time before
  // it.
  double max_seconds = 0;
};

// Accesses of one instruction to a buffer or image beyond its end: they read 0 and write nothing. A
// block that is partly outside counts by the dwords that the program uses (outside_reads.h).
struct OutOfBounds {
  uint32_t offset = 0;    // byte of the instruction
  std::string where;      // "set 0 binding 1 (surface 3)", of the first of them
  uint64_t accesses = 0;  // lanes, or dwords of blocks
};

struct RunStats {
  uint64_t instructions = 0;
  uint64_t lane_operations = 0;  // channels of all instructions but branches and sync
  uint64_t messages = 0;
  uint64_t threads = 0;
  // Byte offsets of the instructions that any thread executed with an active channel (or NoMask),
  // ascending.
  std::vector<uint32_t> executed;
  // Ascending by offset.
  std::vector<OutOfBounds> out_of_bounds;
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
