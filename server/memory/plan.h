// What kilnd and its workers may come to need of memory, and settings with which that fits.
//
// Everything that grows has a bound, and the bounds are what is reckoned with, not what is used as
// a rule: kilnd itself needs what it has when it has just started, and the sum of its bounds with a
// fifth for what an allocator loses between them; each worker process is held to --job-memory by
// the kernel, so that all together are held to as many times that. Where less is allowed
// (limits.h), settings that nobody gave are lowered, in this order: workers' memory, down to 512
// MiB each; bounds of kilnd, all by the same share; workers' memory, down to 256 MiB; the number of
// workers. What was given stays.
#ifndef KILN_SERVER_MEMORY_PLAN_H_
#define KILN_SERVER_MEMORY_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/config/config.h"
#include "server/memory/limits.h"

namespace kiln::memory {

// What gRPC may hold of requests that arrive, besides buffers of connections and the state of
// calls. Without room for those a small --request-bytes would end calls that keep to it.
uint64_t GrpcBytes(const server::Config& config);

// A bound of kilnd's own.
struct Bound {
  std::string what;
  uint64_t bytes = 0;
  std::string how;  // by settings: "2 x --request-bytes"
};
std::vector<Bound> Bounds(const server::Config& config);

// kilnd just started, with the stacks of its threads. Resident it has less than half of the first
// (tests/service:bench_memory).
inline constexpr uint64_t kStartResident = uint64_t{64} << 20;
inline constexpr uint64_t kStartAddressSpace = uint64_t{192} << 20;

// What kilnd itself comes to.
uint64_t ResidentNeed(const server::Config& config);
uint64_t AddressSpaceNeed(const server::Config& config);

// Worker processes: with the spare ones and the one for rechecks.
uint64_t WorkerProcesses(const server::Config& config);

// Lowers settings of `config` until everything fits in `limits`: which ones, as "name=value".
// ResourceExhausted: it does not; says what is needed for what, and what was given.
absl::StatusOr<std::vector<std::string>> Fit(const Limits& limits, server::Config* config);

// The reckoning in lines, for people.
std::string Describe(const Limits& limits, const server::Config& config);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_PLAN_H_
