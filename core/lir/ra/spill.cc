// A worked example, on the machine of lir/testing.h at width 8: all values but the flag %5 take one
// register, the limit is 4, and there is no header. In b1, lanes that leave the loop wait for b2.
//
//   b0: %1 = load %0;  %2 = load %0                                               -> b1
//   b1: %3 = load %0;  %4 = load %0;  store %3, %4;  %5 = cmp %0;  while %5       -> b1, b2
//   b2: %6 = add %0, %1;  store %0, %6;  store %0, %2;  end %0
//
// First walk, which decides and writes nothing:
// * b0: %0, %1 and %2 come into registers: 3 in use.
// * b1: all three enter by name, since b0, the only predecessor earlier in the layout, ends with
//   them; the entry is noted, as b1 is the head of a loop. %3 is the fourth. %4 has no room:
//   MakeRoom compares the next uses, counted from %4: %3 in 1 instruction, %0 in 2, %1 in 100,005
//   (leaving the loop counts 100,000) and %2 in 100,007. All are single registers (worth 8), so %2
//   is evicted. The lanes that wait for b2 hold it as well, so it must not enter b2 in a register
//   (Ban).
// * End of b1: %2 was in a register at the loop's entry and is in none at the back edge: it must
//   not enter b1 in one either.
// * b2: %0 and %1 enter. store reads %2: a fill, under a temporary name.
//
// Second walk, which writes (there are at least two):
// * b1: %0 and %1 enter; %3 and %4 are the third and fourth. Nothing is evicted.
// * b2: as before; the fill becomes an instruction and %7 its result, which the store reads.
// * No decision changed, so this walk was the last.
//
// Then PlaceStores adds the store after the definition of %2 (NoMask: no lane is parked in b0), and
// AssignPlaces gives it the first slot:
//
//   b0: %1 = load %0;  %2 = load %0;  spill %2, 0                                 -> b1
//   b1: as it was
//   b2: %6 = add %0, %1;  store %0, %6;  %7 = fill 0;  store %0, %7;  end %0
#include "core/lir/ra/spill.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/lir/exits.h"
#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_edges.h"
#include "core/lir/ra/spill_fills.h"
#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_parked.h"
#include "core/lir/ra/spill_places.h"
#include "core/lir/ra/spill_registers.h"
#include "core/lir/ra/spill_room.h"
#include "core/lir/ra/spill_stores.h"

namespace kiln::lir::ra {

namespace {

// Walks after which no piece may enter a loop, or a block that lanes wait for, in a register.
constexpr int kMaxIterations = 12;

// Exits count as predecessors of the exit block for values that it reads for all lanes: records the
// names that these pieces had at the exits passed so far. Lifetime: a walk.
class AtExits {
 public:
  explicit AtExits(const SpillInput& in) : in_(in) {}

  void NewWalk() { pieces_.assign(in_.needed_at_exits.size(), Piece()); }
  void Pass(const PiecesInRegisters& registers) {
    for (size_t k = 0; k < pieces_.size(); ++k) {
      const uint32_t p = in_.needed_at_exits[k];
      Piece& at = pieces_[k];
      const bool same = !at.any || at.name == registers.name(p);
      at = {true, registers.Has(p) && same && at.held, registers.name(p)};
    }
  }
  // Returns true if the piece was in a register under this name at each exit, or exits do not need
  // it.
  bool Had(const Resident& r) const {
    const std::vector<uint32_t>& needed = in_.needed_at_exits;
    const auto at = std::lower_bound(needed.begin(), needed.end(), r.piece);
    if (at == needed.end() || *at != r.piece) return true;
    const Piece& p = pieces_[static_cast<size_t>(at - needed.begin())];
    return !p.any || (p.held && p.name == r.name);
  }

 private:
  struct Piece {
    bool any = false;
    bool held = true;  // in a register at each, under this name
    Name name;
  };
  const SpillInput& in_;
  std::vector<Piece> pieces_;
};

// The walk, block after block: brings operands into registers and makes room for definitions.
class Spiller {
 public:
  Spiller(const Machine& t, const SpillHooks& hooks, Function& f, const Liveness& live,
          const SpillSettings& settings)
      : in_(t, hooks, f, live, settings),
        decisions_(in_),
        here_(in_),
        ends_(f.blocks.size()),
        registers_(in_),
        parked_(in_, decisions_, here_, ends_),
        at_exits_(in_),
        room_(in_, decisions_, here_, registers_, parked_),
        code_(in_, f),
        fills_(in_, here_, registers_, room_, code_),
        edges_(in_, decisions_, room_, code_, fills_) {}

  absl::Status Run(SpillStats* stats) {
    // Each walk but the first writes code, for it may be the last.
    bool changed = true;
    for (int iteration = 0; iteration < 2 || changed; ++iteration) {
      if (iteration == kMaxIterations) ForgetAtJoins();
      Walk(iteration != 0);
      changed = decisions_.TakeChanged();
    }
    code_.Take();
    DropParamsInMemory(decisions_, &code_.function());
    PlaceStores(in_, decisions_, &code_);
    RemoveUnread(in_.h, &code_.function());
    stats->repeated = code_.repeated();
    return AssignPlaces(in_, decisions_.evictions(), room_.evictions(), &code_, stats);
  }

 private:
  // Last resort, if decisions of one walk keep causing new ones in the next.
  void ForgetAtJoins() {
    for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
      if (in_.loops.innermost(b) == b) BanAll(b);
      for (BlockId j : in_.l.waits(BlockId(b))) BanAll(j.index);
    }
  }
  void BanAll(uint32_t b) {
    for (const PieceDistance& d : in_.next.at_entry(b)) {
      if (in_.Spillable(in_.pieces.value(d.piece))) decisions_.Ban(b, d.piece);
    }
  }

  void Walk(bool write) {
    code_.NewWalk(write);
    here_.NewWalk();
    parked_.NewWalk();
    at_exits_.NewWalk();
    room_.NewWalk(write);
    for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
      if (in_.Walked(b)) DoBlock(b);
    }
  }

  void DoBlock(uint32_t b) {
    const std::vector<InstId> insts = in_.f.blocks[b].insts;
    Begin(b);
    for (; here_.position < here_.length; ++here_.position) {
      const InstId i = insts[here_.position];
      if (in_.IsTerminator(i)) edges_.Arguments(b);
      DoInst(i);
    }
    if (insts.empty() || !in_.IsTerminator(insts.back())) edges_.Arguments(b);
    End(b);
  }

  void Begin(uint32_t b) {
    assert(registers_.list().empty());
    code_.BeginBlock();
    here_.Enter(b);
    room_.Unprotect();
    parked_.Enter(b);
    room_.Begin();
    EnterByName(b);
    std::vector<Resident>& entry = ends_.entry[b];
    entry.clear();
    if (in_.loops.innermost(b) == b) {
      for (uint32_t p : registers_.list()) entry.push_back({p, registers_.name(p)});
    }
    for (ValueId v : in_.f.blocks[b].params) {
      if (!decisions_.InMemory(v)) Define(v);
    }
    if (b == 0) {
      for (const LiveIn& l : in_.f.live_ins) Define(l.value);
    }
    room_.MakeRoomForParams();
    room_.MakeRoom(0);
    // Pieces evicted at the entry itself need not come around the back edge.
    std::erase_if(entry, [&](const Resident& r) { return !registers_.Has(r.piece); });
  }

  // Enters the pieces that every predecessor ends with under the same name.
  void EnterByName(uint32_t b) {
    if (in_.preds[b].empty()) return;
    absl::InlinedVector<Residents, 4> preds;
    for (uint32_t p : in_.preds[b]) preds.emplace_back(&ends_.exit[p]);
    for (const PieceDistance& d : in_.next.at_entry(b)) {
      if (decisions_.Banned(b, d.piece)) continue;
      const Resident* r = preds[0].Find(d.piece);
      if (r == nullptr || !GoesTo(in_, *r, b)) continue;
      if (BlockId(b) == in_.f.exit_block && !at_exits_.Had(*r)) continue;
      const bool all = std::all_of(preds.begin() + 1, preds.end(), [&](Residents& other) {
        const Resident* o = other.Find(d.piece);
        return o != nullptr && o->name == r->name;
      });
      if (all) room_.Enter(d.piece, r->name);
    }
  }

  void Define(ValueId v) {
    for (uint32_t p = in_.pieces.first(v); p < in_.pieces.end(v); ++p) {
      if (here_.NextUse(p) != kNever) room_.Enter(p, {v.index, in_.pieces.comp(p), kNothing});
    }
  }

  void End(uint32_t b) {
    std::vector<Resident>& exit = ends_.exit[b];
    exit.clear();
    for (uint32_t p : here_.live_after()) {
      if (registers_.Has(p)) exit.push_back({p, registers_.name(p)});
    }
    for (const Edge& e : in_.f.blocks[b].succs) {
      parked_.Join(e.to.index, b);
      if (e.to.index > b) continue;
      for (const Resident& r : ends_.entry[e.to.index]) {
        const bool same = registers_.Has(r.piece) && registers_.name(r.piece) == r.name;
        if (!same) decisions_.Ban(e.to.index, r.piece);
      }
    }
    registers_.Clear();
    room_.End();
    here_.Leave();
    code_.EndBlock(b);
  }

  void DoInst(InstId i) {
    room_.Unprotect();
    used_.clear();
    for (const Operand& o : in_.f.uses(i)) {
      in_.pieces.ForEach(o, [&](uint32_t p) {
        room_.Protect(p);
        used_.push_back(p);
      });
    }
    const uint32_t first_use = in_.f.inst(i).first_operand + in_.f.inst(i).num_defs;
    for (uint32_t u = 0; u < in_.f.inst(i).num_uses; ++u) {
      code_.Rename(first_use + u, fills_.InRegisters(in_.f.operands[first_use + u]));
    }
    if (IsExit(in_.t, in_.f, i)) {
      at_exits_.Pass(registers_);
      used_.insert(used_.end(), in_.needed_at_exits.begin(), in_.needed_at_exits.end());
    }
    FinishUses();
    room_.Unprotect();
    uint32_t units = 0;
    for (const Operand& o : in_.f.defs(i)) {
      in_.pieces.ForEach(o, [&](uint32_t p) { units += in_.pieces.units(p); });
    }
    room_.MakeRoom(units);
    code_.Emit(i);
    for (const Operand& o : in_.f.defs(i)) {
      if (IsValue(o) && o.id < in_.values) Define(o.value());
    }
  }

  void FinishUses() {
    for (uint32_t p : used_) {
      const bool here = here_.Pass(p);
      if (here_.NextUse(p) == kNever) {
        room_.Leave(p);
      } else if (here && registers_.Has(p)) {
        room_.Reprice(p);
      }
    }
  }

  const SpillInput in_;
  SpillDecisions decisions_;
  SpillHere here_;
  BlockEnds ends_;
  PiecesInRegisters registers_;
  ParkedPieces parked_;
  AtExits at_exits_;
  SpillRoom room_;
  SpillCode code_;
  SpillFills fills_;
  SpillEdges edges_;
  std::vector<uint32_t> used_;  // pieces used by the current instruction
};

}  // namespace

absl::Status SpillToFit(const Machine& t, const SpillHooks& hooks, Function* f,
                        const Liveness& live, const SpillSettings& settings, SpillStats* stats) {
  return Spiller(t, hooks, *f, live, settings).Run(stats);
}

}  // namespace kiln::lir::ra
