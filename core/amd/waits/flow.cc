#include "core/amd/waits/flow.h"

namespace kiln::amd {

std::vector<FlowBlock> BlocksOf(const Program& program) {
  const size_t rows = program.rows.size();
  std::vector<bool> leads(rows + 1);
  leads[0] = true;
  for (size_t i = 0; i < rows; ++i) {
    const Row& row = program.rows[i];
    if (row.target != Row::kNoTarget) leads[static_cast<size_t>(row.target)] = true;
    if (row.target != Row::kNoTarget || !FallsThrough(row.inst)) leads[i + 1] = true;
  }
  std::vector<FlowBlock> blocks;
  std::vector<size_t> block_of(rows + 1);
  for (size_t i = 0; i < rows; ++i) {
    if (leads[i]) blocks.push_back({i, i, {}});
    block_of[i] = blocks.size() - 1;
    blocks.back().end = i + 1;
  }
  for (FlowBlock& block : blocks) {
    const Row& last = program.rows[block.end - 1];
    if (last.target != Row::kNoTarget && static_cast<size_t>(last.target) < rows) {
      block.succs.push_back(block_of[static_cast<size_t>(last.target)]);
    }
    if (FallsThrough(last.inst) && block.end < rows) block.succs.push_back(block_of[block.end]);
  }
  return blocks;
}

}  // namespace kiln::amd
