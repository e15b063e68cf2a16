// A group grows from a seed (two parameters of a loop, a pack, two instructions that are alike)
// from results to sources: where two sources of a pair are in no dword together, and computed
// alike, they become a pair too. The words at the end of that must be put together by an
// instruction.
#include "core/amd/optimise/plan_pairs.h"

#include <algorithm>
#include <optional>

#include "core/amd/lir/ops.h"
#include "core/amd/optimise/neighbours.h"
#include "core/amd/optimise/packed_form.h"

namespace kiln::amd {
namespace {

using lir::BlockId;
using lir::InstId;
using lir::Operand;
using lir::ValueId;
using Position = PairPlan::Position;

// How often a block runs, next to others.
int64_t WeightOf(const lir::Function& f, BlockId b) {
  constexpr int64_t kByDepth[] = {1, 8, 32, 64};
  return kByDepth[std::min<size_t>(f.block(b).loop_depth, 3)];
}

// Two words that a source of a pair, or an argument for one, needs in one dword.
struct Demand {
  Word low, high;
  BlockId where;
  bool in_order;  // low and high where they belong: an edge or a pack does not exchange words
};

class Planner {
 public:
  Planner(const lir::Machine& machine, lir::Function& f, const lir::DefUse& info,
          const Readers& readers, const std::function<bool()>& may_rewrite)
      : f_(f),
        info_(info),
        readers_(readers),
        may_rewrite_(may_rewrite),
        neighbours_(machine, f),
        edges_to_(f.blocks.size()),
        block_of_(f.values.size()),
        work_left_(16 * static_cast<int64_t>(f.insts.size()) + 4096) {
    plan_.place.assign(f.values.size(), -1);
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      for (ValueId v : f.blocks[b].params) block_of_[v.index] = BlockId(b);
      for (size_t e = 0; e < f.blocks[b].succs.size(); ++e) {
        edges_to_[f.blocks[b].succs[e].to.index].push_back({BlockId(b), e});
      }
    }
  }

  PairPlan Run() {
    for (size_t b = 0; b < f_.blocks.size(); ++b) SeedParameters(BlockId(b));
    for (size_t b = f_.blocks.size(); b-- > 0;) SeedInstructions(BlockId(b));
    return std::move(plan_);
  }

 private:
  struct EdgeOf {
    BlockId from;
    size_t successor;
  };
  const lir::Edge& edge(const EdgeOf& e) const { return f_.block(e.from).succs[e.successor]; }
  bool IsPaired(ValueId v) const { return plan_.place[v.index] >= 0; }
  bool IsPaired(InstId id) const {
    const auto defs = f_.defs(id);
    return defs.size() == 1 && lir::IsValue(defs[0]) && IsPaired(defs[0].value());
  }

  // ---- Seeds.

  void SeedParameters(BlockId b);
  void SeedInstructions(BlockId b);
  void SeedPack(BlockId b, InstId id);
  bool SeedAlike(BlockId b, InstId high, absl::Span<const InstId> earlier);

  // ---- Growth.

  template <class Start>
  bool Try(Start&& start) {
    if (work_left_ <= 0 || stopped_) return false;
    const size_t pairs = plan_.pairs.size(), moved = neighbours_.pairs();
    group_ = pairs;
    leaves_.clear();
    gain_ = 0;
    if (start()) {
      for (size_t p = pairs; p < plan_.pairs.size(); ++p) Grow(p);
      if (plan_.pairs.size() > pairs && AreWords() && Gain() > 0) {
        if (may_rewrite_()) return true;
        stopped_ = true;
      }
    }
    for (size_t p = pairs; p < plan_.pairs.size(); ++p) {
      for (ValueId v : plan_.pairs[p].values) plan_.place[v.index] = -1;
    }
    plan_.pairs.resize(pairs);
    neighbours_.Undo(moved);
    return false;
  }
  bool AddInstructions(InstId low, InstId high);
  bool AddParameters(ValueId low, ValueId high);
  void Add(WordPair pair);
  void Grow(size_t pair);
  void GrowAlongEdges(const WordPair& pair);
  void Want(const Demand& demand);
  int Likeness(const Word& low, const Word& high) const;

  // ---- Worth.

  bool IsMet(const Demand& demand) const;
  bool AreWords() const;
  bool NeedsExtraction(const WordPair& pair) const;
  int64_t Gain() const;
  int64_t SavedShifts() const;

  lir::Function& f_;
  const lir::DefUse& info_;
  const Readers& readers_;
  const std::function<bool()>& may_rewrite_;
  Neighbours neighbours_;
  std::vector<std::vector<EdgeOf>> edges_to_;  // by block
  std::vector<BlockId> block_of_;              // by value: whose parameter it is
  PairPlan plan_;
  size_t group_ = 0;            // the first pair of the group that grows
  std::vector<Demand> leaves_;  // of that group
  int64_t gain_ = 0;            // what its seed is worth besides
  int64_t work_left_;           // visits, so that the whole is linear
  bool stopped_ = false;
};

// ---- Seeds.

void Planner::SeedParameters(BlockId b) {
  const std::vector<ValueId>& params = f_.block(b).params;
  constexpr size_t kNext = 4;
  for (size_t i = 0; i < params.size(); ++i) {
    for (size_t k = i + 1; k < std::min(params.size(), i + 1 + kNext); ++k) {
      if (IsPaired(params[i])) break;
      if (!IsPaired(params[k])) Try([&] { return AddParameters(params[i], params[k]); });
    }
  }
}

void Planner::SeedInstructions(BlockId b) {
  const std::vector<InstId> insts = f_.block(b).insts;  // growth reorders them
  constexpr size_t kNext = 32;
  for (size_t i = insts.size(); i-- > 0;) {
    if (IsPack(f_, insts[i])) SeedPack(b, insts[i]);
    if (i == 0 || IsPaired(insts[i]) || !PackedFormOf(f_, info_, insts[i])) continue;
    const size_t from = i > kNext ? i - kNext : 0;
    SeedAlike(b, insts[i], absl::MakeConstSpan(insts).subspan(from, i - from));
  }
}

// The pack goes if its words become a pair.
void Planner::SeedPack(BlockId b, InstId id) {
  const Demand demand = {WordOf(f_, info_, f_.uses(id)[1]), WordOf(f_, info_, f_.uses(id)[0]), b,
                         true};
  if (IsMet(demand)) return;
  Try([&] {
    Want(demand);
    gain_ = WeightOf(f_, b);
    return true;
  });
}

bool Planner::SeedAlike(BlockId, InstId high, absl::Span<const InstId> earlier) {
  constexpr int kTries = 4;
  const auto form = PackedFormOf(f_, info_, high);
  int tries = 0;
  for (size_t i = earlier.size(); i-- > 0 && tries < kTries;) {
    if (IsPaired(earlier[i])) continue;
    const auto other = PackedFormOf(f_, info_, earlier[i]);
    if (!other || !CanShare(*form, *other)) continue;
    ++tries;
    if (Try([&] { return AddInstructions(earlier[i], high); })) return true;
  }
  return false;
}

// ---- Growth.

void Planner::Add(WordPair pair) {
  const auto place = static_cast<int32_t>(2 * plan_.pairs.size());
  plan_.place[pair.values[0].index] = place;
  plan_.place[pair.values[1].index] = place + 1;
  plan_.pairs.push_back(pair);
}

bool Planner::AddInstructions(InstId low, InstId high) {
  const BlockId b = info_.block[low.index];
  if (low == high || b != info_.block[high.index]) return false;
  const auto a = PackedFormOf(f_, info_, low), c = PackedFormOf(f_, info_, high);
  if (!a || !c || !CanShare(*a, *c) || a->sources != c->sources) return false;
  work_left_ -= 8;
  if (!neighbours_.BringTogether(b, low, high)) return false;
  WordPair pair;
  pair.block = b;
  pair.values = {f_.defs(low)[0].value(), f_.defs(high)[0].value()};
  pair.insts = {low, high};
  pair.exchanged =
      a->commutes && Likeness(a->words[0], c->words[1]) + Likeness(a->words[1], c->words[0]) >
                         Likeness(a->words[0], c->words[0]) + Likeness(a->words[1], c->words[1]);
  Add(pair);
  return true;
}

bool Planner::AddParameters(ValueId low, ValueId high) {
  if (low == high || IsPaired(low) || IsPaired(high)) return false;
  const auto fits = [&](ValueId v) {
    const lir::Value& value = f_.value(v);
    return value.file == kFileV && value.comps == 1;
  };
  if (!fits(low) || !fits(high)) return false;
  const BlockId b = block_of_[low.index];
  if (!b.valid() || b != block_of_[high.index]) return false;
  work_left_ -= 8;
  WordPair pair;
  pair.block = b;
  pair.values = {low, high};
  Add(pair);
  return true;
}

// Pairs the parameters that get both words of a pair.
void Planner::GrowAlongEdges(const WordPair& pair) {
  for (const Readers::Reader& low : readers_.Of(pair.values[0].index)) {
    if (low.inst.valid()) continue;
    for (const Readers::Reader& high : readers_.Of(pair.values[1].index)) {
      if (high.inst.valid() || high.from != low.from || high.to != low.to) continue;
      const std::vector<ValueId>& params = f_.block(low.to).params;
      if (AddParameters(params[low.place], params[high.place])) break;
    }
  }
}

void Planner::Grow(size_t at) {
  const WordPair pair = plan_.pairs[at];
  GrowAlongEdges(pair);
  if (!pair.is_parameter()) {
    const auto low = PackedFormOf(f_, info_, pair.insts[0]);
    const auto high = PackedFormOf(f_, info_, pair.insts[1]);
    for (size_t i = 0; i < static_cast<size_t>(low->sources); ++i) {
      const size_t k = pair.exchanged && i < 2 ? 1 - i : i;
      Want({low->words[i], high->words[k], pair.block, false});
    }
    return;
  }
  const std::vector<ValueId>& params = f_.block(pair.block).params;
  const auto position = [&](ValueId v) {
    return static_cast<size_t>(std::find(params.begin(), params.end(), v) - params.begin());
  };
  const size_t low = position(pair.values[0]), high = position(pair.values[1]);
  for (const EdgeOf& e : edges_to_[pair.block.index]) {
    const auto args = f_.args(edge(e));
    Want({WordOf(f_, info_, args[low]), WordOf(f_, info_, args[high]), e.from, true});
  }
}

// Makes a pair of the two words if that is possible; else they are a leaf.
void Planner::Want(const Demand& demand) {
  --work_left_;
  const auto& [low, high, where, in_order] = demand;
  if (IsMet(demand)) return;
  const auto is_free = [&](const Word& w) {
    return w.is_value() && !w.high && !IsPaired(w.dword.value()) &&
           f_.value(w.dword.value()).comps == 1;
  };
  if (is_free(low) && is_free(high) && work_left_ > 0) {
    const lir::InstId* a = info_.DefOf(low.dword);
    const lir::InstId* b = info_.DefOf(high.dword);
    if (a != nullptr && b != nullptr && AddInstructions(*a, *b)) return;
    if (a == nullptr && b == nullptr && AddParameters(low.dword.value(), high.dword.value())) {
      return;
    }
  }
  leaves_.push_back(demand);
}

// Says how well the words fit one source: the larger the better.
int Planner::Likeness(const Word& low, const Word& high) const {
  if (low.is_constant() || high.is_constant()) {
    return low.is_constant() && high.is_constant() ? (low.dword.id == high.dword.id ? 3 : 2) : 0;
  }
  if (!low.is_value() || !high.is_value()) return 0;
  if (plan_.PositionOf(low).SameDword(plan_.PositionOf(high))) return 3;
  const lir::InstId* a = info_.DefOf(low.dword);
  const lir::InstId* b = info_.DefOf(high.dword);
  if (a == nullptr || b == nullptr || low.high || high.high) return 0;
  return f_.inst(*a).op == f_.inst(*b).op && PackedFormOf(f_, info_, *a) ? 2 : 0;
}

// ---- Worth.

bool Planner::IsMet(const Demand& demand) const {
  const auto& [low, high, where, in_order] = demand;
  if (low.is_constant() && high.is_constant()) return true;
  if (!low.is_value() || !high.is_value()) return !low.is_value() && !high.is_value();
  const Position a = plan_.PositionOf(low), b = plan_.PositionOf(high);
  return a.SameDword(b) && (!in_order || (!a.high && b.high));
}

// Returns true unless a parameter of the group may hold more than a word.
bool Planner::AreWords() const {
  for (size_t p = group_; p < plan_.pairs.size(); ++p) {
    const WordPair& pair = plan_.pairs[p];
    if (!pair.is_parameter()) continue;
    for (ValueId v : pair.values) {
      for (const Readers::Reader& reader : readers_.Of(v.index)) {
        if (reader.inst.valid() ? ReadsLowWord(f_, reader.inst, reader.place)
                                : IsPaired(f_.block(reader.to).params[reader.place])) {
          continue;
        }
        return false;
      }
    }
  }
  return true;
}

// Returns true if a reader of the high word needs it in the low word of another register.
bool Planner::NeedsExtraction(const WordPair& pair) const {
  for (const Readers::Reader& reader : readers_.Of(pair.values[1].index)) {
    if (reader.inst.valid()) {
      if (IsPaired(reader.inst) || IsPack(f_, reader.inst)) continue;
      if (CanReadHighWord(f_, reader.inst, reader.place)) continue;
      return true;
    }
    if (!IsPaired(f_.block(reader.to).params[reader.place])) return true;
  }
  return false;
}

// Shifts of high words that only instructions in pairs read.
int64_t Planner::SavedShifts() const {
  int64_t saved = 0;
  std::vector<uint32_t> seen;
  for (size_t p = group_; p < plan_.pairs.size(); ++p) {
    for (InstId id : plan_.pairs[p].insts) {
      if (!id.valid()) continue;
      for (const Operand& use : f_.uses(id)) {
        const InstId* shift = info_.DefOf(use);
        if (shift == nullptr || !IsHighToLow(f_, *shift)) continue;
        const auto readers = readers_.Of(use.id);
        if (std::all_of(readers.begin(), readers.end(), [&](const Readers::Reader& r) {
              return r.inst.valid() && IsPaired(r.inst);
            })) {
          seen.push_back(shift->index);
        }
      }
    }
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (uint32_t i : seen) saved += WeightOf(f_, info_.block[i]);
  return saved;
}

int64_t Planner::Gain() const {
  int64_t gain = gain_ + SavedShifts();
  for (size_t p = group_; p < plan_.pairs.size(); ++p) {
    const WordPair& pair = plan_.pairs[p];
    if (!pair.is_parameter()) gain += WeightOf(f_, pair.block);
    if (NeedsExtraction(pair)) gain -= WeightOf(f_, pair.block);
  }
  using Key = std::array<uint64_t, 3>;
  std::vector<Key> packs;
  const auto key = [&](const Word& w) {
    if (!w.is_value()) return uint64_t{w.dword.id} << 32 | 0xffff;
    const Position place = plan_.PositionOf(w);
    return uint64_t{place.id} << 32 | uint64_t{place.comp} << 2 | (place.in_pair ? 2u : 0u) |
           (place.high ? 1u : 0u);
  };
  for (const Demand& leaf : leaves_) {
    if (!IsMet(leaf)) packs.push_back({key(leaf.low), key(leaf.high), leaf.where.index});
  }
  std::sort(packs.begin(), packs.end());
  packs.erase(std::unique(packs.begin(), packs.end()), packs.end());
  for (const Key& pack : packs) gain -= WeightOf(f_, BlockId(static_cast<uint32_t>(pack[2])));
  return gain;
}

}  // namespace

Position PairPlan::PositionOf(const Word& word) const {
  const uint32_t v = word.dword.id;
  if (!word.high && place[v] >= 0) {
    return {true, static_cast<uint32_t>(place[v]) / 2, 0, place[v] % 2 != 0};
  }
  return {false, v, word.dword.comp, word.high};
}

PairPlan PlanPairs(const lir::Machine& machine, lir::Function& f, const lir::DefUse& info,
                   const Readers& readers, const std::function<bool()>& may_rewrite) {
  return Planner(machine, f, info, readers, may_rewrite).Run();
}

}  // namespace kiln::amd
