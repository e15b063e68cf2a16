#include "core/lir/ra/assign_written.h"

#include <algorithm>

namespace kiln::lir::ra {

WrittenSets::WrittenSets(const AssignInput& in, const Here& here)
    : in_(in),
      here_(here),
      row_(in.f.blocks.size(), kNowhere),
      late_(in.f.values.size()),
      pending_(in.t.pools.size()) {
  std::vector<uint32_t> first_head(in_.f.blocks.size(), kNowhere);
  std::vector<char> is_head(in_.f.blocks.size());
  for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
    const auto note = [&](BlockId s) {
      if (s.index <= b) is_head[s.index] = 1;
    };
    for (const Edge& e : in_.f.blocks[b].succs) {
      note(e.to);
      // Parameters of a loop head are written here while lanes wait, but were assigned before.
      if (e.num_args == 0 || e.to.index > b) continue;
      for (BlockId j : in_.live.waits(BlockId(b))) {
        first_head[j.index] = std::min(first_head[j.index], e.to.index);
      }
    }
    for (BlockId s : in_.f.blocks[b].physical_succs) note(s);
  }
  uint32_t rows = 0;
  for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
    for (BlockId j : in_.live.waits(BlockId(b))) {
      if (row_[j.index] == kNowhere) row_[j.index] = rows++;
      if (is_head[b]) first_head[j.index] = std::min(first_head[j.index], b);
    }
  }
  written_.assign(rows * in_.t.pools.size(), LaneSets());
  for (uint32_t j = 0; j < in_.f.blocks.size(); ++j) {
    if (row_[j] == kNowhere) continue;
    for (ValueId p : in_.f.blocks[j].params) late_[p.index].push_back(row_[j]);
    if (first_head[j] == kNowhere) continue;
    in_.live.live_in(BlockId(j)).for_each([&](size_t g) {
      const ValueId v = in_.live.slot_value(in_.live.global_slot(static_cast<uint32_t>(g)));
      std::vector<uint32_t>& late = late_[v.index];
      if (in_.values[v.index].def_block.index >= first_head[j] &&
          (late.empty() || late.back() != row_[j])) {
        late.push_back(row_[j]);
      }
    });
  }
}

void WrittenSets::Record(BlockId b, uint8_t pool, uint32_t first, uint32_t n,
                         const LaneLayout& layout) {
  if (in_.live.waits(b).empty()) return;
  if (b == here_.block) return pending_[pool].insert(first, n, layout);
  for (BlockId j : in_.live.waits(b)) Row(row_[j.index], pool).insert(first, n, layout);
}

void WrittenSets::Flush() {
  for (uint8_t pool = 0; pool < pending_.size(); ++pool) {
    if (pending_[pool].empty()) continue;
    for (BlockId j : in_.live.waits(here_.block)) Row(row_[j.index], pool) |= pending_[pool];
    pending_[pool] = LaneSets();
  }
}

}  // namespace kiln::lir::ra
