// Chooses which pieces to evict when registers are too few. Lifetime: a walk; candidates are those
// of a block.
//
// A piece is judged by the distance of its next use, and by the room that evicting it gives per
// cost of bringing it back. A fill is a message, whatever its size; a constant is one instruction.
#ifndef KILN_CORE_LIR_RA_SPILL_ROOM_H_
#define KILN_CORE_LIR_RA_SPILL_ROOM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_parked.h"
#include "core/lir/ra/spill_registers.h"

namespace kiln::lir::ra {

class SpillRoom {
 public:
  SpillRoom(const SpillInput& in, SpillDecisions& decisions, const SpillHere& here,
            PiecesInRegisters& registers, ParkedPieces& parked)
      : in_(in),
        decisions_(decisions),
        here_(here),
        registers_(registers),
        parked_(parked),
        protect_(in.pieces.count(), 0),
        evicted_(in.values, kNothing) {}

  // Begins a walk. `note`: record why values leave.
  void NewWalk(bool note);
  // Begins a block, once the pieces of waiting lanes are known.
  void Begin() { total_ = parked_.units(); }
  void End();

  // Enter: the piece is in a register now, under this name. Leave: it is in none any more.
  void Enter(uint32_t p, const Name& name);
  void Leave(uint32_t p);
  // Queues it again after its next use has changed.
  void Reprice(uint32_t p) {
    if (queued_) Queue(p);
  }

  // Protected pieces stay until the next call of Unprotect.
  void Protect(uint32_t p) { protect_[p] = epoch_; }
  void Unprotect() { ++epoch_; }

  // Evicts until `units` more fit, or no piece is left that may be evicted.
  void MakeRoom(uint32_t units);
  // Makes room at a block's start. All parameters are written before the block begins, so a
  // parameter evicted there lives in memory.
  void MakeRoomForParams();

  // One per evicted value, in order; empty if not recorded.
  const std::vector<Eviction>& evictions() const { return evictions_; }

 private:
  enum Kind : uint8_t { kScalar, kConstant, kRegister, kRegisters, kKinds };
  static constexpr uint64_t kWorth[kKinds] = {1, 16, 8, 16};

  struct Candidate {
    uint32_t piece = kNothing;
    uint32_t distance = 0;  // in the heaps from the block's start, else from here
    Kind kind = kScalar;
    bool waiting = false;  // only parked lanes hold it
    uint64_t worth() const { return distance * kWorth[kind]; }
    bool Before(const Candidate& o) const {
      return worth() != o.worth() ? worth() > o.worth() : piece < o.piece;
    }
  };

  Kind KindOf(uint32_t p) const;
  bool MayEvict(uint32_t p) const;
  bool IsParamHere(ValueId v) const {
    return in_.param_of[v.index] == here_.block && !decisions_.InMemory(v);
  }

  // Candidates of a kind are in a heap ordered by their next use, counted from the block's start,
  // which is the same order as by distance. An entry is pushed when a piece enters a register, when
  // its next use changes, and when only parked lanes are left to hold it; stale entries are
  // recognised when they reach the top (IsStale).
  void Queue(uint32_t p) { Push({p, here_.NextUse(p), KindOf(p), false}); }
  void QueueWaiting(uint32_t p) { Push({p, parked_.Distance(p), KindOf(p), true}); }
  void Push(const Candidate& c);
  static bool Worse(const Candidate& a, const Candidate& b) { return b.Before(a); }
  bool IsStale(const Candidate& c) const;
  // Fills the heaps at the first eviction in a block; most blocks evict nothing.
  void QueueAll();
  // The best piece to evict; `piece` is kNothing if there is none.
  Candidate FindBest();

  void Evict(const Candidate& c);
  // Evicts the piece for waiting lanes as well.
  void Unpark(uint32_t p);
  void MoveToMemory(ValueId param, uint32_t distance);

  const SpillInput& in_;
  SpillDecisions& decisions_;
  const SpillHere& here_;
  PiecesInRegisters& registers_;
  ParkedPieces& parked_;
  std::array<std::vector<Candidate>, kKinds> queues_;
  std::vector<Candidate> aside_;  // scratch of FindBest
  bool queued_ = false;           // the heaps hold the candidates
  bool entering_ = false;         // at the start of the block, parameters just written
  uint32_t total_ = 0;            // units in registers or held by parked lanes
  uint32_t epoch_ = 0;
  std::vector<uint32_t> protect_;  // per piece: the epoch in which it is protected
  bool note_ = false;
  std::vector<uint32_t> evicted_;  // per value: index in evictions_
  std::vector<Eviction> evictions_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_ROOM_H_
