// Distance to the next use of each piece, in instructions, from the start of a block.
//
// The distance at a block's entry is that of the first use in it, or its length plus the least
// distance after it. Leaving a loop adds kLoopExit (Braun and Hack: Register Spilling and
// Live-Range Splitting for SSA-Form Programs), so that pieces that a loop does not use are far away
// in it. A piece has a distance exactly where it is live. Values that the exit block reads for all
// lanes count as used at every exit (exits.h), though they are not filled for it there; held
// live-ins (LiveIn::held) count as used after the end of the program.
//
// Cost: instructions + sizes of the live sets, once, and again for blocks of a loop each time a
// distance after them changed.
#ifndef KILN_CORE_LIR_RA_NEXT_USE_H_
#define KILN_CORE_LIR_RA_NEXT_USE_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/machine.h"
#include "core/lir/ra/loop_spans.h"
#include "core/lir/ra/pieces.h"

namespace kiln::lir::ra {

struct PieceDistance {
  uint32_t piece = 0;
  uint32_t distance = 0;
};

class NextUses {
 public:
  static constexpr uint32_t kLoopExit = 100'000;
  static constexpr uint32_t kNever = ~uint32_t{0};

  // `at_exits`: pieces that every exit needs.
  NextUses(const Machine& t, const Function& f, const Pieces& pieces, const LoopSpans& loops,
           const std::vector<uint32_t>& at_exits);

  // Pieces live into the block (parameters not counted), ascending by piece.
  const std::vector<PieceDistance>& at_entry(uint32_t b) const { return entry_[b]; }

  // Writes the distances after the last instruction of a block into `out` (one entry per piece, all
  // kNever before), and the pieces written into `touched`, which is empty before, ascending. Uses
  // by edge arguments count as 0.
  void AtExit(const Function& f, uint32_t b, std::vector<uint32_t>* out,
              std::vector<uint32_t>* touched) const;

 private:
  bool Update(const Function& f, uint32_t b);

  const Machine& t_;
  const std::vector<uint32_t>& at_exits_;
  const Pieces& pieces_;
  const LoopSpans& loops_;
  std::vector<uint32_t> held_;  // pieces, ascending
  std::vector<std::vector<PieceDistance>> entry_;
  std::vector<uint32_t> scratch_, touched_;
  std::vector<PieceDistance> now_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_NEXT_USE_H_
