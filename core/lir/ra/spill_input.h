// State shared by the parts of spilling, by lifetime: the inputs (SpillInput), decisions of all
// walks (SpillDecisions), and the current position of a walk (SpillHere).
//
// The parts, lower ones first: spill_registers (pieces in registers, and their names), spill_parked
// (pieces that waiting lanes hold), spill_room (chooses what to evict), spill_code (instructions
// that are added), spill_fills (brings operands back), spill_edges (parameters that live in
// memory). spill.cc walks the blocks and calls them; spill_stores and spill_places finish the code
// of the last walk.
#ifndef KILN_CORE_LIR_RA_SPILL_INPUT_H_
#define KILN_CORE_LIR_RA_SPILL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/base/bitset.h"
#include "core/lir/dominators.h"
#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/ra/next_use.h"
#include "core/lir/ra/pieces.h"
#include "core/lir/ra/spill.h"

namespace kiln::lir::ra {

inline constexpr uint32_t kNothing = ~uint32_t{0};
inline constexpr uint32_t kNever = NextUses::kNever;

// The original function and analyses of it; constant. The function itself grows while code is
// added.
struct SpillInput {
  SpillInput(const Machine& machine, const SpillHooks& hooks, const Function& function,
             const Liveness& live, const SpillSettings& settings);

  // True if the thread reaches the block; it reaches the exit block even if no lane does.
  bool Walked(uint32_t b) const { return dom.reachable(BlockId(b)) || BlockId(b) == f.exit_block; }
  bool IsTerminator(InstId i) const { return t.ops[f.inst(i).op].flags & kOpTerminator; }
  bool PerLane(ValueId v) const { return t.files[f.value(v).file].masked_writes; }
  bool AlwaysMasked(ValueId v) const { return t.files[f.value(v).file].always_masked; }
  bool Spillable(ValueId v) const {
    if (v == f.scratch_header || held[v.index]) return false;
    return !PerLane(v) || !held_at_def[v.index] || h.can_mask(f, f.value(v));
  }
  bool CanLiveInMemory(ValueId param) const {
    return !PerLane(param) || h.can_mask(f, f.value(param));
  }
  absl::Span<const Operand> OriginalUses(InstId i) const {
    const Inst& in = f.inst(i);
    return absl::MakeConstSpan(original).subspan(in.first_operand + in.num_defs, in.num_uses);
  }

  const Machine& t;
  const SpillHooks& h;
  const Function& f;
  const Liveness& l;
  const uint32_t limit;  // units of the pool that may be in use
  const Pieces pieces;
  const LoopSpans loops;
  const std::vector<uint32_t> needed_at_exits;  // pieces that the exit block reads for all lanes,
                                                // ascending
  const NextUses next;
  const Dominators dom;
  const size_t values, insts, repeats;  // numbers in the original function
  const std::vector<Operand> original;  // operands

  // Per value.
  std::vector<uint32_t> param_of;  // the block
  std::vector<InstId> def_inst;
  std::vector<char> constant;     // defined by one instruction without sources
  std::vector<char> held_at_def;  // parked lanes hold it where it is defined
  std::vector<char> held;         // LiveIn::held
  // Per block.
  std::vector<std::vector<uint32_t>> preds;  // logical, reachable, earlier

 private:
  void Describe();
};

// Decisions of all walks. They only accumulate, so repeating the walk ends.
class SpillDecisions {
 public:
  explicit SpillDecisions(const SpillInput& in)
      : pieces_(in.pieces.count()), banned_(in.f.blocks.size()), in_memory_(in.values, 0) {}

  // Returns true if the piece must not enter the block in a register.
  bool Banned(uint32_t b, uint32_t p) const { return banned_[b].size() != 0 && banned_[b].test(p); }
  void Ban(uint32_t b, uint32_t p) {
    if (Banned(b, p)) return;
    if (banned_[b].size() == 0) banned_[b] = BitSet(pieces_);
    banned_[b].set(p);
    changed_ = true;
  }
  // Returns true for a parameter that lives in memory.
  bool InMemory(ValueId v) const { return in_memory_[v.index]; }
  bool InMemory(const Operand& o) const { return in_memory_[o.id]; }
  void MoveToMemory(ValueId param, const Eviction& why) {
    in_memory_[param.index] = 1;
    changed_ = true;
    evictions_.push_back(why);
  }
  const std::vector<Eviction>& evictions() const { return evictions_; }  // of parameters

  // Returns true if a decision was added since the last call.
  bool TakeChanged() {
    const bool changed = changed_;
    changed_ = false;
    return changed;
  }

 private:
  const size_t pieces_;
  std::vector<BitSet> banned_;  // per block; empty: none
  std::vector<char> in_memory_;
  std::vector<Eviction> evictions_;
  bool changed_ = false;
};

// The current instruction of a walk, and the uses that follow in its block.
class SpillHere {
 public:
  explicit SpillHere(const SpillInput& in)
      : in_(in), positions_(in.pieces.count()), after_(in.pieces.count(), kNever) {}

  // Begins a walk; lengths of blocks are those of the original function.
  void NewWalk();
  void Enter(uint32_t b);
  void Leave();

  // Number of instructions before the block; has one more entry than there are blocks.
  uint32_t start(uint32_t b) const { return start_[b]; }
  // Position of the next use, counted from the start of the block.
  uint32_t NextUse(uint32_t p) const {
    if (!positions_[p].empty()) return positions_[p].back();
    return after_[p] == kNever ? kNever : length + after_[p];
  }
  // Removes the use at this position; false if there was none.
  bool Pass(uint32_t p) {
    if (positions_[p].empty() || positions_[p].back() != position) return false;
    positions_[p].pop_back();
    return true;
  }
  // Pieces that are live after the block, ascending.
  const std::vector<uint32_t>& live_after() const { return after_touched_; }

  uint32_t block = 0, position = 0, length = 0;

 private:
  void AddUse(uint32_t p, uint32_t k) {
    if (positions_[p].empty() || positions_[p].back() != k) positions_[p].push_back(k);
  }

  const SpillInput& in_;
  std::vector<uint32_t> start_;
  std::vector<std::vector<uint32_t>> positions_;  // per piece: uses to come, nearest last
  std::vector<uint32_t> after_, after_touched_;   // per piece: distance after the block
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_INPUT_H_
