// Computes how much memory kilnd and its workers may come to need, and settings with which that
// fits.
//
// Everything that grows has a bound, and the plan adds up the bounds, not the usual use. kilnd
// needs what it has when just started, the sum of its bounds, and a fifth of that sum for the
// allocator's losses. Each worker process is held to --job-memory by the kernel, so all together to
// as many times that. If the limits (limits.h) allow less, settings that were not given are
// lowered, in this order: workers' memory, down to 512 MiB each; bounds of kilnd, all by the same
// share; workers' memory, down to 256 MiB; the number of workers. Given settings stay.
#ifndef KILN_SERVER_MEMORY_PLAN_H_
#define KILN_SERVER_MEMORY_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/config.h"
#include "server/memory/limits.h"

namespace kiln::memory {

// Bytes that gRPC may hold of arriving requests, besides buffers of connections and the state of
// calls. Without room for those a small --request-bytes would end calls that keep to it.
uint64_t GrpcBytes(const server::Config& config);

// A bound of kilnd's own memory.
struct Bound {
  std::string what;
  uint64_t bytes = 0;
  std::string how;  // from settings: "2 x --request-bytes"
};
std::vector<Bound> Bounds(const server::Config& config);

// kilnd just started, with the stacks of its threads. Its resident memory is less than half of
// kStartResident (tests/service:bench_memory).
inline constexpr uint64_t kStartResident = uint64_t{64} << 20;
inline constexpr uint64_t kStartAddressSpace = uint64_t{192} << 20;

// Memory that kilnd itself may come to need.
uint64_t ResidentNeed(const server::Config& config);
uint64_t AddressSpaceNeed(const server::Config& config);

// Number of worker processes, including spare ones and the one for rechecks.
uint64_t WorkerProcesses(const server::Config& config);

// Lowers settings of `config` until everything fits in `limits`. Returns the lowered ones as
// "name=value". ResourceExhausted: it does not fit; the message has each need, and what was given.
absl::StatusOr<std::vector<std::string>> Fit(const Limits& limits, server::Config* config);

// Returns the computation in lines, for people.
std::string Describe(const Limits& limits, const server::Config& config);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_PLAN_H_
