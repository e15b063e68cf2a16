// Records the units written while lanes waited. A value that those lanes hold and that is assigned
// later avoids these units (DESIGN.md). Lifetime: the function.
//
// Each block that lanes wait for has a row. A row matters to a value ("late") if lanes may hold the
// value in blocks that precede its definition in the layout: parameters of such a block, and values
// live into it if lanes wait for it across the back edge of a loop that has the definition.
#ifndef KILN_CORE_LIR_RA_ASSIGN_WRITTEN_H_
#define KILN_CORE_LIR_RA_ASSIGN_WRITTEN_H_

#include <cstdint>
#include <vector>

#include "core/lir/ra/assign_state.h"

namespace kiln::lir::ra {

class WrittenSets {
 public:
  WrittenSets(const AssignInput& in, const Here& here);

  // Begins the block Here::block.
  void Enter();
  // Records a write in block b; it endangers values that lanes parked there hold and that are not
  // assigned yet. Writes of the current block are collected until Flush, because lanes may wait for
  // many blocks.
  void Record(BlockId b, uint8_t pool, uint32_t first, uint32_t n, const LaneLayout& layout);
  // Adds the collected writes to the rows. Call before late rows are read, and at the end of a
  // block.
  void Flush();

  const std::vector<uint32_t>& late(ValueId v) const { return late_[v.index]; }  // rows
  // Returns what the row has so far; valid until the end of assignment.
  const LaneSets& Row(uint32_t row, uint8_t pool) {
    if (level_[row] != kNowhere) Settle(row, pool);
    return RowOf(row, pool);
  }

 private:
  // Rows whose lanes began to wait at the same block, and what was written since then and before
  // the level above it began. A write thus goes to one level, however many blocks lanes wait for;
  // waits nest, mostly, as loops and ifs do.
  struct Level {
    uint32_t rows = 0;              // that are still open
    std::vector<LaneSets> written;  // per pool
  };
  LaneSets& RowOf(uint32_t row, uint8_t pool) { return written_[row * pending_.size() + pool]; }
  // Adds to an open row what its level and those above have.
  void Settle(uint32_t row, uint8_t pool);
  void Close(uint32_t row);

  const AssignInput& in_;
  const Here& here_;
  std::vector<uint32_t> row_;                // per block that lanes wait for
  std::vector<LaneSets> written_;            // rows x pools, without what open levels have
  std::vector<uint32_t> level_;              // per row that is open; kNowhere for others
  std::vector<Level> levels_;                // innermost last
  std::vector<BlockId> waits_;               // blocks whose rows are open, ascending
  std::vector<std::vector<uint32_t>> late_;  // per value: rows
  std::vector<LaneSets> pending_;            // per pool: written in this block, not yet in written_
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_WRITTEN_H_
