#include "core/lir/ra/assign_written.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/types/span.h"

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
  level_.assign(rows, kNowhere);
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
  for (BlockId j : in_.live.waits(b)) RowOf(row_[j.index], pool).insert(first, n, layout);
}

void WrittenSets::Enter() {
  const absl::Span<const BlockId> now = in_.live.waits(here_.block);
  if (absl::MakeConstSpan(waits_) == now) return;
  std::vector<BlockId> changed;
  std::set_difference(waits_.begin(), waits_.end(), now.begin(), now.end(),
                      std::back_inserter(changed));
  for (BlockId j : changed) Close(row_[j.index]);
  changed.clear();
  std::set_difference(now.begin(), now.end(), waits_.begin(), waits_.end(),
                      std::back_inserter(changed));
  waits_.assign(now.begin(), now.end());
  if (changed.empty()) return;
  for (BlockId j : changed) level_[row_[j.index]] = static_cast<uint32_t>(levels_.size());
  levels_.push_back(
      {static_cast<uint32_t>(changed.size()), std::vector<LaneSets>(pending_.size())});
}

void WrittenSets::Settle(uint32_t row, uint8_t pool) {
  for (size_t l = level_[row]; l < levels_.size(); ++l) {
    RowOf(row, pool) |= levels_[l].written[pool];
  }
}

void WrittenSets::Close(uint32_t row) {
  for (uint8_t pool = 0; pool < pending_.size(); ++pool) Settle(row, pool);
  --levels_[level_[row]].rows;
  level_[row] = kNowhere;
  while (!levels_.empty() && levels_.back().rows == 0) {
    const Level top = std::move(levels_.back());
    levels_.pop_back();
    if (levels_.empty()) return;
    for (size_t p = 0; p < pending_.size(); ++p) levels_.back().written[p] |= top.written[p];
  }
}

void WrittenSets::Flush() {
  for (uint8_t pool = 0; pool < pending_.size(); ++pool) {
    if (pending_[pool].empty()) continue;
    levels_.back().written[pool] |= pending_[pool];
    pending_[pool] = LaneSets();
  }
}

}  // namespace kiln::lir::ra
