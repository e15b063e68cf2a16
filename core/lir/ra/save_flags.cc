#include "core/lir/ra/save_flags.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::lir::ra {

namespace {

constexpr int kMaxIterations = 8;

struct FlagSaver {
  const Machine& t;
  Function& f;
  std::vector<char> fixed;  // restored values, and those that must not be saved
  std::vector<char> chosen;
  std::vector<uint64_t> cost;
  std::vector<BlockId> def_block;
  int saved = 0;
  ValueId left_over = {};  // after Pick has failed: a flag that does not fit

  bool IsFlag(ValueId v) const { return t.files[f.value(v).file].save_file != FileInfo::kNoFile; }
  uint32_t Units(ValueId v) const { return t.units_per_comp(f, f.value(v)) * f.value(v).comps; }
  uint8_t PoolOf(ValueId v) const { return t.files[f.value(v).file].pool; }

  void Weigh() {
    cost.assign(f.values.size(), 0);
    chosen.assign(f.values.size(), 0);
    fixed.resize(f.values.size(), 0);
    def_block.assign(f.values.size(), BlockId());
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      uint64_t weight = 1;
      for (int d = std::min<int>(f.blocks[b].loop_depth, 6); d > 0; --d) weight *= 10;
      for (InstId i : f.blocks[b].insts) {
        for (const Operand& o : f.uses(i)) {
          if (IsValue(o)) cost[o.id] += weight;
        }
        for (const Operand& o : f.defs(i)) {
          if (!IsValue(o)) continue;
          cost[o.id] += weight;
          def_block[o.id] = BlockId(b);
        }
      }
    }
  }

  // Picks among the flags present until the rest fits. False if none is left to pick.
  bool Relieve(const std::vector<ValueId>& present, uint8_t pool) {
    const uint32_t free = FreeUnits(t, f, pool);
    while (true) {
      uint32_t units = 0;
      ValueId best;
      for (ValueId v : present) {
        if (PoolOf(v) != pool || chosen[v.index]) continue;
        left_over = v;
        units += Units(v);
        if (!fixed[v.index] && (!best.valid() || cost[v.index] < cost[best.index])) best = v;
      }
      if (units <= free) return true;
      if (!best.valid()) return false;
      chosen[best.index] = 1;
      ++saved;
    }
  }

  // Picks flags to save, block by block. A flag needs a register while it is live or parked lanes
  // hold it.
  bool Pick(const Liveness& l) {
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      const BlockId id(b);
      std::vector<ValueId> held, live;
      const auto note = [&](std::vector<ValueId>* to) {
        return [&, to](size_t g) {
          const ValueId v = l.slot_value(l.global_slot(static_cast<uint32_t>(g)));
          if (IsFlag(v)) to->push_back(v);
        };
      };
      l.parked(id).for_each(note(&held));
      l.live_in(id).for_each(note(&live));
      for (const LiveIn& li : f.live_ins) {
        if (b == 0 && IsFlag(li.value)) live.push_back(li.value);
      }
      if (!Settle(held, live)) return false;
      for (size_t k = 0; k < f.blocks[b].insts.size(); ++k) {
        const InstId i = f.blocks[b].insts[k];
        for (const Operand& o : f.defs(i)) {
          if (IsValue(o) && IsFlag(o.value())) live.push_back(o.value());
        }
        const bool defines = std::any_of(f.defs(i).begin(), f.defs(i).end(), [&](const Operand& o) {
          return IsValue(o) && IsFlag(o.value());
        });
        if (defines && !Settle(held, live)) return false;
        for (uint32_t s : l.deaths(id, k + 1)) {
          live.erase(std::remove(live.begin(), live.end(), l.slot_value(s)), live.end());
        }
        const uint8_t clobbers = t.ops[f.inst(i).op].clobbers;
        if (clobbers != 0 && !Spare(clobbers, i, held, live)) return false;
      }
      const uint8_t merges = ClobberedByArguments(f.blocks[b]);
      if (merges != 0 && !Spare(merges, InstId(), held, live)) return false;
    }
    return true;
  }

  // Returns the pools that the copies of the arguments may clobber.
  uint8_t ClobberedByArguments(const Block& block) const {
    uint8_t pools = 0;
    for (const Edge& e : block.succs) {
      for (ValueId p : f.block(e.to).params) pools |= t.files[f.value(p).file].merge_clobbers;
    }
    return pools;
  }

  // Saves flags that live across an instruction that clobbers all of these pools; invalid: the
  // copies of arguments.
  bool Spare(uint8_t pools, InstId i, const std::vector<ValueId>& held,
             const std::vector<ValueId>& live) {
    const auto spare = [&](ValueId v) {
      if (!(pools >> PoolOf(v) & 1) || chosen[v.index]) return true;
      left_over = v;
      chosen[v.index] = !fixed[v.index];
      saved += chosen[v.index];
      return chosen[v.index] != 0;
    };
    const auto defined_here = [&](ValueId v) {
      if (!i.valid()) return false;
      const auto defs = f.defs(i);
      return std::any_of(defs.begin(), defs.end(),
                         [&](const Operand& o) { return IsValue(o) && o.value() == v; });
    };
    return std::all_of(held.begin(), held.end(), spare) &&
           std::all_of(live.begin(), live.end(),
                       [&](ValueId v) { return defined_here(v) || spare(v); });
  }

  bool Settle(const std::vector<ValueId>& held, const std::vector<ValueId>& live) {
    std::vector<ValueId> present = held;
    for (ValueId v : live) {
      if (std::find(present.begin(), present.end(), v) == present.end()) present.push_back(v);
    }
    for (size_t p = 0; p < t.pools.size(); ++p) {
      if (!Relieve(present, static_cast<uint8_t>(p))) return false;
    }
    return true;
  }

  ValueId NewSaved(ValueId flag) {
    Value v;
    v.file = t.files[f.value(flag).file].save_file;
    if (t.files[v.file].masked_writes) v.elem_bytes = 0;  // a mask
    v.spirv_id = f.value(flag).spirv_id;
    f.values.push_back(v);
    return ValueId(f.values.size() - 1);
  }
  ValueId NewFlag(ValueId flag) {
    const Value v = f.value(flag);
    f.values.push_back(v);
    fixed.resize(f.values.size(), 0);
    fixed.back() = 1;
    return ValueId(f.values.size() - 1);
  }

  void Rewrite() {
    std::vector<ValueId> saved_to(f.values.size());
    const size_t old_values = f.values.size();
    const auto is_chosen = [&](const Operand& o) {
      return IsValue(o) && o.id < old_values && chosen[o.id];
    };
    for (size_t v = 0; v < old_values; ++v) {
      if (chosen[v]) saved_to[v] = NewSaved(ValueId(v));
    }
    fixed.resize(f.values.size(), 0);
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      std::vector<InstId> insts;
      const auto place = [&](InstId i) {
        f.inst(i).flags |= kInsertedCopy | kNoMask;
        insts.push_back(i);
      };
      if (b == 0) {
        for (const LiveIn& l : f.live_ins) {
          if (l.value.index < old_values && chosen[l.value.index]) {
            place(t.make_save(f, saved_to[l.value.index], l.value));
            fixed[l.value.index] = 1;
          }
        }
      }
      for (InstId i : std::vector<InstId>(f.blocks[b].insts)) {
        for (uint32_t k = 0; k < f.inst(i).num_uses; ++k) {
          const Operand o = f.uses(i)[k];
          if (!is_chosen(o)) continue;
          const ValueId again = NewFlag(o.value());
          place(t.make_restore(f, again, saved_to[o.id]));
          for (Operand& u : f.uses(i)) {
            if (IsValue(u) && u.id == o.id) u.id = again.index;
          }
        }
        insts.push_back(i);
        for (uint32_t k = 0; k < f.inst(i).num_defs; ++k) {
          const Operand o = f.defs(i)[k];
          if (!is_chosen(o)) continue;
          place(t.make_save(f, saved_to[o.id], o.value()));
          fixed[o.id] = 1;
        }
      }
      f.blocks[b].insts = std::move(insts);
    }
  }

  // Excludes flags that parked lanes hold where they are defined: the save would overwrite their
  // bits.
  void FixHeld(const Liveness& l) {
    for (size_t v = 0; v < f.values.size(); ++v) {
      const BlockId b = def_block[v];
      if (!b.valid() || !IsFlag(ValueId(v))) continue;
      for (uint32_t c = 0; c < f.values[v].comps; ++c) {
        const uint32_t g = l.global(l.first_slot(ValueId(v)) + c);
        if (g != Liveness::kLocal && l.parked(b).test(g)) fixed[v] = 1;
      }
    }
  }
};

}  // namespace

bool FlagsFit(const Machine& t, const Function& f, const std::vector<Pressure>& max_live) {
  const auto is_flag = [&](ValueId v) {
    return t.files[f.value(v).file].save_file != FileInfo::kNoFile;
  };
  for (const LiveIn& l : f.live_ins) {
    if (is_flag(l.value)) return false;
  }
  // At a definition, flags that die there are still held, which the pressure does not count.
  std::vector<uint32_t> most(t.pools.size(), 0);
  for (const Block& b : f.blocks) {
    for (ValueId p : b.params) {
      if (t.files[f.value(p).file].merge_clobbers != 0) return false;
    }
    for (InstId i : b.insts) {
      if (t.ops[f.inst(i).op].clobbers != 0) return false;
      uint32_t units = 0;
      for (const Operand& o : f.defs(i)) {
        if (!IsValue(o) || !is_flag(o.value())) continue;
        const Value& v = f.value(o.value());
        units += t.units_per_comp(f, v) * v.comps;
        uint32_t& here = most[t.files[v.file].pool];
        here = std::max(here, units);
      }
    }
  }
  return std::all_of(t.files.begin(), t.files.end(), [&](const FileInfo& file) {
    const size_t p = file.pool;
    return file.save_file == FileInfo::kNoFile ||
           max_live[p].physical + most[p] <= FreeUnits(t, f, p);
  });
}

absl::StatusOr<int> SaveExcessFlags(const Machine& t, Function* f, Liveness* live) {
  FlagSaver saver{t, *f, {}, {}, {}, {}};
  bool any_flag = false;
  for (size_t v = 0; v < f->values.size(); ++v) any_flag |= saver.IsFlag(ValueId(v));
  for (int iteration = 0; any_flag && iteration < kMaxIterations; ++iteration) {
    saver.Weigh();
    saver.FixHeld(*live);
    const int before = saver.saved;
    if (!saver.Pick(*live)) break;
    if (saver.saved == before) return saver.saved;
    saver.Rewrite();
    *live = Liveness(t, *f);
  }
  if (!any_flag) return 0;
  return BeyondLimit("out_of_registers", "flag registers held at once",
                     saver.left_over.valid() ? f->value(saver.left_over).spirv_id : 0);
}

}  // namespace kiln::lir::ra
