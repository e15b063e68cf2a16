// The choice of tokens: see tokens.h.
#include "core/intel/swsb/tokens.h"

#include <algorithm>
#include <array>
#include <limits>

#include "core/intel/swsb/assign_scoreboard.h"
#include "core/intel/swsb/encoding.h"

namespace kiln::intel::swsb {
namespace {

constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

// Finds, for each out-of-order instruction, the textually first later one that must wait until it
// is done: until its result has been written, or, if it has no result, until its sources are read.
// (A wait for the sources of one that has a result leaves its token in use.) Only the latest writer
// and the latest reader of a register are remembered, which is enough for a heuristic.
std::vector<int32_t> FirstWaits(const isa::Program& program,
                                const std::vector<isa::Footprint>& footprints) {
  const auto count = static_cast<int32_t>(program.insts.size());
  std::vector<int32_t> first(count, kNever);
  std::array<int32_t, isa::kGrfCount> writer, reader;
  writer.fill(-1);
  reader.fill(-1);
  const auto wait = [&](std::array<int32_t, isa::kGrfCount>& last, int r, int32_t at) {
    if (last[r] < 0) return;
    first[last[r]] = std::min(first[last[r]], at);
    last[r] = -1;
  };
  for (int32_t i = 0; i < count; ++i) {
    footprints[i].reads.ForEach([&](int r) { wait(writer, r, i); });
    footprints[i].writes.ForEach([&](int r) {
      wait(writer, r, i);
      wait(reader, r, i);
    });
    if (!IsOutOfOrder(program.insts[i])) continue;
    if (footprints[i].writes.Empty()) footprints[i].reads.ForEach([&](int r) { reader[r] = i; });
    footprints[i].writes.ForEach([&](int r) { writer[r] = i; });
  }
  return first;
}

}  // namespace

TokenPlan AssignTokens(const isa::Program& program, const std::vector<isa::Footprint>& footprints) {
  const std::vector<int32_t> first_wait = FirstWaits(program, footprints);
  TokenPlan plan;
  plan.token.assign(program.insts.size(), kNoToken);
  std::array<int32_t, kTokens> awaited;  // by token: the instruction that waits for its last user
  std::array<int32_t, kTokens> issued;
  awaited.fill(-1);
  issued.fill(-1);
  for (int32_t i = 0; i < static_cast<int32_t>(program.insts.size()); ++i) {
    const isa::Instruction& inst = program.insts[i];
    if (!IsOutOfOrder(inst) || (isa::IsSend(inst.op) && inst.send.eot)) continue;
    int best = 0;
    for (int t = 1; t < kTokens; ++t) {
      // Prefers the soonest wait, including past ones; among tokens that are never waited for, the
      // oldest.
      if (awaited[t] != awaited[best] ? awaited[t] < awaited[best] : issued[t] < issued[best]) {
        best = t;
      }
    }
    if (awaited[best] > i) ++plan.reused;
    plan.token[i] = static_cast<int8_t>(best);
    awaited[best] = first_wait[i];
    issued[best] = i;
  }
  return plan;
}

}  // namespace kiln::intel::swsb
