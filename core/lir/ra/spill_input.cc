#include "core/lir/ra/spill_input.h"

#include <algorithm>

#include "core/lir/exits.h"

namespace kiln::lir::ra {

namespace {

// Ascending, each once.
std::vector<uint32_t> PiecesOf(absl::Span<const Operand> operands, const Pieces& pieces) {
  std::vector<uint32_t> list;
  for (const Operand& o : operands) pieces.ForEach(o, [&](uint32_t p) { list.push_back(p); });
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace

SpillInput::SpillInput(const Machine& machine, const SpillHooks& hooks, const Function& function,
                       const Liveness& live, const SpillSettings& settings)
    : t(machine),
      h(hooks),
      f(function),
      l(live),
      limit(FreeUnits(t, f, h.pool) - settings.reserve),
      pieces(t, f, hooks),
      loops(f),
      needed_at_exits(PiecesOf(live.at_exits(), pieces)),
      next(t, f, pieces, loops, needed_at_exits),
      dom(f),
      values(f.values.size()),
      insts(f.insts.size()),
      repeats(f.repeats.size()),
      original(f.operands),
      param_of(values, kNothing),
      def_inst(values),
      constant(values, 0),
      held_at_def(values, 0),
      held(values, 0),
      preds(f.blocks.size()) {
  Describe();
}

void SpillInput::Describe() {
  const auto is_constant = [&](InstId i) {
    const absl::Span<const Operand> uses = f.uses(i);
    return h.can_repeat(f, i) && std::none_of(uses.begin(), uses.end(), IsValue);
  };
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!Walked(b)) continue;
    for (const Edge& e : f.blocks[b].succs) {
      if (e.to.index > b) preds[e.to.index].push_back(b);
    }
    for (ValueId p : f.blocks[b].params) param_of[p.index] = b;
    for (InstId i : f.blocks[b].insts) {
      for (const Operand& o : f.defs(i)) {
        if (!IsValue(o)) continue;
        def_inst[o.id] = i;
        constant[o.id] = is_constant(i);
      }
    }
  }
  for (const LiveIn& live_in : f.live_ins) held[live_in.value.index] = live_in.held;
  for (uint32_t v = 0; v < values; ++v) {
    const BlockId b = l.def_block(ValueId(v));
    for (uint32_t c = 0; b.valid() && c < f.values[v].comps; ++c) {
      const uint32_t g = l.global(l.first_slot(ValueId(v)) + c);
      held_at_def[v] |= g != Liveness::kLocal && l.parked(b).test(g);
    }
  }
}

void SpillHere::NewWalk() {
  start_.assign(1, 0);
  for (const Block& b : in_.f.blocks) {
    start_.push_back(start_.back() + static_cast<uint32_t>(b.insts.size()));
  }
}

void SpillHere::Enter(uint32_t b) {
  const std::vector<InstId>& insts = in_.f.blocks[b].insts;
  block = b;
  position = 0;
  length = static_cast<uint32_t>(insts.size());
  in_.next.AtExit(in_.f, b, &after_, &after_touched_);
  for (uint32_t k = length; k-- > 0;) {
    for (const Operand& o : in_.f.uses(insts[k])) {
      in_.pieces.ForEach(o, [&](uint32_t p) { AddUse(p, k); });
    }
    if (in_.needed_at_exits.empty() || !IsExit(in_.t, in_.f, insts[k])) continue;
    for (uint32_t p : in_.needed_at_exits) AddUse(p, k);
  }
}

void SpillHere::Leave() {
  for (uint32_t p : after_touched_) after_[p] = kNever;
  after_touched_.clear();
}

}  // namespace kiln::lir::ra
