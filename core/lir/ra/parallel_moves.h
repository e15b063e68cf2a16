// Turns simultaneous moves into a sequence of copies and swaps.
//
// All sources are read before any destination is written. Destinations are pairwise disjoint;
// sources may overlap each other and any destination, at any offset. A move is not cut: its range
// is as long as one copy instruction can move. A masked move only concerns the lanes that execute,
// a NoMask one all lanes; a set may contain both kinds.
//
// Algorithm: a move is emitted once no pending move reads its destination. The remaining moves form
// cycles (or overlap themselves): one source is saved in free units; without free units two whole
// ranges are exchanged, which needs every reader involved to name exactly one of them. Linear in
// the number of units moved.
#ifndef KILN_CORE_LIR_RA_PARALLEL_MOVES_H_
#define KILN_CORE_LIR_RA_PARALLEL_MOVES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

struct Move {
  uint32_t to = 0;
  uint32_t from = 0;
  uint32_t units = 0;
  uint32_t alignment = 1;  // of free units that hold this range temporarily
  bool no_mask = false;
  uint32_t tag = 0;  // the caller's
};

struct MoveStep {
  bool swap = false;
  uint32_t to = 0;
  uint32_t from = 0;
  uint32_t units = 0;
  bool no_mask = false;
  uint32_t tag = 0;
};

// Appends the steps for `moves`. `busy`: units that must not be used as temporaries, besides those
// that the moves themselves name. Returns false if a cycle cannot be broken for lack of free units;
// `out` then holds a part of the sequence and must be dropped.
bool SequenceMoves(absl::Span<const Move> moves, const UnitSet& busy, uint32_t pool_units,
                   std::vector<MoveStep>* out);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_PARALLEL_MOVES_H_
