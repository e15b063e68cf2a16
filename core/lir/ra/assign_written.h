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

  // Records a write in block b; it endangers values that lanes parked there hold and that are not
  // assigned yet. Writes of the current block are collected until Flush, because lanes may wait for
  // many blocks.
  void Record(BlockId b, uint8_t pool, uint32_t first, uint32_t n, const LaneLayout& layout);
  // Adds the collected writes to the rows. Call before late rows are read, and at the end of a
  // block.
  void Flush();

  const std::vector<uint32_t>& late(ValueId v) const { return late_[v.index]; }  // rows
  LaneSets& Row(uint32_t row, uint8_t pool) { return written_[row * pending_.size() + pool]; }

 private:
  const AssignInput& in_;
  const Here& here_;
  std::vector<uint32_t> row_;                // per block that lanes wait for
  std::vector<LaneSets> written_;            // rows x pools
  std::vector<std::vector<uint32_t>> late_;  // per value: rows
  std::vector<LaneSets> pending_;            // per pool: written in this block, not yet in written_
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_WRITTEN_H_
