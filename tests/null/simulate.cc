#include "tests/null/simulate.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/null/code.h"

namespace kiln::null {
namespace {

// Returns the bytes of the program's first storage buffer.
absl::StatusOr<absl::Span<uint8_t>> Marked(const out::LaunchRecord& record,
                                           sim::scene::Dispatch& dispatch) {
  for (const out::Resource& r : record.resources) {
    if (r.kind != out::ResourceKind::kSsbo) continue;
    auto* buffer = sim::scene::FindBound(dispatch.buffers, {r.set, r.binding});
    if (buffer != nullptr) return sim::scene::BytesOf(*buffer, dispatch);
    return absl::InvalidArgumentError(
        absl::StrCat("no buffer for set ", r.set, " binding ", r.binding));
  }
  return absl::InvalidArgumentError("launch record: the program marks no storage buffer");
}

uint64_t ThreadsOf(const out::LaunchRecord& record, const sim::scene::Dispatch& dispatch) {
  uint64_t lanes = 1, groups = 1;
  for (const uint32_t n : record.compute.local_size) lanes *= n;
  for (const uint32_t n : dispatch.groups) groups *= n;
  return groups * ((lanes + record.dispatch_width - 1) / record.dispatch_width);
}

}  // namespace

absl::StatusOr<sim::scene::RunStats> Simulate(absl::Span<const uint8_t> code,
                                              const out::LaunchRecord& record,
                                              const SimulationOptions& options,
                                              sim::scene::Dispatch& dispatch) {
  if (record.target != "null" || record.dispatch_width == 0) {
    return absl::InvalidArgumentError("launch record: is not of a program of this target");
  }
  if (record.stage != "compute") {
    return absl::UnimplementedError("the simulator of null runs compute programs only");
  }
  const auto program = Decode(code);
  if (!program.ok()) return program.status();
  sim::scene::RunStats stats;
  stats.threads = ThreadsOf(record, dispatch);
  stats.instructions = stats.threads * program->size();
  if (stats.instructions > options.max_instructions) {
    return absl::DeadlineExceededError("the run has more instructions than the limit");
  }
  for (size_t i = 0; i < program->size(); ++i) {
    if (stats.threads != 0) stats.executed.push_back(static_cast<uint32_t>(i));
    if ((*program)[i] != Op::kMark || stats.threads == 0) continue;
    const auto bytes = Marked(record, dispatch);
    if (!bytes.ok()) return bytes.status();
    memcpy(bytes->data(), &kMarkValue, std::min(bytes->size(), sizeof(kMarkValue)));
    stats.messages += stats.threads;
  }
  return stats;
}

}  // namespace kiln::null
