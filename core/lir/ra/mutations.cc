#include "core/lir/ra/mutations.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/liveness.h"

namespace kiln::lir::ra {

namespace {

uint32_t Below(Rng& r, size_t n) { return static_cast<uint32_t>(r() % n); }

bool IsPerLane(const Machine& t, const Value& v) {
  return t.files[v.file].masked_writes && t.files[v.file].save_file == FileInfo::kNoFile;
}
bool IsSpill(const Machine& t, const Function& f, InstId i) {
  return t.ops[f.inst(i).op].flags & kOpSpill;
}
bool IsFill(const Machine& t, const Function& f, InstId i) {
  return t.ops[f.inst(i).op].flags & kOpFill;
}
// Returns true if values of the operand's file are saved in another file.
bool IsSaved(const Machine& t, const Function& f, const Operand& o) {
  return t.files[f.value(o.value()).file].save_file != FileInfo::kNoFile;
}
uint32_t RegisterKey(const Machine& t, const Function& f, const Operand& o) {
  return uint32_t{t.files[f.value(o.value()).file].pool} << 16 | o.reg;
}
Operand& SlotOf(Function& f, InstId i) { return f.uses(i).back(); }
Operand& PayloadOf(Function& f, InstId i) { return f.uses(i)[f.uses(i).size() - 2]; }

struct Site {
  uint32_t block = 0, position = 0;
};

template <class P>
bool PickInst(const Function& f, Rng& r, P&& wanted, Site* site) {
  std::vector<Site> sites;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
      if (wanted(f.blocks[b].insts[k], b, k)) sites.push_back({b, k});
    }
  }
  if (sites.empty()) return false;
  *site = sites[Below(r, sites.size())];
  return true;
}

std::vector<uint32_t> UseCounts(const Function& f) {
  std::vector<uint32_t> n(f.values.size());
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      for (const Operand& o : f.uses(i)) {
        if (IsValue(o)) ++n[o.id];
      }
    }
  }
  return n;
}

std::vector<uint32_t> DefinedAt(const Function& f) {
  std::vector<uint32_t> at(f.values.size(), Operand::kNoReg);
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      for (const Operand& o : f.defs(i)) {
        if (IsValue(o)) at[o.id] = o.reg;
      }
    }
  }
  return at;
}

// Blocks that a lane can reach; mutations elsewhere prove nothing.
std::vector<char> Reached(const Function& f) {
  std::vector<char> seen(f.blocks.size());
  std::vector<uint32_t> work = {0};
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (seen[b]++) continue;
    for (const Edge& e : f.blocks[b].succs) work.push_back(e.to.index);
  }
  return seen;
}

// Per instruction: true if the machine's memory or the path through the program depends on it. A
// mutation of a computation that feeds only dead values proves nothing.
std::vector<char> Shows(const Function& ssa) {
  std::vector<char> shows(ssa.insts.size()), needed(ssa.values.size());
  const auto need = [&](const Operand& o) { return IsValue(o) && !std::exchange(needed[o.id], 1); };
  for (bool again = true; again;) {
    again = false;
    for (size_t b = ssa.blocks.size(); b-- > 0;) {
      for (const Edge& e : ssa.blocks[b].succs) {
        const absl::Span<const Operand> args = ssa.args(e);
        for (size_t k = 0; k < args.size(); ++k) {
          if (needed[ssa.block(e.to).params[k].index] && need(args[k])) again = true;
        }
      }
      for (size_t k = ssa.blocks[b].insts.size(); k-- > 0;) {
        const InstId i = ssa.blocks[b].insts[k];
        const absl::Span<const Operand> defs = ssa.defs(i);
        shows[i.index] = defs.empty() || std::any_of(defs.begin(), defs.end(), [&](const auto& d) {
                           return !IsValue(d) || needed[d.id];
                         });
        if (!shows[i.index]) continue;
        for (const Operand& o : ssa.uses(i)) again |= need(o);
      }
    }
  }
  return shows;
}

bool Inserted(const Function& ssa, InstId i) { return i.index >= ssa.insts.size(); }

// Copies whose absence must show: those of collects (which are stored), and those of edges into
// units from which an instruction reads a parameter. Other parameters may be dead in a cycle; a
// value that is filled or restored may still be where it was.
std::vector<char> CopiesThatMatter(const Machine& t, const Function& ssa, const Function& f) {
  const std::vector<char> reached = Reached(ssa), shows = Shows(ssa);
  std::vector<char> matters(f.insts.size());
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!reached[b]) continue;
    std::vector<uint32_t> read;  // units of parameters of the successor
    const bool args = ssa.blocks[b].succs.size() == 1 && ssa.blocks[b].succs[0].num_args != 0;
    if (args) {
      const std::vector<ValueId>& params = ssa.block(ssa.blocks[b].succs[0].to).params;
      for (uint32_t u = 0; u < f.blocks.size(); ++u) {
        for (InstId i : f.blocks[u].insts) {
          if (!reached[u] || Inserted(ssa, i) || !shows[i.index]) continue;
          for (const Operand& o : f.uses(i)) {
            if (!IsValue(o) || std::find(params.begin(), params.end(), o.value()) == params.end()) {
              continue;
            }
            const uint32_t n = o.comps * t.units_per_comp(f, f.value(o.value()));
            for (uint32_t k = 0; k < n; ++k) read.push_back(RegisterKey(t, f, o) + k);
          }
        }
      }
    }
    // Copies at the end belong to the edge.
    const std::vector<InstId>& insts = f.blocks[b].insts;
    size_t edge = insts.size();
    if (edge != 0 && (t.ops[f.inst(insts.back()).op].flags & kOpTerminator)) --edge;
    while (args && edge != 0 && Inserted(ssa, insts[edge - 1])) --edge;
    for (size_t k = 0; k < insts.size(); ++k) {
      if (!Inserted(ssa, insts[k]) || f.inst(insts[k]).num_uses != 1) continue;
      const Operand& def = f.defs(insts[k])[0];
      if (IsFill(t, f, insts[k]) || !IsValue(def) || IsSaved(t, f, def)) continue;
      matters[insts[k].index] =
          k < edge || std::find(read.begin(), read.end(), RegisterKey(t, f, def)) != read.end();
    }
  }
  return matters;
}

uint32_t OtherReg(const Machine& t, const Function& f, const Operand& o, Rng& r) {
  const Value& v = f.value(o.value());
  const uint32_t units = o.comps * t.units_per_comp(f, v);
  const uint32_t align = t.alignment(f, v), pool = PoolUnits(t, f, t.files[v.file].pool);
  const uint32_t first = v.in_tail ? t.pools[t.files[v.file].pool].tail_first : 0;
  for (int k = 0; k < 50; ++k) {
    const uint32_t reg = first + Below(r, (pool - units - first) / align + 1) * align;
    if (reg != o.reg) return reg;
  }
  return o.reg;
}

// Moves the operand to another register; false if there is only one.
bool MoveElsewhere(const Machine& t, const Function& f, Rng& r, Operand* o) {
  const uint32_t old = o->reg;
  o->reg = OtherReg(t, f, *o, r);
  return o->reg != old;
}

// Moves a value defined NoMask, with all its uses, into a register whose content only parked lanes
// need: the lanes that execute see no error.
bool ClashWithParked(const Machine& t, const Function& ssa, Rng& r, Function* f) {
  const Liveness live(t, ssa);
  const std::vector<uint32_t> homes = DefinedAt(*f);
  const std::vector<char> reached = Reached(ssa);
  struct Candidate {
    uint32_t value, reg;
  };
  std::vector<Candidate> candidates;
  for (uint32_t b = 0; b < ssa.blocks.size(); ++b) {
    if (!reached[b]) continue;
    // Per-lane values that an instruction reads where the lanes continue. (A uniform value is
    // computed again before that, with the same result.)
    std::vector<uint32_t> places;
    for (BlockId j : live.waits(BlockId(b))) {
      if (!reached[j.index]) continue;
      for (InstId i : ssa.block(j).insts) {
        if (t.ops[ssa.inst(i).op].flags & (kOpCopy | kOpCollect)) continue;
        for (uint32_t u = 0; u < ssa.inst(i).num_uses; ++u) {
          const Operand& o = ssa.uses(i)[u];
          if (!IsValue(o) || !IsPerLane(t, ssa.value(o.value()))) continue;
          if (t.files[ssa.value(o.value()).file].pool != 0) continue;
          const uint32_t g = live.global(live.first_slot(o.value()) + o.comp);
          if (g == Liveness::kLocal || !live.parked(BlockId(b)).test(g)) continue;
          if (live.live_in(BlockId(b)).test(g) || homes[o.id] == Operand::kNoReg) continue;
          const uint32_t reg = homes[o.id] + o.comp * t.units_per_comp(ssa, ssa.value(o.value()));
          const Operand& read = f->uses(i)[u];
          if (read.id == o.id && read.reg == reg) places.push_back(reg);  // else it was filled
        }
      }
    }
    for (InstId i : ssa.blocks[b].insts) {
      for (const Operand& o : ssa.defs(i)) {
        if (!IsValue(o) || t.files[ssa.value(o.value()).file].pool != 0) continue;
        if (homes[o.id] == Operand::kNoReg) continue;  // a copy that was dropped
        if (!WritesOffLanes(t, ssa, i, o) || (t.ops[ssa.inst(i).op].flags & kOpCollect)) continue;
        for (uint32_t reg : places) {
          if (reg % t.alignment(ssa, ssa.value(o.value())) == 0) candidates.push_back({o.id, reg});
        }
      }
    }
  }
  if (candidates.empty()) return false;
  const Candidate c = candidates[Below(r, candidates.size())];
  const uint32_t old = homes[c.value];
  for (Operand& o : f->operands) {
    if (IsValue(o) && o.id == c.value && o.reg != Operand::kNoReg) o.reg = o.reg - old + c.reg;
  }
  return true;
}

}  // namespace

bool Mutate(const Machine& t, const Function& ssa, Mutation m, Rng& r, Function* f) {
  const std::vector<char> reached = Reached(ssa), shows = Shows(ssa);
  const std::vector<char> matters = CopiesThatMatter(t, ssa, *f);
  Site s;
  switch (m) {
    case kMoveUse: {
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t) {
                return reached[b] && !Inserted(ssa, i) && shows[i.index] &&
                       f->inst(i).num_uses != 0 && IsValue(f->uses(i)[0]) &&
                       f->uses(i)[0].comp == 0;
              },
              &s))
        return false;
      return MoveElsewhere(t, *f, r, &f->uses(f->blocks[s.block].insts[s.position])[0]);
    }
    case kMoveDef: {
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t) {
                return reached[b] && !Inserted(ssa, i) && f->inst(i).num_defs == 1 &&
                       IsValue(f->defs(i)[0]) && uses[f->defs(i)[0].id] != 0;
              },
              &s))
        return false;
      return MoveElsewhere(t, *f, r, &f->defs(f->blocks[s.block].insts[s.position])[0]);
    }
    case kDropCopy:
      if (!PickInst(
              *f, r, [&](InstId i, uint32_t, uint32_t) { return matters[i.index]; }, &s))
        return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    case kRedirectCopy: {
      if (!PickInst(
              *f, r, [&](InstId i, uint32_t, uint32_t) { return matters[i.index]; }, &s))
        return false;
      return MoveElsewhere(t, *f, r, &f->defs(f->blocks[s.block].insts[s.position])[0]);
    }
    case kSwapOrder: {
      // The copy reads what the instruction before it writes.
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t k) {
                if (!reached[b] || k == 0 || !Inserted(ssa, i) || f->inst(i).num_uses != 1)
                  return false;
                const InstId p = f->blocks[b].insts[k - 1];
                const Operand& u = f->uses(i)[0];
                return f->inst(p).num_defs == 1 && IsValue(f->defs(p)[0]) &&
                       f->defs(p)[0].reg == u.reg &&
                       t.files[f->value(f->defs(p)[0].value()).file].pool ==
                           t.files[f->value(u.value()).file].pool;
              },
              &s))
        return false;
      std::swap(f->blocks[s.block].insts[s.position], f->blocks[s.block].insts[s.position - 1]);
      return true;
    }
    case kRenameTwo: {
      // Two definitions in one block, both read there afterwards, exchange registers at the
      // definitions only.
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t k) {
                if (!reached[b] || k == 0) return false;
                const InstId p = f->blocks[b].insts[k - 1];
                if (Inserted(ssa, i) || Inserted(ssa, p)) return false;
                if (f->inst(i).num_defs != 1 || f->inst(p).num_defs != 1) return false;
                const Operand &x = f->defs(i)[0], &y = f->defs(p)[0];
                return IsValue(x) && IsValue(y) && uses[x.id] != 0 && uses[y.id] != 0 &&
                       f->value(x.value()).file == f->value(y.value()).file &&
                       f->value(x.value()).comps == f->value(y.value()).comps && x.reg != y.reg;
              },
              &s))
        return false;
      const std::vector<InstId>& insts = f->blocks[s.block].insts;
      std::swap(f->defs(insts[s.position])[0].reg, f->defs(insts[s.position - 1])[0].reg);
      return true;
    }
    case kDropInst: {
      // Only computations with uses: a dead one may be missing.
      const std::vector<uint32_t> uses = UseCounts(*f);
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t) {
                if (!reached[b] || Inserted(ssa, i)) return false;
                const uint32_t flags = t.ops[f->inst(i).op].flags;
                if (flags & kOpSideEffect) return !(flags & kOpTerminator);
                return f->inst(i).num_defs == 1 && uses[f->defs(i)[0].id] != 0 &&
                       !(flags & (kOpCopy | kOpTerminator));
              },
              &s))
        return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    }
    case kMask: {
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t, uint32_t) {
                return matters[i.index] && (f->inst(i).flags & kNoMask);
              },
              &s))
        return false;
      f->inst(f->blocks[s.block].insts[s.position]).flags &= static_cast<uint8_t>(~kNoMask);
      return true;
    }
    case kNoMaskClash: return ClashWithParked(t, ssa, r, f);
    case kNumMutations: break;
  }
  return false;
}

namespace {

// Per value: true for a parameter that a path may leave undefined, itself or by another parameter.
// Nothing in a program depends on its registers.
std::vector<char> Undefined(const Function& ssa) {
  std::vector<char> undefined(ssa.values.size());
  for (bool again = true; again;) {
    again = false;
    for (const Block& b : ssa.blocks) {
      for (const Edge& e : b.succs) {
        for (size_t k = 0; k < e.num_args; ++k) {
          const Operand& a = ssa.args(e)[k];
          const ValueId p = ssa.block(e.to).params[k];
          if (!IsValue(a) || undefined[a.id]) again |= !std::exchange(undefined[p.index], 1);
        }
      }
    }
  }
  return undefined;
}

// A fill or repeated computation whose result an instruction of the program reads in its block, so
// that it matters, and the SSA value that it provides.
struct ReadFill {
  uint32_t block = 0, position = 0;
  InstId inst;
  uint32_t value = 0;  // in the SSA program
};

std::vector<ReadFill> ReadFills(const Machine& t, const Function& ssa, const Function& f) {
  const std::vector<char> reached = Reached(ssa), shows = Shows(ssa), undefined = Undefined(ssa);
  std::vector<ReadFill> found;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!reached[b]) continue;
    for (uint32_t k = 0; k < f.blocks[b].insts.size(); ++k) {
      const InstId i = f.blocks[b].insts[k];
      if (!Inserted(ssa, i) || f.inst(i).num_defs != 1 ||
          (t.ops[f.inst(i).op].flags & kOpCollect)) {
        continue;
      }
      ReadFill fill{b, k, i, Operand::kNoReg};
      for (uint32_t n = k + 1; n < f.blocks[b].insts.size(); ++n) {
        const InstId user = f.blocks[b].insts[n];
        if (Inserted(ssa, user) || !shows[user.index]) continue;
        for (uint32_t u = 0; u < f.inst(user).num_uses; ++u) {
          const Operand& o = f.uses(user)[u];
          if (IsValue(o) && o.id == f.defs(i)[0].id) fill.value = ssa.uses(user)[u].id;
        }
      }
      if (fill.value != Operand::kNoReg && !undefined[fill.value] &&
          f.defs(i)[0].id >= ssa.values.size()) {
        found.push_back(fill);
      }
    }
  }
  return found;
}

bool IsDefinedIn(const Function& ssa, uint32_t value, uint32_t block) {
  for (InstId i : ssa.blocks[block].insts) {
    for (const Operand& o : ssa.defs(i)) {
      if (IsValue(o) && o.id == value) return true;
    }
  }
  return false;
}

bool HasUndefinedArgument(const Function& ssa, uint32_t value, uint32_t block) {
  const std::vector<ValueId>& params = ssa.blocks[block].params;
  const auto at = std::find(params.begin(), params.end(), ValueId(value)) - params.begin();
  if (static_cast<size_t>(at) == params.size()) return false;
  for (const Block& b : ssa.blocks) {
    for (const Edge& e : b.succs) {
      if (e.to.index == block && !IsValue(ssa.args(e)[static_cast<size_t>(at)])) return true;
    }
  }
  return false;
}

// Registers of per-lane values that only lanes parked in the fill's block hold, and read when they
// continue: no instruction in the block uses them.
std::vector<uint32_t> OnlyParked(const Machine& t, const Function& ssa, const Function& f,
                                 const Liveness& live, const std::vector<uint32_t>& homes,
                                 uint8_t pool, uint32_t b) {
  std::vector<uint32_t> regs;
  for (BlockId j : live.waits(BlockId(b))) {
    if (j.index <= b) continue;
    for (InstId i : f.block(j).insts) {
      if (Inserted(ssa, i)) break;  // names may have changed after it
      if (t.ops[ssa.inst(i).op].flags & (kOpCopy | kOpCollect)) continue;
      for (uint32_t u = 0; u < ssa.inst(i).num_uses; ++u) {
        const Operand& o = ssa.uses(i)[u];
        if (!IsValue(o) || !IsPerLane(t, ssa.value(o.value()))) continue;
        if (t.files[ssa.value(o.value()).file].pool != pool) continue;
        if (f.uses(i)[u].id != o.id || homes[o.id] == Operand::kNoReg) continue;
        const uint32_t g = live.global(live.first_slot(o.value()) + o.comp);
        if (g == Liveness::kLocal || !live.parked(BlockId(b)).test(g)) continue;
        if (live.live_in(BlockId(b)).test(g) || live.def_block(o.value()).index >= b) continue;
        regs.push_back(f.uses(i)[u].reg);
      }
    }
  }
  return regs;
}

// Returns true if the fill writes lanes that are off in registers of per-lane values.
bool Reaches(const Machine& t, const Function& f, InstId fill) {
  const uint8_t pool = t.files[f.value(f.defs(fill)[0].value()).file].pool;
  return std::any_of(t.files.begin(), t.files.end(), [&](const FileInfo& file) {
    return file.pool == pool && file.masked_writes && !file.always_masked;
  });
}

// Returns true if another value uses the operand's registers, from block `first` to before block
// `end`. Otherwise lanes that leave on the way still have their own there, and a NoMask store
// changes nothing.
bool IsReused(const Machine& t, const Function& f, const Operand& o, uint32_t first, uint32_t end) {
  const auto pool = [&](const Operand& x) { return t.files[f.value(x.value()).file].pool; };
  const auto end_of = [&](const Operand& x) {
    return x.reg + x.comps * t.units_per_comp(f, f.value(x.value()));
  };
  for (uint32_t b = first; b < end; ++b) {
    for (InstId i : f.blocks[b].insts) {
      for (const Operand& d : f.defs(i)) {
        if (!IsValue(d) || d.id == o.id || d.reg == Operand::kNoReg || pool(d) != pool(o)) continue;
        if (d.reg < end_of(o) && o.reg < end_of(d)) return true;
      }
    }
  }
  return false;
}

// Returns true if the fill restores a value to its first register, or to that of another fill: the
// value may still be there, so the fill might not be missed.
bool IsHome(const Function& f, const std::vector<ReadFill>& all, const ReadFill& fill) {
  const uint32_t reg = f.defs(fill.inst)[0].reg;
  return DefinedAt(f)[fill.value] == reg ||
         std::any_of(all.begin(), all.end(), [&](const ReadFill& other) {
           return other.inst != fill.inst && other.value == fill.value &&
                  f.defs(other.inst)[0].reg == reg;
         });
}

}  // namespace

bool MutateSpills(const Machine& t, const Function& ssa, SpillMutation m, Rng& r, Function* f) {
  const std::vector<char> reached = Reached(ssa);
  const std::vector<ReadFill> all = ReadFills(t, ssa, *f);
  std::vector<ReadFill> fills, repeats;
  for (const ReadFill& x : all) {
    if (IsFill(t, *f, x.inst)) fills.push_back(x);
    for (const Repeat& y : f->repeats) {
      if (y.inst == x.inst && f->inst(x.inst).num_uses != 0 && IsValue(f->uses(x.inst)[0])) {
        repeats.push_back(x);
      }
    }
  }
  if (fills.empty()) return false;
  const ReadFill& fill = fills[Below(r, fills.size())];
  // Picks another slot than this, one in use.
  const auto other_slot = [&](uint32_t slot) {
    for (int k = 0; k < 50; ++k) {
      const uint32_t p = SlotOf(*f, fills[Below(r, fills.size())].inst).id;
      if (p != slot) return p;
    }
    return slot;
  };
  // Recognises the store, after its definition, of the value that the fill provides.
  const auto is_its_store = [&](InstId i, uint32_t, uint32_t) {
    return IsSpill(t, *f, i) && PayloadOf(*f, i).id == fill.value &&
           SlotOf(*f, i).id <= SlotOf(*f, fill.inst).id &&
           SlotOf(*f, fill.inst).id <
               SlotOf(*f, i).id + PayloadOf(*f, i).comps *
                                      t.units_per_comp(*f, f->value(PayloadOf(*f, i).value()));
  };
  Site s;
  switch (m) {
    case kSpillElsewhere: {
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      Operand& slot = SlotOf(*f, f->blocks[s.block].insts[s.position]);
      const uint32_t old = slot.id;
      slot.id = other_slot(old);
      return slot.id != old;
    }
    case kFillElsewhere: {
      Operand& slot = SlotOf(*f, fill.inst);
      const uint32_t old = slot.id;
      slot.id = other_slot(old);
      return slot.id != old;
    }
    case kSpillOther: {
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      Operand& o = PayloadOf(*f, f->blocks[s.block].insts[s.position]);
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kFillOther: {
      if (IsHome(*f, all, fill)) return false;
      Operand& o = f->defs(fill.inst)[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kDropSpill:
      if (!PickInst(*f, r, is_its_store, &s)) return false;
      f->blocks[s.block].insts.erase(f->blocks[s.block].insts.begin() + s.position);
      return true;
    case kDropFill:
      if (IsHome(*f, all, fill)) return false;
      f->blocks[fill.block].insts.erase(f->blocks[fill.block].insts.begin() + fill.position);
      return true;
    case kUnmaskSpill: {
      // Lanes that wait for the fill's block read the slot there.
      const Liveness live(t, ssa);
      if (!PickInst(
              *f, r,
              [&](InstId i, uint32_t b, uint32_t) {
                if (!IsSpill(t, *f, i) || (f->inst(i).flags & kNoMask)) return false;
                const auto waits = live.waits(BlockId(b));
                return reached[b] && b < fill.block &&
                       SlotOf(*f, i).id == SlotOf(*f, fill.inst).id &&
                       IsReused(t, *f, PayloadOf(*f, i), b, fill.block) &&
                       std::find(waits.begin(), waits.end(), BlockId(fill.block)) != waits.end() &&
                       !IsDefinedIn(ssa, fill.value, fill.block) &&
                       !HasUndefinedArgument(ssa, fill.value, fill.block);
              },
              &s))
        return false;
      f->inst(f->blocks[s.block].insts[s.position]).flags |= kNoMask;
      return true;
    }
    case kRepeatOther: {
      if (repeats.empty()) return false;
      Operand& o = f->uses(repeats[Below(r, repeats.size())].inst)[0];
      o.reg = OtherReg(t, *f, o, r);
      return true;
    }
    case kFillClash: {
      const Liveness live(t, ssa);
      const std::vector<uint32_t> homes = DefinedAt(*f);
      struct Candidate {
        InstId fill;
        uint32_t reg;
      };
      std::vector<Candidate> candidates;
      for (uint32_t b = 0; b < f->blocks.size(); ++b) {
        for (InstId i : f->blocks[b].insts) {
          if (!IsFill(t, *f, i) || !Reaches(t, *f, i)) continue;
          const uint8_t pool = t.files[f->value(f->defs(i)[0].value()).file].pool;
          const std::vector<uint32_t> regs = OnlyParked(t, ssa, *f, live, homes, pool, b);
          for (uint32_t reg : regs) {
            if (reg % t.alignment(*f, f->value(f->defs(i)[0].value())) == 0) {
              candidates.push_back({i, reg});
            }
          }
        }
      }
      if (candidates.empty()) return false;
      const Candidate c = candidates[Below(r, candidates.size())];
      const uint32_t id = f->defs(c.fill)[0].id, old = f->defs(c.fill)[0].reg;
      if (c.reg == old) return false;
      for (Operand& o : f->operands) {
        if (IsValue(o) && o.id == id && o.reg != Operand::kNoReg) o.reg = o.reg - old + c.reg;
      }
      const Operand& def = f->defs(c.fill)[0];
      const Value& v = f->value(def.value());
      return MayHold(t, *f, t.files[v.file].pool, def.reg, def.comps * t.units_per_comp(*f, v));
    }
    case kNumSpillMutations: break;
  }
  return false;
}

namespace {

// Moves the value with all its uses; other values stay.
void MoveValue(uint32_t value, uint32_t from, uint32_t to, Function* f) {
  for (Operand& o : f->operands) {
    if (IsValue(o) && o.id == value && o.reg != Operand::kNoReg) o.reg = o.reg - from + to;
  }
}

uint8_t PoolOf(const Machine& t, const Function& f, const Operand& o) {
  return t.files[f.value(o.value()).file].pool;
}

// Registers of uniform values of that pool that only lanes parked in the block hold, and read when
// they continue. They were defined before, outside loops, so they are not computed again.
std::vector<uint32_t> UniformOnlyParked(const Machine& t, const Function& ssa, const Function& f,
                                        const Liveness& live, uint8_t pool, uint32_t b) {
  std::vector<uint32_t> regs;
  const std::vector<uint32_t> homes = DefinedAt(f);
  for (BlockId j : live.waits(BlockId(b))) {
    if (j.index <= b) continue;
    for (InstId i : f.block(j).insts) {
      if (Inserted(ssa, i)) break;  // names may have changed after it
      for (uint32_t u = 0; u < ssa.inst(i).num_uses; ++u) {
        const Operand& o = ssa.uses(i)[u];
        if (!IsValue(o) || PoolOf(t, ssa, o) != pool || f.uses(i)[u].id != o.id) continue;
        if (homes[o.id] == Operand::kNoReg || f.inst(i).op != ssa.inst(i).op) continue;
        const uint32_t g = live.global(live.first_slot(o.value()) + o.comp);
        if (g == Liveness::kLocal || !live.parked(BlockId(b)).test(g)) continue;
        if (live.live_in(BlockId(b)).test(g) || live.def_block(o.value()).index >= b) continue;
        if (ssa.block(live.def_block(o.value())).loop_depth != 0) continue;
        regs.push_back(f.uses(i)[u].reg);
      }
    }
  }
  return regs;
}

bool UniformClash(const Machine& t, const Function& ssa, Rng& r, Function* f) {
  const Liveness live(t, ssa);
  const std::vector<char> reached = Reached(ssa);
  struct Candidate {
    Operand def;
    uint32_t reg;
  };
  std::vector<Candidate> candidates;
  for (uint32_t b = 0; b < f->blocks.size(); ++b) {
    if (!reached[b]) continue;
    for (InstId i : f->blocks[b].insts) {
      for (const Operand& d : f->defs(i)) {
        if ((Inserted(ssa, i) && !IsFill(t, *f, i)) || !IsValue(d) ||
            t.files[f->value(d.value()).file].masked_writes) {
          continue;
        }
        for (uint32_t reg : UniformOnlyParked(t, ssa, *f, live, PoolOf(t, *f, d), b)) {
          if (reg % t.alignment(*f, f->value(d.value())) == 0 && reg != d.reg) {
            candidates.push_back({d, reg});
          }
        }
      }
    }
  }
  if (candidates.empty()) return false;
  const Candidate c = candidates[Below(r, candidates.size())];
  MoveValue(c.def.id, c.def.reg, c.reg, f);
  return true;
}

// Returns true if another edge into the block brings another value for the parameter.
bool BringsOther(const Function& ssa, uint32_t b, BlockId to, size_t param) {
  const Operand& mine = ssa.args(ssa.blocks[b].succs[0])[param];
  for (const Block& from : ssa.blocks) {
    for (const Edge& e : from.succs) {
      if (e.to == to && ssa.args(e)[param].id != mine.id) return true;
    }
  }
  return false;
}

// Makes a masked copy of an argument NoMask, where lanes that wait for the same block hold their
// own in the parameter's register.
bool UnmaskMerge(const Machine& t, const Function& ssa, Rng& r, Function* f) {
  const std::vector<char> matters = CopiesThatMatter(t, ssa, *f), undefined = Undefined(ssa);
  const Liveness live(t, ssa);
  std::vector<uint32_t> reg(ssa.values.size(), Operand::kNoReg);  // of parameters that are read
  for (const Block& b : f->blocks) {
    for (InstId i : b.insts) {
      if (Inserted(ssa, i)) continue;
      for (const Operand& o : f->uses(i)) {
        if (IsValue(o) && o.id < reg.size()) reg[o.id] = o.reg;
      }
    }
  }
  const auto wanted = [&](InstId i, uint32_t b, uint32_t) {
    if (!matters[i.index] || (f->inst(i).flags & kNoMask)) return false;
    const Operand& def = f->defs(i)[0];
    const FileInfo& file = t.files[f->value(def.value()).file];
    if (!file.masked_writes || file.always_masked || ssa.blocks[b].succs.size() != 1) return false;
    const BlockId to = ssa.blocks[b].succs[0].to;
    const auto waits = live.waits(BlockId(b));
    if (std::find(waits.begin(), waits.end(), to) == waits.end()) return false;
    const std::vector<ValueId>& params = ssa.block(to).params;
    for (size_t k = 0; k < params.size(); ++k) {
      const uint32_t p = params[k].index;
      if (ssa.values[p].file == f->value(def.value()).file && reg[p] == def.reg && !undefined[p]) {
        return BringsOther(ssa, b, to, k);
      }
    }
    return false;
  };
  Site s;
  if (!PickInst(*f, r, wanted, &s)) return false;
  f->inst(f->blocks[s.block].insts[s.position]).flags |= kNoMask;
  return true;
}

// Picks a definition of the program for which the predicate is true.
template <class P>
bool PickDef(const Function& ssa, const Function& f, Rng& r, P&& wanted, Operand* def) {
  Site s;
  const auto has = [&](InstId i, uint32_t, uint32_t) {
    return !Inserted(ssa, i) && f.inst(i).num_defs != 0 && IsValue(f.defs(i)[0]) &&
           wanted(i, f.defs(i)[0]);
  };
  if (!PickInst(f, r, has, &s)) return false;
  *def = f.defs(f.blocks[s.block].insts[s.position])[0];
  return true;
}

}  // namespace

bool MutateShape(const Machine& t, const Function& ssa, ShapeMutation m, Rng& r, Function* f) {
  Site s;
  Operand def;
  const auto file = [&](const Operand& o) { return t.files[f->value(o.value()).file]; };
  switch (m) {
    case kUnmask: {
      const auto wanted = [&](InstId i, uint32_t, uint32_t) {
        const auto masked = [&](const Operand& o) { return IsValue(o) && file(o).always_masked; };
        const auto defs = f->defs(i), uses = f->uses(i);
        return Inserted(ssa, i) && (std::any_of(defs.begin(), defs.end(), masked) ||
                                    std::any_of(uses.begin(), uses.end(), masked));
      };
      if (!PickInst(*f, r, wanted, &s)) return false;
      f->inst(f->blocks[s.block].insts[s.position]).flags |= kNoMask;
      return true;
    }
    case kBreakTie: {
      const auto tied = [&](InstId i, const Operand&) {
        return t.ops[f->inst(i).op].tied != OpInfo::kNotTied;
      };
      if (!PickDef(ssa, *f, r, tied, &def)) return false;
      const uint32_t reg = OtherReg(t, *f, def, r);
      MoveValue(def.id, def.reg, reg, f);
      // A tied use that has the value's name moved as well: the tie is intact.
      for (const Block& b : f->blocks) {
        for (InstId i : b.insts) {
          const int tie = t.ops[f->inst(i).op].tied;
          if (tie != OpInfo::kNotTied && f->uses(i)[tie].id == def.id) return false;
        }
      }
      return reg != def.reg;
    }
    case kRestoreEarly: {
      const auto wanted = [&](InstId i, uint32_t b, uint32_t k) {
        if (k == 0 || !Inserted(ssa, i) || f->inst(i).num_defs != 1) return false;
        if (!IsValue(f->defs(i)[0]) || file(f->defs(i)[0]).save_file == FileInfo::kNoFile) {
          return false;
        }
        const uint8_t pool = PoolOf(t, *f, f->defs(i)[0]);
        const InstId before = f->blocks[b].insts[k - 1];
        const auto writes = [&](const Operand& o) {
          return IsValue(o) && PoolOf(t, *f, o) == pool;
        };
        const auto defs = f->defs(before);
        return (t.ops[f->inst(before).op].clobbers >> pool & 1) ||
               std::any_of(defs.begin(), defs.end(), writes);
      };
      if (!PickInst(*f, r, wanted, &s)) return false;
      std::swap(f->blocks[s.block].insts[s.position], f->blocks[s.block].insts[s.position - 1]);
      return true;
    }
    case kMisalign: {
      const auto wanted = [&](InstId, const Operand& d) {
        const Value& v = f->value(d.value());
        const uint32_t units = d.comps * t.units_per_comp(*f, v);
        return t.alignment(*f, v) > 1 && MayHold(t, *f, file(d).pool, d.reg + 1, units);
      };
      if (!PickDef(ssa, *f, r, wanted, &def)) return false;
      MoveValue(def.id, def.reg, def.reg + 1, f);
      return true;
    }
    case kIntoReserved: {
      if (f->reserved.empty()) return false;
      const Reserved& units = f->reserved[Below(r, f->reserved.size())];
      const auto wanted = [&](InstId, const Operand& d) {
        return file(d).pool == units.pool && t.alignment(*f, f->value(d.value())) == 1;
      };
      if (!PickDef(ssa, *f, r, wanted, &def)) return false;
      MoveValue(def.id, def.reg, units.first + Below(r, units.units), f);
      return true;
    }
    case kUniformClash: return UniformClash(t, ssa, r, f);
    case kUnmaskMerge: return UnmaskMerge(t, ssa, r, f);
    case kNumShapeMutations: break;
  }
  return false;
}

}  // namespace kiln::lir::ra
