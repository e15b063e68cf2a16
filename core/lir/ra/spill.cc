#include "core/lir/ra/spill.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "core/base/bitset.h"
#include "core/base/cause.h"
#include "core/lir/build.h"
#include "core/lir/dominators.h"
#include "core/lir/exits.h"
#include "core/lir/ra/next_use.h"
#include "core/lir/ra/pieces.h"
#include "core/lir/ra/scratch_places.h"

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kNone = ~uint32_t{0};
constexpr uint32_t kNever = NextUses::kNever;
constexpr int kMaxIterations = 12;  // after these, loops and waiting lanes keep nothing
constexpr int kRepeatDepth = 2;   // computations repeated to repeat one
constexpr uint32_t kPlaceholder = 0;  // places are known last

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

// What a piece is called while it is in a register.
struct Name {
  uint32_t value = kNone;
  uint32_t comp = 0;
  uint32_t block = kNone;  // where a NoMask instruction made it; kNone: good everywhere
  friend bool operator==(const Name&, const Name&) = default;
};

struct Resident {
  uint32_t piece = 0;
  Name name;
};

// A block that parked lanes wait for with a piece.
struct Holder {
  uint32_t block = 0;
  uint32_t next = 0;    // its next use there, in instructions of the function
  uint32_t least = 0;   // of this and those before it
};
using Holders = absl::InlinedVector<Holder, 2>;

void FindLeast(Holders* h, size_t from) {
  for (size_t k = from; k < h->size(); ++k) {
    Holder& at = (*h)[k];
    at.least = k == 0 ? at.next : std::min(at.next, (*h)[k - 1].least);
  }
}

// Looks up pieces that ascend.
class Residents {
 public:
  explicit Residents(const std::vector<Resident>* list) : list_(list) {}
  const Resident* Find(uint32_t piece) {
    while (at_ < list_->size() && (*list_)[at_].piece < piece) ++at_;
    return at_ < list_->size() && (*list_)[at_].piece == piece ? &(*list_)[at_] : nullptr;
  }

 private:
  const std::vector<Resident>* list_;
  size_t at_ = 0;
};

// A spill or fill whose place is not known yet.
struct Access {
  InstId inst;
  ValueId value;      // whose memory
  uint32_t piece = 0; // the first
};

// Ascending, each once.
std::vector<uint32_t> PiecesOf(absl::Span<const Operand> operands, const Pieces& pieces) {
  std::vector<uint32_t> list;
  for (const Operand& o : operands) pieces.ForEach(o, [&](uint32_t p) { list.push_back(p); });
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

class Spiller {
 public:
  Spiller(const Target& t, const SpillHooks& hooks, Function& f, const Liveness& live,
          const SpillSettings& settings, SpillStats* stats)
      : t_(t),
        h_(hooks),
        f_(f),
        l_(live),
        settings_(settings),
        stats_(*stats),
        pieces_(t, f, hooks),
        loops_(f),
        needed_at_exits_(PiecesOf(live.at_exits(), pieces_)),
        next_(t, f, pieces_, loops_, needed_at_exits_),
        dom_(f),
        old_values_(f.values.size()),
        old_insts_(f.insts.size()),
        old_repeats_(f.repeats.size()),
        original_(f.operands) {}

  absl::Status Run() {
    Prepare();
    // Each walk but the first writes what it decides, for it may be the last.
    for (int iteration = 0; !emit_ || changed_; ++iteration) {
      if (emit_) DiscardEmitted();
      changed_ = false;
      if (iteration == kMaxIterations) ForgetAtJoins();
      emit_ = iteration != 0;
      Walk();
    }
    TakeEmitted();
    DropParams();
    PlaceStores();
    RemoveUnread();
    return AssignPlaces();
  }

 private:
  // ---- Set-up.

  void Prepare() {
    const size_t n = f_.blocks.size();
    limit_ = FreeUnits(t_, f_, h_.pool) - settings_.reserve;
    in_registers_.assign(pieces_.count(), 0);
    holders_.assign(pieces_.count(), {});
    waiting_index_.assign(pieces_.count(), 0);
    name_.assign(pieces_.count(), Name());
    index_.assign(pieces_.count(), 0);
    positions_.assign(pieces_.count(), {});
    behind_.assign(pieces_.count(), kNever);
    protect_.assign(pieces_.count(), 0);
    at_exits_.resize(needed_at_exits_.size());
    filled_.assign(pieces_.count(), 0);
    evicted_.assign(old_values_, kNone);
    in_memory_.assign(old_values_, 0);
    param_of_.assign(old_values_, kNone);
    def_inst_.assign(old_values_, InstId());
    held_at_def_.assign(old_values_, 0);
    constant_.assign(old_values_, 0);
    banned_.assign(n, BitSet());
    emitted_.resize(n);
    exit_.resize(n);
    entry_.resize(n);
    preds_.assign(n, {});
    for (uint32_t b = 0; b < n; ++b) {
      if (!Walked(b)) continue;
      for (const Edge& e : f_.blocks[b].succs) {
        if (e.to.index > b) preds_[e.to.index].push_back(b);
      }
      for (ValueId p : f_.blocks[b].params) param_of_[p.index] = b;
      for (InstId i : f_.blocks[b].insts) {
        for (const Operand& o : f_.defs(i)) {
          if (!IsValue(o)) continue;
          def_inst_[o.id] = i;
          constant_[o.id] = IsConstant(i);
        }
      }
    }
    for (uint32_t v = 0; v < old_values_; ++v) {
      const BlockId b = l_.def_block(ValueId(v));
      for (uint32_t c = 0; b.valid() && c < f_.values[v].comps; ++c) {
        const uint32_t g = l_.global(l_.first_slot(ValueId(v)) + c);
        held_at_def_[v] |= g != Liveness::kLocal && l_.parked(b).test(g);
      }
    }
  }

  // The thread comes to the exit block, even if no lane does.
  bool Walked(uint32_t b) const {
    return dom_.reachable(BlockId(b)) || BlockId(b) == f_.exit_block;
  }

  bool IsConstant(InstId i) const {
    const absl::Span<const Operand> uses = f_.uses(i);
    return h_.can_repeat(f_, i) && std::none_of(uses.begin(), uses.end(), IsValue);
  }
  bool PerLane(ValueId v) const { return t_.files[f_.value(v).file].masked_writes; }
  bool AlwaysMasked(ValueId v) const { return t_.files[f_.value(v).file].always_masked; }
  bool Spillable(ValueId v) const {
    if (v == f_.scratch_header) return false;
    return !PerLane(v) || !held_at_def_[v.index] || h_.can_mask(f_, f_.value(v));
  }
  bool CanLiveInMemory(ValueId param) const {
    return !PerLane(param) || h_.can_mask(f_, f_.value(param));
  }

  // The last resort against decisions that chase each other.
  void ForgetAtJoins() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      const bool head = loops_.innermost(b) == b;
      if (head) BanAll(b);
      for (BlockId j : l_.waits(BlockId(b))) BanAll(j.index);
    }
  }
  void BanAll(uint32_t b) {
    for (const PieceDistance& d : next_.at_entry(b)) {
      if (Spillable(pieces_.value(d.piece))) Ban(b, d.piece);
    }
  }

  // ---- What is in registers.

  bool Banned(uint32_t b, uint32_t p) const {
    return banned_[b].size() != 0 && banned_[b].test(p);
  }
  void Ban(uint32_t b, uint32_t p) {
    if (Banned(b, p)) return;
    if (banned_[b].size() == 0) banned_[b] = BitSet(pieces_.count());
    banned_[b].set(p);
    changed_ = true;
  }

  uint32_t NextUse(uint32_t p) const {
    if (!positions_[p].empty()) return positions_[p].back();
    return behind_[p] == kNever ? kNever : length_ + behind_[p];
  }

  void Enter(uint32_t p, const Name& name) {
    name_[p] = name;
    if (in_registers_[p]) return;
    in_registers_[p] = 1;
    index_[p] = static_cast<uint32_t>(list_.size());
    list_.push_back(p);
    if (queued_) Queue(p);
    if (!Parked(p)) total_ += pieces_.units(p);
  }
  void Leave(uint32_t p) {
    if (!in_registers_[p]) return;
    in_registers_[p] = 0;
    list_[index_[p]] = list_.back();
    index_[list_.back()] = index_[p];
    list_.pop_back();
    if (!Parked(p)) {
      total_ -= pieces_.units(p);
    } else if (queued_) {
      QueueWaiting(p);
    }
  }

  // ---- What parked lanes hold. It changes little from block to block, so it is kept: for each piece
  // the blocks that lanes wait for with it.

  bool Parked(uint32_t p) const { return !holders_[p].empty(); }
  // Of its next use, from the start of the block.
  uint32_t ParkedDistance(uint32_t p) const {
    return std::min(kNever - 1, holders_[p].back().least - start_[block_]);
  }

  // The farthest block stands first, because the nearest ends first.
  void AddHolder(uint32_t p, uint32_t block, uint32_t next) {
    Holders& h = holders_[p];
    if (h.empty()) {
      waiting_index_[p] = static_cast<uint32_t>(waiting_.size());
      waiting_.push_back(p);
      parked_total_ += pieces_.units(p);
    }
    size_t k = h.size();
    while (k > 0 && h[k - 1].block < block) --k;
    h.insert(h.begin() + static_cast<std::ptrdiff_t>(k), {block, next, next});
    FindLeast(&h, k);
  }
  void RemoveHolder(uint32_t p, uint32_t block) {
    Holders& h = holders_[p];
    size_t k = h.size();
    while (k > 0 && h[k - 1].block < block) --k;
    if (k == 0 || h[k - 1].block != block) return;
    h.erase(h.begin() + static_cast<std::ptrdiff_t>(k - 1));
    FindLeast(&h, k - 1);
    if (h.empty()) Release(p);
  }
  void Release(uint32_t p) {
    holders_[p].clear();
    waiting_[waiting_index_[p]] = waiting_.back();
    waiting_index_[waiting_.back()] = waiting_index_[p];
    waiting_.pop_back();
    parked_total_ -= pieces_.units(p);
  }

  // Lanes wait for what is live into block j and for its parameters.
  template <class F>
  void ForEachWaitingFor(uint32_t j, F&& f) const {
    for (const PieceDistance& d : next_.at_entry(j)) f(d.piece, d.distance, Banned(j, d.piece));
    for (ValueId v : f_.blocks[j].params) {
      for (uint32_t p = pieces_.first(v); p < pieces_.end(v); ++p) {
        const bool read = l_.used(l_.first_slot(v) + pieces_.comp(p));
        f(p, 0, in_memory_[v.index] || !read);
      }
    }
  }
  void StopWaiting(uint32_t j) {
    ForEachWaitingFor(j, [&](uint32_t p, uint32_t, bool) { RemoveHolder(p, j); });
  }
  // Lanes of an earlier block wait for j from block b on. What they had in no register they do not
  // find in one there.
  void StartWaiting(uint32_t j, uint32_t b) {
    const uint32_t place = j > b ? start_[j] : start_[loops_.last(j) + 1];
    uint32_t from = kNone;
    for (uint32_t p : preds_[j]) {
      if (p < b) from = p;
    }
    Residents had(from == kNone ? nullptr : &exit_[from]);
    ForEachWaitingFor(j, [&](uint32_t p, uint32_t distance, bool in_memory) {
      if (in_memory) return;
      if (from != kNone && param_of_[pieces_.value(p).index] != j) {
        const Resident* r = had.Find(p);
        if (r == nullptr || !GoesTo(*r, j)) return;
      }
      AddHolder(p, j, place + distance);
    });
  }
  // Lanes of block b join those that wait for j.
  void MoreWaiting(uint32_t j, uint32_t b) {
    Residents had(&exit_[b]), before(&exit_[preds_[j][0]]);
    for (const PieceDistance& d : next_.at_entry(j)) {
      const Resident* r = had.Find(d.piece);
      const Resident* other = before.Find(d.piece);
      if (r == nullptr || other == nullptr || !(r->name == other->name)) RemoveHolder(d.piece, j);
    }
  }

  // The thread comes to block b.
  void WaitIn(uint32_t b) {
    for (ValueId v : moved_to_memory_) {
      for (uint32_t p = pieces_.first(v); p < pieces_.end(v); ++p) {
        RemoveHolder(p, param_of_[v.index]);
      }
    }
    moved_to_memory_.clear();
    const absl::Span<const BlockId> waits = l_.waits(BlockId(b));
    scratch_waits_.clear();
    std::set_difference(waits_.begin(), waits_.end(), waits.begin(), waits.end(),
                        std::back_inserter(scratch_waits_));
    for (BlockId j : scratch_waits_) StopWaiting(j.index);
    scratch_waits_.clear();
    std::set_difference(waits.begin(), waits.end(), waits_.begin(), waits_.end(),
                        std::back_inserter(scratch_waits_));
    for (BlockId j : scratch_waits_) StartWaiting(j.index, b);
    waits_.assign(waits.begin(), waits.end());
  }

  // What leaves is judged by the distance of its next use, and by the room that it gives for what it
  // costs to come back. A fill is a message, whatever its size; a constant is one instruction.
  enum Kind : uint8_t { kScalar, kConstant, kRegister, kRegisters, kKinds };
  static constexpr uint64_t kWorth[kKinds] = {1, 16, 8, 16};

  Kind KindOf(uint32_t p) const {
    const uint32_t units = pieces_.units(p);
    if (units < h_.register_units) return constant_[pieces_.value(p).index] ? kConstant : kScalar;
    return units == h_.register_units ? kRegister : kRegisters;
  }

  struct Candidate {
    uint32_t piece = kNone;
    uint32_t distance = 0;   // in the heaps from the start of the block, else from here
    Kind kind = kScalar;
    bool waiting = false;    // only parked lanes hold it
    uint64_t worth() const { return distance * kWorth[kind]; }
    bool Before(const Candidate& o) const {
      return worth() != o.worth() ? worth() > o.worth() : piece < o.piece;
    }
  };

  bool MayEvict(uint32_t p) const {
    const ValueId v = pieces_.value(p);
    if (protect_[p] == epoch_ || !Spillable(v)) return false;
    const bool written = WaitsAsParam(v) || (entering_ && IsParamOf(block_, v));
    return !written || CanLiveInMemory(v);
  }
  // Is it a parameter of a block that lanes wait for here?
  bool WaitsAsParam(ValueId v) const {
    if (param_of_[v.index] == kNone || in_memory_[v.index]) return false;
    const auto waits = l_.waits(BlockId(block_));
    return std::binary_search(waits.begin(), waits.end(), BlockId(param_of_[v.index]));
  }

  // Candidates of a kind stand in a heap by their next use, counted from the block's start, which
  // orders them as the distance does. An entry is pushed when a piece comes into a register, when
  // its next use changes, and when only parked lanes are left to hold it; what has become of older
  // ones shows when they come up.
  void Queue(uint32_t p) { Push({p, NextUse(p), KindOf(p), false}); }
  void QueueWaiting(uint32_t p) { Push({p, ParkedDistance(p), KindOf(p), true}); }
  void Push(const Candidate& c) {
    std::vector<Candidate>& heap = queues_[c.kind];
    heap.push_back(c);
    std::push_heap(heap.begin(), heap.end(), Worse);
  }
  static bool Worse(const Candidate& a, const Candidate& b) { return b.Before(a); }

  bool IsStale(const Candidate& c) const {
    if (c.waiting) {
      return in_registers_[c.piece] || !Parked(c.piece) || ParkedDistance(c.piece) != c.distance;
    }
    return !in_registers_[c.piece] || NextUse(c.piece) != c.distance;
  }

  // The best to evict; `piece` is kNone where there is none.
  Candidate FindBest() {
    QueueAll();
    Candidate best;
    for (std::vector<Candidate>& heap : queues_) {
      aside_.clear();
      while (!heap.empty()) {
        Candidate c = heap.front();
        const bool stale = IsStale(c);
        if (!stale && MayEvict(c.piece)) {
          if (c.distance != kNever) c.distance -= std::min(c.distance, position_);
          if (best.piece == kNone || c.Before(best)) best = c;
          break;
        }
        std::pop_heap(heap.begin(), heap.end(), Worse);
        heap.pop_back();
        if (!stale) aside_.push_back(c);
      }
      for (const Candidate& c : aside_) Push(c);
    }
    return best;
  }

  // Most blocks evict nothing.
  void QueueAll() {
    if (std::exchange(queued_, true)) return;
    for (uint32_t p : list_) Queue(p);
    for (uint32_t p : waiting_) {
      if (!in_registers_[p]) QueueWaiting(p);
    }
  }

  // Evicts until `units` more fit. What is protected in this epoch stays.
  void MakeRoom(uint32_t units) {
    while (total_ + units > limit_) {
      const Candidate best = FindBest();
      if (best.piece == kNone) return;
      Evict(best);
    }
  }

  void Evict(const Candidate& c) {
    const ValueId v = pieces_.value(c.piece);
    const uint32_t live = total_;
    if (Parked(c.piece)) Unpark(c.piece);
    Leave(c.piece);
    if (emit_ && evicted_[v.index] == kNone) {
      evicted_[v.index] = static_cast<uint32_t>(evictions_.size());
      evictions_.push_back({v, BlockId(block_), live, c.distance, FindBest().distance});
    }
  }

  // Waiting lanes give it up as well.
  void Unpark(uint32_t p) {
    const ValueId v = pieces_.value(p);
    if (WaitsAsParam(v)) MoveToMemory(v, ParkedDistance(p));
    for (const Holder& h : holders_[p]) {
      if (param_of_[v.index] != h.block) Ban(h.block, p);
    }
    Release(p);
    if (!in_registers_[p]) total_ -= pieces_.units(p);
  }
  void MoveToMemory(ValueId param, uint32_t distance) {
    in_memory_[param.index] = 1;
    moved_to_memory_.push_back(param);
    changed_ = true;
    param_evictions_.push_back({param, BlockId(block_), total_, distance, 0});
  }

  // ---- The walk.

  void Walk() {
    start_.assign(1, 0);
    for (const Block& b : f_.blocks) {
      start_.push_back(start_.back() + static_cast<uint32_t>(b.insts.size()));
    }
    while (!waiting_.empty()) Release(waiting_.back());
    waits_.clear();
    moved_to_memory_.clear();
    std::fill(at_exits_.begin(), at_exits_.end(), AtExits());
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (Walked(b)) DoBlock(b);
    }
  }

  void DoBlock(uint32_t b) {
    block_ = b;
    const std::vector<InstId> insts = f_.blocks[b].insts;
    length_ = static_cast<uint32_t>(insts.size());
    position_ = 0;
    out_.clear();
    Begin(b, insts);
    for (uint32_t k = 0; k < length_; ++k) {
      position_ = k;
      if (t_.ops[f_.inst(insts[k]).op].flags & kOpTerminator) EdgeArguments(b);
      DoInst(insts[k]);
    }
    position_ = length_;
    if (length_ == 0 || !(t_.ops[f_.inst(insts.back()).op].flags & kOpTerminator)) {
      EdgeArguments(b);
    }
    End(b);
    if (emit_) emitted_[b] = out_;
  }

  // The function is again as it came: another walk follows.
  void DiscardEmitted() {
    std::copy(original_.begin(), original_.end(), f_.operands.begin());
    f_.operands.resize(original_.size());
    f_.insts.resize(old_insts_);
    f_.values.resize(old_values_);
    f_.repeats.resize(old_repeats_);
    filled_.assign(pieces_.count(), 0);
    evicted_.assign(old_values_, kNone);
    accesses_.clear();
    evictions_.clear();
    stats_.repeated = 0;
  }
  void TakeEmitted() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (Walked(b)) f_.blocks[b].insts = std::move(emitted_[b]);
    }
  }

  void AddUse(uint32_t p, uint32_t k) {
    if (positions_[p].empty() || positions_[p].back() != k) positions_[p].push_back(k);
  }

  void Begin(uint32_t b, const std::vector<InstId>& insts) {
    assert(list_.empty());
    next_.AtExit(f_, b, &behind_, &behind_touched_);
    for (uint32_t k = length_; k-- > 0;) {
      for (const Operand& o : f_.uses(insts[k])) {
        pieces_.ForEach(o, [&](uint32_t p) { AddUse(p, k); });
      }
      if (needed_at_exits_.empty() || !IsExit(t_, f_, insts[k])) continue;
      for (uint32_t p : needed_at_exits_) AddUse(p, k);
    }
    ++epoch_;
    WaitIn(b);
    total_ = parked_total_;
    EntryNames(b);
    entry_[b].clear();
    if (loops_.innermost(b) == b) {
      for (uint32_t p : list_) entry_[b].push_back({p, name_[p]});
    }
    for (ValueId v : f_.blocks[b].params) EnterParam(v);
    if (b == 0) {
      for (const LiveIn& l : f_.live_ins) Define(l.value);
    }
    RoomForParams(b);
    MakeRoom(0);
    // What had to go at once need not be handed in.
    entry_[b].erase(std::remove_if(entry_[b].begin(), entry_[b].end(),
                                   [&](const Resident& r) { return !in_registers_[r.piece]; }),
                    entry_[b].end());
  }

  // A fill's name is not taken out of its loop: lanes that left would hold it while the loop fills it
  // again for all lanes.
  bool GoesTo(const Resident& r, uint32_t b) const {
    return r.name.block == kNone || loops_.contains(loops_.innermost(r.name.block), b);
  }

  // A name that every predecessor ends with.
  void EntryNames(uint32_t b) {
    if (preds_[b].empty()) return;
    absl::InlinedVector<Residents, 4> preds;
    for (uint32_t p : preds_[b]) preds.emplace_back(&exit_[p]);
    for (const PieceDistance& d : next_.at_entry(b)) {
      if (Banned(b, d.piece)) continue;
      const Resident* r = preds[0].Find(d.piece);
      if (r == nullptr || !GoesTo(*r, b)) continue;
      if (BlockId(b) == f_.exit_block && !HadAtExits(*r)) continue;
      const bool all = std::all_of(preds.begin() + 1, preds.end(), [&](Residents& other) {
        const Resident* o = other.Find(d.piece);
        return o != nullptr && o->name == r->name;
      });
      if (all) Enter(d.piece, r->name);
    }
  }

  // ---- Exits are predecessors of the exit block as well, for what it reads for all lanes.

  // At an exit; what it needs counts as used by it.
  void NoteExit() {
    for (size_t k = 0; k < needed_at_exits_.size(); ++k) {
      const uint32_t p = needed_at_exits_[k];
      AtExits& a = at_exits_[k];
      const bool same = !a.any || a.name == name_[p];
      a = {true, in_registers_[p] && same && a.held, name_[p]};
      used_.push_back(p);
    }
  }
  bool HadAtExits(const Resident& r) const {
    const auto at = std::lower_bound(needed_at_exits_.begin(), needed_at_exits_.end(), r.piece);
    if (at == needed_at_exits_.end() || *at != r.piece) return true;
    const AtExits& a = at_exits_[static_cast<size_t>(at - needed_at_exits_.begin())];
    return !a.any || (a.held && a.name == r.name);
  }
  // May the source, where it is at hand, be read again for `i` in this block? The thread that comes
  // from an exit brings along nothing that lanes have for themselves.
  bool MayReadAgain(InstId i, const Operand& o) const {
    if (BlockId(block_) != f_.exit_block || !PerLane(o.value())) return true;
    return !(f_.inst(i).flags & kNoMask) && PerLane(f_.defs(i)[0].value());
  }

  void EnterParam(ValueId v) {
    if (!in_memory_[v.index]) Define(v);
  }
  void Define(ValueId v) {
    for (uint32_t p = pieces_.first(v); p < pieces_.end(v); ++p) {
      if (NextUse(p) != kNever) Enter(p, {v.index, pieces_.comp(p), kNone});
    }
  }

  // All parameters are written before the block begins: one that leaves there lives in memory.
  void RoomForParams(uint32_t b) {
    entering_ = true;
    while (total_ > limit_) {
      const Candidate best = FindBest();
      if (best.piece == kNone) break;
      const ValueId v = pieces_.value(best.piece);
      if (!IsParamOf(b, v)) {
        Evict(best);
        continue;
      }
      MoveToMemory(v, best.distance);
      for (uint32_t p = pieces_.first(v); p < pieces_.end(v); ++p) {
        if (Parked(p)) Unpark(p);
        Leave(p);
      }
    }
    entering_ = false;
  }
  bool IsParamOf(uint32_t b, ValueId v) const {
    return param_of_[v.index] == b && !in_memory_[v.index];
  }

  void End(uint32_t b) {
    exit_[b].clear();
    for (uint32_t p : behind_touched_) {
      if (in_registers_[p]) exit_[b].push_back({p, name_[p]});
    }
    for (const Edge& e : f_.blocks[b].succs) {
      if (std::binary_search(waits_.begin(), waits_.end(), e.to)) MoreWaiting(e.to.index, b);
      if (e.to.index > b) continue;
      for (const Resident& r : entry_[e.to.index]) {
        if (!in_registers_[r.piece] || !(name_[r.piece] == r.name)) Ban(e.to.index, r.piece);
      }
    }
    queued_ = false;
    for (uint32_t p : list_) in_registers_[p] = 0;
    list_.clear();
    for (std::vector<Candidate>& heap : queues_) heap.clear();
    for (uint32_t p : behind_touched_) behind_[p] = kNever;
    behind_touched_.clear();
  }

  // ---- One instruction.

  void DoInst(InstId i) {
    ++epoch_;
    used_.clear();
    for (const Operand& o : f_.uses(i)) {
      pieces_.ForEach(o, [&](uint32_t p) {
        protect_[p] = epoch_;
        used_.push_back(p);
      });
    }
    for (uint32_t u = 0; u < f_.inst(i).num_uses; ++u) {
      const Operand o = InRegisters(f_.uses(i)[u]);
      if (emit_) f_.uses(i)[u] = o;
    }
    if (IsExit(t_, f_, i)) NoteExit();
    for (uint32_t p : used_) {
      const bool here = !positions_[p].empty() && positions_[p].back() == position_;
      if (here) positions_[p].pop_back();
      if (NextUse(p) == kNever) {
        Leave(p);
      } else if (here && in_registers_[p] && queued_) {
        Queue(p);
      }
    }
    ++epoch_;
    uint32_t units = 0;
    for (const Operand& o : f_.defs(i)) {
      pieces_.ForEach(o, [&](uint32_t p) { units += pieces_.units(p); });
    }
    MakeRoom(units);
    Emit(i);
    for (const Operand& o : f_.defs(i)) {
      if (IsValue(o) && o.id < old_values_) Define(o.value());
    }
  }

  void Emit(InstId i) {
    if (emit_) out_.push_back(i);
  }
  void EmitInserted(InstId i) {
    f_.inst(i).flags |= kInsertedCopy;
    out_.push_back(i);
  }

  // The operand as it can be read now; fills what is not in a register.
  Operand InRegisters(Operand o) {
    if (!IsValue(o) || o.id >= old_values_ || !pieces_.has(o.value())) return o;
    const uint32_t first = pieces_.of(o.value(), o.comp);
    const uint32_t last = pieces_.of(o.value(), o.comp + o.comps - 1u);
    if (!Together(first, last)) Fill(first, last);
    o.id = name_[first].value;
    o.comp = static_cast<uint16_t>(name_[first].comp + o.comp - pieces_.comp(first));
    return o;
  }

  // In registers, one behind the other?
  bool Together(uint32_t first, uint32_t last) const {
    for (uint32_t p = first; p <= last; ++p) {
      if (!in_registers_[p] || name_[p].value != name_[first].value ||
          name_[p].comp - name_[first].comp != uint32_t{pieces_.comp(p)} - pieces_.comp(first)) {
        return false;
      }
    }
    return true;
  }

  void Fill(uint32_t first, uint32_t last) {
    uint32_t units = 0;
    for (uint32_t p = first; p <= last; ++p) units += pieces_.units(p);
    MakeRoom(units);
    const ValueId v = pieces_.value(first);
    Name name;
    if (first == pieces_.first(v) && last + 1 == pieces_.end(v) && CanRepeat(v, kRepeatDepth)) {
      name.value = Repeat(v).index;
      const bool all_lanes = f_.inst(def_inst_[v.index]).flags & kNoMask;
      if (PerLane(v) && all_lanes) name.block = block_;
    } else {
      name.value = Load(first, last).index;
      if (PerLane(v) && !AlwaysMasked(v)) name.block = block_;
    }
    for (uint32_t p = first; p <= last; ++p) {
      name.comp = uint32_t{pieces_.comp(p)} - pieces_.comp(first);
      Enter(p, name);
    }
  }

  // ---- Repeating a computation.

  absl::Span<const Operand> OriginalUses(InstId i) const {
    const Inst& in = f_.inst(i);
    return absl::MakeConstSpan(original_).subspan(in.first_operand + in.num_defs, in.num_uses);
  }

  bool AtHand(const Operand& o) const {
    return Together(pieces_.of(o.value(), o.comp), pieces_.of(o.value(), o.comp + o.comps - 1u));
  }

  bool CanRepeat(ValueId v, int depth) const {
    const InstId i = def_inst_[v.index];
    if (!i.valid() || f_.inst(i).num_defs != 1 || !h_.can_repeat(f_, i)) return false;
    for (const Operand& o : OriginalUses(i)) {
      if (!IsValue(o)) continue;
      if (!pieces_.has(o.value()) || !MayReadAgain(i, o)) return false;
      if (!AtHand(o) && (depth == 0 || !CanRepeat(o.value(), depth - 1))) return false;
    }
    return true;
  }

  ValueId Repeat(ValueId v) {
    if (!emit_) return ValueId(next_name_++);
    const InstId i = def_inst_[v.index];
    std::vector<Operand> uses;
    const std::vector<Operand> original(OriginalUses(i).begin(), OriginalUses(i).end());
    for (const Operand& o : original) {
      uses.push_back(o);
      if (!IsValue(o)) continue;
      if (AtHand(o)) {
        uses.back() = InRegisters(o);
      } else {
        uses.back().id = Repeat(o.value()).index;
      }
    }
    f_.values.push_back(Value(f_.value(v)));
    const ValueId again(f_.values.size() - 1);
    Operand def = f_.defs(i)[0];
    def.id = again.index;
    const Inst in = f_.inst(i);
    InstFields fields;
    fields.width = in.width;
    fields.group = in.group;
    fields.flags = in.flags;
    fields.cmod = in.cmod;
    fields.predicate_mode = in.predicate_mode;
    fields.aux = in.aux;
    fields.spirv_id = in.spirv_id;
    const InstId clone = MakeInst(f_, in.op, fields, {&def, 1}, uses);
    f_.repeats.push_back({clone, i});
    EmitInserted(clone);
    ++stats_.repeated;
    return again;
  }

  // ---- Fills and stores.

  Operand Header() const {
    const ValueId header = f_.scratch_header;
    if (!header.valid() || h_.to_pool != SpillHooks::kToMemory) return NoOperand();
    return ValueOperand(header, h_.raw_type, 0, f_.value(header).comps);
  }

  ValueId NewValue(const Value& shape) {
    f_.values.push_back(shape);
    return ValueId(f_.values.size() - 1);
  }
  // Does it not start and end with registers? Messages move whole ones.
  bool IsSmall(ValueId v) const {
    if (h_.register_units == 1) return false;
    if (!PerLane(v)) return !f_.value(v).whole_registers;
    return t_.units_per_comp(f_, f_.value(v)) % h_.register_units != 0;
  }
  // Whole registers for so many units.
  ValueId NewRegisters(uint32_t units, uint32_t spirv_id) {
    Value shape = h_.register_value();
    shape.comps = static_cast<uint16_t>(RoundUp(units, h_.register_units));
    shape.spirv_id = spirv_id;
    return NewValue(shape);
  }
  static uint32_t RoundUp(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

  ValueId Load(uint32_t first, uint32_t last) {
    if (!emit_) return ValueId(next_name_++);
    const ValueId v = pieces_.value(first);
    const uint32_t comps = Comps(first, last);
    for (uint32_t p = first; p <= last; ++p) filled_[p] = 1;
    Value shape = f_.value(v);
    shape.comps = static_cast<uint16_t>(comps);
    shape.in_tail = shape.in_tail && comps == f_.value(v).comps;  // as who reads all of it wants
    if (!PerLane(v) && f_.value(v).whole_registers) shape.whole_registers = true;
    const uint32_t units = comps * t_.units_per_comp(f_, shape);
    const ValueId to = IsSmall(v) ? NewRegisters(units, shape.spirv_id) : NewValue(shape);
    const InstId fill = h_.make_fill(f_, to, Header(), kPlaceholder);
    if (!AlwaysMasked(v)) f_.inst(fill).flags |= kNoMask;
    EmitInserted(fill);
    accesses_.push_back({fill, v, first});
    if (!IsSmall(v)) return to;
    // It keeps what it needs, not the register that the message filled.
    const ValueId small = NewValue(shape);
    EmitInserted(Collect(small, {ValueOperand(to, h_.raw_type, 0, static_cast<uint16_t>(units))}));
    return small;
  }

  // Components of these pieces.
  uint32_t Comps(uint32_t first, uint32_t last) const {
    const uint32_t end = uint32_t{pieces_.comp(last)} + pieces_.comps(last);
    return std::min<uint32_t>(f_.value(pieces_.value(first)).comps, end) - pieces_.comp(first);
  }

  InstId Collect(ValueId to, const std::vector<Operand>& parts) {
    const Operand def = ValueOperand(to, h_.raw_type, 0, f_.value(to).comps);
    InstFields fields;
    fields.flags = kNoMask;
    return MakeInst(f_, t_.collect_op, fields, {&def, 1}, parts);
  }

  // Stores the operand as pieces of `v` from `first` on.
  void Store(ValueId v, uint32_t first, const Operand& o, bool masked, std::vector<InstId>* out) {
    const auto add = [&](const Operand& payload, uint32_t piece) {
      const InstId spill = h_.make_spill(f_, Header(), payload, kPlaceholder, !masked);
      f_.inst(spill).flags |= kInsertedCopy;
      out->push_back(spill);
      accesses_.push_back({spill, v, piece});
    };
    if (PerLane(v) && masked && !AlwaysMasked(v)) {
      for (uint32_t c = 0; c < o.comps; ++c) {
        add(ValueOperand(o.value(), h_.raw_type, static_cast<uint16_t>(o.comp + c)), first + c);
      }
      return;
    }
    const bool aligned = PerLane(v) || h_.register_units == 1
                             ? !IsSmall(v)
                             : f_.value(o.value()).whole_registers &&
                                   o.comp % h_.register_units == 0;
    if (aligned) {
      Operand payload = o;
      payload.type = h_.raw_type;
      payload.mods = 0;
      return add(payload, first);
    }
    // What is smaller gets a register of its own for the message.
    const uint32_t units = o.comps * t_.units_per_comp(f_, f_.value(o.value()));
    const ValueId whole = NewRegisters(units, f_.value(v).spirv_id);
    const uint16_t all = f_.value(whole).comps;
    std::vector<Operand> parts = {ValueOperand(o.value(), h_.raw_type, o.comp, o.comps)};
    if (all != units) parts.push_back(NoOperand(static_cast<uint16_t>(all - units)));
    const InstId collect = Collect(whole, parts);
    f_.inst(collect).flags |= kInsertedCopy;
    out->push_back(collect);
    add(ValueOperand(whole, h_.raw_type, 0, all), first);
  }

  // ---- Edges.

  // Arguments of parameters in memory are stored, one after another; the others are renamed.
  void EdgeArguments(uint32_t b) {
    if (f_.blocks[b].succs.size() != 1 || f_.blocks[b].succs[0].num_args == 0) return;
    const Edge e = f_.blocks[b].succs[0];
    const std::vector<ValueId>& params = f_.block(e.to).params;
    const std::vector<Operand> args(f_.args(e).begin(), f_.args(e).end());
    StoreArguments(e, params, args);
    ++epoch_;
    for (size_t k = 0; k < args.size(); ++k) {
      if (!in_memory_[params[k].index]) {
        pieces_.ForEach(args[k], [&](uint32_t p) { protect_[p] = epoch_; });
      }
    }
    for (size_t k = 0; k < args.size(); ++k) {
      if (in_memory_[params[k].index] || !IsValue(args[k])) continue;
      const Operand o = InRegisters(args[k]);
      if (emit_) f_.operands[e.first_arg + k] = o;
    }
  }

  // A parallel move between places of one block's parameters: a place is overwritten when nobody
  // is left who reads it. What a parameter in a register is to have of such a place is taken into
  // registers before, and stays there for the edge; in a cycle one argument is as well.
  void StoreArguments(const Edge& e, const std::vector<ValueId>& params,
                      const std::vector<Operand>& args) {
    const auto reads_place = [&](size_t k) {
      return IsValue(args[k]) && param_of_[args[k].id] == e.to.index && in_memory_[args[k].id];
    };
    std::vector<size_t> pending;
    for (size_t k = 0; k < args.size(); ++k) {
      const bool same = IsValue(args[k]) && args[k].value() == params[k];
      if (IsValue(args[k]) && in_memory_[params[k].index] && !same) pending.push_back(k);
    }
    readers_.resize(old_values_, 0);
    for (size_t k : pending) readers_[args[k].id] += reads_place(k);
    // Which argument goes into the place that the k-th argument reads?
    const auto writer = [&](size_t k) {
      const auto at = std::find(params.begin(), params.end(), args[k].value()) - params.begin();
      return static_cast<size_t>(at);
    };
    const auto is_pending = [&](size_t k) {
      return std::binary_search(pending.begin(), pending.end(), k);
    };
    std::vector<size_t> early;
    for (size_t k = 0; k < args.size() && !pending.empty(); ++k) {
      const bool kept = !in_memory_[params[k].index] && reads_place(k);
      if (kept && is_pending(writer(k))) early.push_back(k);
    }
    // What is in registers here stays protected until the edge is taken, or its cycle is stored.
    const auto take = [&](size_t k) {
      const Operand o = InRegisters(args[k]);
      pieces_.ForEach(args[k], [&](uint32_t p) { protect_[p] = epoch_; });
      return o;
    };
    ++epoch_;
    for (size_t k : early) take(k);
    std::vector<size_t> ready;
    for (size_t n = pending.size(); n-- > 0;) {
      if (readers_[params[pending[n]].index] == 0) ready.push_back(pending[n]);
    }
    std::vector<char> done(args.size());
    std::vector<Operand> taken(args.size());
    const auto was_read = [&](size_t k) {
      if (!reads_place(k) || --readers_[args[k].id] != 0) return;
      const size_t next = writer(k);
      if (is_pending(next) && !done[next]) ready.push_back(next);
    };
    for (size_t first = 0;;) {
      if (ready.empty()) {
        while (first < pending.size() && done[pending[first]]) ++first;
        if (first == pending.size()) return;
        const size_t k = pending[first];
        ++epoch_;
        for (size_t j : early) take(j);
        taken[k] = take(k);
        was_read(k);
      }
      while (!ready.empty()) {
        const size_t k = ready.back();
        ready.pop_back();
        const bool in_hand = IsValue(taken[k]);
        const Operand o = in_hand ? taken[k] : InRegisters(args[k]);
        if (emit_) Store(params[k], pieces_.first(params[k]), o, PerLane(params[k]), &out_);
        done[k] = 1;
        if (!in_hand) was_read(k);
      }
    }
  }

  // ---- After the walk.

  void DropParams() {
    for (Block& b : f_.blocks) {
      for (Edge& e : b.succs) {
        uint16_t kept = 0;
        for (uint32_t k = 0; k < e.num_args; ++k) {
          if (in_memory_[f_.block(e.to).params[k].index]) continue;
          f_.operands[e.first_arg + kept++] = f_.operands[e.first_arg + k];
        }
        e.num_args = kept;
      }
    }
    for (Block& b : f_.blocks) {
      b.params.erase(std::remove_if(b.params.begin(), b.params.end(),
                                    [&](ValueId v) { return in_memory_[v.index]; }),
                     b.params.end());
    }
  }

  // The store of a value stands behind its definition.
  void StoreAtDefinition(ValueId v, std::vector<InstId>* out) {
    if (v.index >= old_values_ || in_memory_[v.index]) return;
    for (uint32_t p = pieces_.first(v); p < pieces_.end(v);) {
      uint32_t end = p;
      while (end < pieces_.end(v) && filled_[end]) ++end;
      if (end == p) {
        ++p;
        continue;
      }
      Store(v, p,
            ValueOperand(v, h_.raw_type, pieces_.comp(p),
                         static_cast<uint16_t>(Comps(p, end - 1))),
            PerLane(v) && (held_at_def_[v.index] || AlwaysMasked(v)), out);
      p = end;
    }
  }

  void PlaceStores() {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      std::vector<InstId> out;
      if (b == 0) {
        for (size_t k = 0; k < f_.live_ins.size(); ++k) {
          StoreAtDefinition(f_.live_ins[k].value, &out);
        }
      }
      for (size_t k = 0; k < f_.blocks[b].params.size(); ++k) {
        StoreAtDefinition(f_.blocks[b].params[k], &out);
      }
      for (size_t k = 0; k < f_.blocks[b].insts.size(); ++k) {
        const InstId i = f_.blocks[b].insts[k];
        out.push_back(i);
        if (i.index >= old_insts_) continue;
        for (uint32_t d = 0; d < f_.inst(i).num_defs; ++d) {
          const Operand o = f_.defs(i)[d];
          if (IsValue(o)) StoreAtDefinition(o.value(), &out);
        }
      }
      f_.blocks[b].insts = std::move(out);
    }
  }

  // Computations that are repeated wherever they are read.
  void RemoveUnread() {
    std::vector<uint32_t> uses(f_.values.size());
    for (const Block& b : f_.blocks) {
      for (InstId i : b.insts) {
        for (const Operand& o : f_.uses(i)) {
          if (IsValue(o)) ++uses[o.id];
        }
      }
      for (const Edge& e : b.succs) {
        for (const Operand& o : f_.args(e)) {
          if (IsValue(o)) ++uses[o.id];
        }
      }
    }
    for (size_t b = f_.blocks.size(); b-- > 0;) {
      std::vector<InstId>& insts = f_.blocks[b].insts;
      std::vector<InstId> kept;
      for (size_t k = insts.size(); k-- > 0;) {
        const Inst& in = f_.inst(insts[k]);
        const bool unread = in.num_defs == 1 && IsValue(f_.defs(insts[k])[0]) &&
                            uses[f_.defs(insts[k])[0].id] == 0 && h_.can_repeat(f_, insts[k]);
        if (!unread) {
          kept.push_back(insts[k]);
          continue;
        }
        for (const Operand& o : f_.uses(insts[k])) {
          if (IsValue(o)) --uses[o.id];
        }
      }
      insts.assign(kept.rbegin(), kept.rend());
    }
  }

  // ---- Places in memory.

  uint32_t Registers(const Access& a) const {
    const Inst& in = f_.inst(a.inst);
    const absl::Span<const Operand> uses = f_.uses(a.inst);
    const Operand& o = t_.ops[in.op].flags & kOpFill ? f_.defs(a.inst)[0] : uses[uses.size() - 2];
    return RoundUp(o.comps * t_.units_per_comp(f_, f_.value(o.value())), h_.register_units) /
           h_.register_units;
  }
  bool IsFill(const Access& a) const { return t_.ops[f_.inst(a.inst).op].flags & kOpFill; }

  // Units of memory before piece p of its value.
  uint32_t MemoryOffset(ValueId v, uint32_t piece) const {
    uint32_t at = 0;
    for (uint32_t p = pieces_.first(v); p < piece; ++p) {
      at += RoundUp(pieces_.units(p), h_.register_units);
    }
    return at;
  }

  // SPIR-V id of a value that must be stored under a mask beyond where such stores reach.
  uint32_t OutOfReach(const std::vector<ScratchRange>& ranges,
                      const std::vector<uint32_t>& range_of) const {
    for (uint32_t v = 0; v < old_values_; ++v) {
      if (range_of[v] == kNone) continue;
      const ScratchRange& r = ranges[range_of[v]];
      if (r.masked && r.place + r.units > h_.direct_units) return f_.value(ValueId(v)).spirv_id;
    }
    return 0;
  }

  absl::Status AssignPlaces() {
    std::vector<uint32_t> position(f_.insts.size()), block(f_.insts.size());
    std::vector<uint32_t> block_first, block_last;
    uint32_t at = 0;
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      block_first.push_back(at++);
      for (InstId i : f_.blocks[b].insts) {
        position[i.index] = at++;
        block[i.index] = b;
      }
      block_last.push_back(at++);
    }
    std::vector<std::vector<uint32_t>> of(old_values_);
    for (uint32_t k = 0; k < accesses_.size(); ++k) of[accesses_[k].value.index].push_back(k);
    std::vector<ScratchRange> ranges;
    std::vector<uint32_t> range_of(old_values_, kNone);
    for (uint32_t v = 0; v < old_values_; ++v) {
      if (of[v].empty()) continue;
      ScratchRange r;
      r.units = MemoryOffset(ValueId(v), pieces_.end(ValueId(v)));
      r.first = kNone;
      uint32_t low = kNone, high = 0;
      for (uint32_t k : of[v]) {
        const InstId i = accesses_[k].inst;
        low = std::min(low, block[i.index]);
        high = std::max(high, block[i.index]);
        r.first = std::min(r.first, position[i.index]);
        r.last = std::max(r.last, position[i.index]);
        r.masked |= !IsFill(accesses_[k]) && !(f_.inst(i).flags & kNoMask);
      }
      for (uint32_t k : of[v]) {
        for (uint32_t h = loops_.innermost(block[accesses_[k].inst.index]);
             h != kNone && !(loops_.contains(h, low) && loops_.contains(h, high));
             h = loops_.parent(h)) {
          r.first = std::min(r.first, block_first[h]);
          r.last = std::max(r.last, block_last[loops_.last(h)]);
        }
      }
      range_of[v] = static_cast<uint32_t>(ranges.size());
      ranges.push_back(r);
    }
    uint32_t masked_end = 0;
    stats_.scratch_units = AssignScratchPlaces(&ranges, &masked_end);
    if (masked_end > h_.direct_units) {
      return WithSpirvId(
          WithCause(absl::ResourceExhaustedError(absl::StrCat(
                        "values that must be stored under a mask take ", masked_end,
                        " units of scratch memory; such stores reach ", h_.direct_units)),
                    "scratch_too_large"),
          OutOfReach(ranges, range_of));
    }
    std::vector<uint32_t> place(f_.insts.size(), kNone);
    for (const Access& a : accesses_) {
      place[a.inst.index] = ranges[range_of[a.value.index]].place + MemoryOffset(a.value, a.piece);
      Count(a);
    }
    SetPlaces(place);
    for (const std::vector<Eviction>* list : {&param_evictions_, &evictions_}) {
      for (const Eviction& e : *list) {
        if (range_of[e.value.index] != kNone) stats_.evictions.push_back(e);
      }
    }
    return absl::OkStatus();
  }

  void Count(const Access& a) {
    const uint32_t registers = Registers(a);
    const bool fill = IsFill(a);
    const bool both = !fill && f_.inst(a.inst).num_defs != 0;  // reads, merges, writes
    if (!fill) {
      stats_.spills += h_.messages(registers);
      stats_.spill_units += registers * h_.register_units;
    }
    if (fill || both) {
      stats_.fills += h_.messages(registers);
      stats_.fill_units += registers * h_.register_units;
    }
  }

  InstId FarHeader(ValueId to, uint32_t place) {
    const Operand def = ValueOperand(to, h_.raw_type, 0, f_.value(to).comps);
    const Operand uses[] = {Header(), ImmOperand(place, h_.raw_type)};
    InstFields fields;
    fields.width = 8;
    fields.flags = kInsertedCopy | kNoMask;
    return MakeInst(f_, h_.far_header_op, fields, {&def, 1}, uses);
  }

  void SetPlaces(const std::vector<uint32_t>& place) {
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      std::vector<InstId> out;
      for (size_t k = 0; k < f_.blocks[b].insts.size(); ++k) {
        const InstId i = f_.blocks[b].insts[k];
        if (i.index >= place.size() || place[i.index] == kNone) {
          out.push_back(i);
          continue;
        }
        const Access a{i, ValueId(), 0};
        const bool far = place[i.index] + Registers(a) * h_.register_units > h_.direct_units;
        if (far && Header().kind != Operand::Kind::kNone) {
          const ValueId header = NewValue(h_.register_value());
          out.push_back(FarHeader(header, place[i.index]));
          f_.uses(i)[0] = ValueOperand(header, h_.raw_type, 0, f_.value(header).comps);
        }
        f_.uses(i).back().id = place[i.index];
        out.push_back(i);
      }
      f_.blocks[b].insts = std::move(out);
    }
  }

  const Target& t_;
  const SpillHooks& h_;
  Function& f_;
  const Liveness& l_;
  const SpillSettings settings_;
  SpillStats& stats_;
  const Pieces pieces_;
  const LoopSpans loops_;
  const std::vector<uint32_t>
      needed_at_exits_;  // pieces that the exit block reads for all lanes, ascending
  const NextUses next_;
  const Dominators dom_;
  const size_t old_values_, old_insts_, old_repeats_;
  const std::vector<Operand> original_;

  // Decisions; they only accumulate.
  std::vector<BitSet> banned_;         // per block: pieces that do not enter it in a register
  std::vector<char> in_memory_;        // per value: a parameter that lives in memory
  std::vector<Eviction> param_evictions_;  // why
  bool changed_ = false;
  bool emit_ = false;

  // Per value.
  std::vector<uint32_t> param_of_;     // the block
  std::vector<InstId> def_inst_;
  std::vector<char> constant_;         // made by one instruction from nothing
  std::vector<char> held_at_def_;      // parked lanes hold it where it is defined
  std::vector<uint32_t> evicted_;      // in evictions_

  // Per block.
  std::vector<std::vector<uint32_t>> preds_;  // logical, reachable, earlier
  std::vector<std::vector<Resident>> entry_, exit_;
  std::vector<uint32_t> start_;        // instructions before it

  // Of each piece needed at exits: how it was at those passed so far.
  struct AtExits {
    bool any = false;
    bool held = true;  // in a register at each, by this name
    Name name;
  };
  std::vector<AtExits> at_exits_;

  // The walk; per piece unless said otherwise.
  uint32_t block_ = 0, position_ = 0, length_ = 0, limit_ = 0;
  std::array<std::vector<Candidate>, kKinds> queues_;
  std::vector<Candidate> aside_;
  bool entering_ = false;              // at the start of the block, parameters just written
  bool queued_ = false;                // candidates are in the heaps
  uint32_t total_ = 0;                 // units of list_ and waiting_
  uint32_t parked_total_ = 0;          // of waiting_
  uint32_t epoch_ = 0;
  uint32_t next_name_ = 1u << 31;      // of names while nothing is emitted
  std::vector<char> in_registers_, filled_;
  std::vector<uint32_t> list_, index_;     // those in registers, and where each stands
  std::vector<BlockId> scratch_waits_;
  std::vector<BlockId> waits_;             // that lanes wait for in this block, ascending
  std::vector<Holders> holders_;           // among them, those that it is held for
  std::vector<uint32_t> waiting_, waiting_index_;  // those held, and where each stands
  std::vector<ValueId> moved_to_memory_;   // parameters, in this block
  std::vector<Name> name_;
  std::vector<std::vector<uint32_t>> positions_;  // of uses to come in this block, nearest last
  std::vector<uint32_t> behind_, behind_touched_;  // distance behind the block
  std::vector<uint32_t> protect_, used_;
  std::vector<uint32_t> readers_;      // per value: stores to come that read its place
  std::vector<InstId> out_;

  // What the walk writes.
  std::vector<std::vector<InstId>> emitted_;  // per block
  std::vector<Access> accesses_;
  std::vector<Eviction> evictions_;
};

}  // namespace

absl::Status SpillToFit(const Target& t, const SpillHooks& hooks, Function* f, const Liveness& live,
                        const SpillSettings& settings, SpillStats* stats) {
  return Spiller(t, hooks, *f, live, settings, stats).Run();
}

}  // namespace kiln::lir::ra
