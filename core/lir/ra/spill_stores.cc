#include "core/lir/ra/spill_stores.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/lir/build.h"

namespace kiln::lir::ra {

namespace {

void StoreAtDefinition(const SpillInput& in, const SpillDecisions& decisions, ValueId v,
                       SpillCode* code, std::vector<InstId>* out) {
  if (v.index >= in.values || decisions.InMemory(v)) return;
  const bool masked = in.PerLane(v) && (in.held_at_def[v.index] || in.AlwaysMasked(v));
  for (uint32_t p = in.pieces.first(v); p < in.pieces.end(v);) {
    uint32_t end = p;
    while (end < in.pieces.end(v) && code->filled(end)) ++end;
    if (end == p) {
      ++p;
      continue;
    }
    const uint16_t comps = static_cast<uint16_t>(code->Comps(p, end - 1));
    code->Store(v, p, ValueOperand(v, in.h.raw_type, in.pieces.comp(p), comps), masked, out);
    p = end;
  }
}

std::vector<uint32_t> CountUses(const Function& f) {
  std::vector<uint32_t> uses(f.values.size());
  const auto count = [&](absl::Span<const Operand> operands) {
    for (const Operand& o : operands) {
      if (IsValue(o)) ++uses[o.id];
    }
  };
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) count(f.uses(i));
    for (const Edge& e : b.succs) count(f.args(e));
  }
  return uses;
}

}  // namespace

void DropParamsInMemory(const SpillDecisions& decisions, Function* f) {
  for (Block& b : f->blocks) {
    for (Edge& e : b.succs) {
      uint16_t kept = 0;
      for (uint32_t k = 0; k < e.num_args; ++k) {
        if (decisions.InMemory(f->block(e.to).params[k])) continue;
        f->operands[e.first_arg + kept++] = f->operands[e.first_arg + k];
      }
      e.num_args = kept;
    }
  }
  for (Block& b : f->blocks) {
    std::erase_if(b.params, [&](ValueId v) { return decisions.InMemory(v); });
  }
}

void PlaceStores(const SpillInput& in, const SpillDecisions& decisions, SpillCode* code) {
  Function& f = code->function();
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    std::vector<InstId> out;
    const auto store = [&](ValueId v) { StoreAtDefinition(in, decisions, v, code, &out); };
    for (size_t k = 0; b == 0 && k < f.live_ins.size(); ++k) store(f.live_ins[k].value);
    for (size_t k = 0; k < f.blocks[b].params.size(); ++k) store(f.blocks[b].params[k]);
    for (size_t k = 0; k < f.blocks[b].insts.size(); ++k) {
      const InstId i = f.blocks[b].insts[k];
      out.push_back(i);
      if (i.index >= in.insts) continue;
      for (uint32_t d = 0; d < f.inst(i).num_defs; ++d) {
        const Operand o = f.defs(i)[d];
        if (IsValue(o)) store(o.value());
      }
    }
    f.blocks[b].insts = std::move(out);
  }
}

void RemoveUnread(const SpillHooks& hooks, Function* f) {
  std::vector<uint32_t> uses = CountUses(*f);
  const auto is_unread = [&](InstId i) {
    const Inst& in = f->inst(i);
    return in.num_defs == 1 && IsValue(f->defs(i)[0]) && uses[f->defs(i)[0].id] == 0 &&
           hooks.can_repeat(*f, i);
  };
  for (size_t b = f->blocks.size(); b-- > 0;) {
    std::vector<InstId>& insts = f->blocks[b].insts;
    std::vector<InstId> kept;
    for (size_t k = insts.size(); k-- > 0;) {
      if (!is_unread(insts[k])) {
        kept.push_back(insts[k]);
        continue;
      }
      for (const Operand& o : f->uses(insts[k])) {
        if (IsValue(o)) --uses[o.id];
      }
    }
    insts.assign(kept.rbegin(), kept.rend());
  }
}

}  // namespace kiln::lir::ra
