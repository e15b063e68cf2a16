#include "core/lir/ra/value_info.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/lir/ra/loop_spans.h"

namespace kiln::lir::ra {

namespace {

constexpr size_t kMaxParts = 32;  // maximum number of components of a value noted as arguments

// Returns true if the instruction writes this definition in lanes that are off.
bool WritesAllLanes(const Machine& t, const Function& f, InstId i, const Operand& def) {
  if (WritesOffLanes(t, f, i, def)) return true;
  if (!(t.ops[f.inst(i).op].flags & kOpCollect)) return false;
  for (const Operand& o : f.uses(i)) {
    if (IsValue(o) && IsWhole(t, f.value(o.value()))) return true;
  }
  return false;
}

// Notes, for a collect, the values of which it reads most components in their order: they should be
// assigned so that these need not move. A value of which it reads few would only displace other
// parts.
void NoteParts(const Function& f, InstId i, std::vector<ValueInfo>* info) {
  const ValueInfo& into = (*info)[f.defs(i)[0].id];
  struct Part {
    uint32_t place;
    uint32_t units = 0;
  };
  absl::InlinedVector<std::pair<uint32_t, Part>, 8>
      parts;  // by value and the offset of its first unit in the vector
  uint32_t offset = 0;
  for (const Operand& o : f.uses(i)) {
    const uint32_t per_comp = IsValue(o) ? (*info)[o.id].per_comp : into.per_comp;
    const uint32_t units = o.comps * per_comp;
    if (IsValue(o) && offset >= o.comp * per_comp) {
      const uint32_t place = offset - o.comp * per_comp;
      const auto same = [&](const auto& p) { return p.first == o.id && p.second.place == place; };
      auto at = std::find_if(parts.begin(), parts.end(), same);
      if (at == parts.end()) at = parts.insert(parts.end(), {o.id, Part{place}});
      at->second.units += units;
    }
    offset += units;
  }
  for (const auto& [value, part] : parts) {
    ValueInfo& v = (*info)[value];
    if (2 * part.units <= v.units || part.place + v.units > into.units) continue;
    v.collect = f.defs(i)[0].value();
    v.collect_offset = part.place;
  }
}

// A use of any other kind after the collect removes the affinity: the value would have to stay.
void NoteUses(const Machine& t, const Function& f, InstId i, std::vector<ValueInfo>* info,
              std::vector<InstId>* last_use) {
  for (const Operand& o : f.uses(i)) {
    if (!IsValue(o)) continue;
    (*last_use)[o.id] = i;
    (*info)[o.id].collect = ValueId();
  }
  if (t.ops[f.inst(i).op].flags & kOpCollect) NoteParts(f, i, info);
}

// Gives an argument the affinity of its parameter. Not for a loop's parameter: its next value is
// computed while others live.
void InheritFromParams(const Function& f, uint32_t b, std::vector<ValueInfo>* info) {
  for (const Edge& e : f.blocks[b].succs) {
    if (e.to.index <= b) continue;
    const absl::Span<const Operand> args = f.args(e);
    for (size_t k = 0; k < args.size(); ++k) {
      if (!IsValue(args[k])) continue;
      const ValueId p = f.block(e.to).params[k];
      ValueInfo& v = (*info)[args[k].id];
      if (v.param != p || v.collect.valid()) continue;
      v.collect = (*info)[p.index].collect;
      v.collect_offset = (*info)[p.index].collect_offset;
    }
  }
}

// Gives a value whose last use is a copy the affinity of the copy.
void InheritThroughCopies(const Machine& t, const Function& f, uint32_t b,
                          const std::vector<InstId>& last_use, std::vector<ValueInfo>* info) {
  const std::vector<InstId>& insts = f.blocks[b].insts;
  for (size_t k = insts.size(); k-- > 0;) {
    const InstId i = insts[k];
    if (!IsPlainCopy(t, f, i)) continue;
    const ValueInfo& to = (*info)[f.defs(i)[0].id];
    ValueInfo& from = (*info)[f.uses(i)[0].id];
    if (last_use[f.uses(i)[0].id] != i || from.units != to.units) continue;
    from.collect = to.collect;
    from.collect_offset = to.collect_offset;
    if (!from.param.valid()) from.param = to.param;
  }
}

// Removes affinities to a collect in a loop from values defined outside: they live on after it.
void ForgetPartsFromOutsideLoops(const Function& f, std::vector<ValueInfo>* info) {
  const LoopSpans loops(f);
  for (ValueInfo& v : *info) {
    if (!v.collect.valid()) continue;
    const uint32_t loop = loops.innermost((*info)[v.collect.index].def_block.index);
    if (!loops.contains(loop, v.def_block.index)) v.collect = ValueId();
  }
}

}  // namespace

std::vector<ValueInfo> DescribeValues(const Machine& t, const Function& f) {
  std::vector<ValueInfo> info(f.values.size());
  for (size_t k = 0; k < info.size(); ++k) {
    const Value& value = f.values[k];
    ValueInfo& v = info[k];
    v.per_comp = t.units_per_comp(f, value);
    v.units = v.per_comp * value.comps;
    v.alignment = std::max(1u, t.alignment(f, value));
    v.written =
        value.whole_registers ? (v.units + v.alignment - 1) / v.alignment * v.alignment : v.units;
    v.pool = t.files[value.file].pool;
    v.whole = IsWhole(t, value);
  }
  std::vector<InstId> last_use(f.values.size());
  // The hardware writes live-ins in every lane, which matters where an instruction reads every
  // lane.
  for (const LiveIn& l : f.live_ins) {
    info[l.value.index].whole = !t.files[f.value(l.value).file].always_masked;
    info[l.value.index].def_block = BlockId(0);
  }
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    for (ValueId p : f.blocks[b].params) info[p.index].def_block = BlockId(b);
    for (InstId i : f.blocks[b].insts) {
      for (const Operand& o : f.defs(i)) {
        if (!IsValue(o)) continue;
        info[o.id].def_block = BlockId(b);
        if (WritesAllLanes(t, f, i, o)) info[o.id].whole = true;
      }
      NoteUses(t, f, i, &info, &last_use);
      const int tied = HasFirstDef(f, i) ? t.ops[f.inst(i).op].tied : OpInfo::kNotTied;
      if (tied != OpInfo::kNotTied) info[f.uses(i)[tied].id].tied = f.defs(i)[0].value();
    }
    for (const Edge& e : f.blocks[b].succs) {
      const absl::Span<const Operand> args = f.args(e);
      for (size_t k = 0; k < args.size(); ++k) {
        if (!IsValue(args[k])) continue;
        ValueInfo& v = info[args[k].id];
        v.collect = ValueId();
        last_use[args[k].id] = InstId();
        const ValueId p = f.block(e.to).params[k];
        if (args[k].comps * v.per_comp == v.units) {
          v.param = p;
        } else if (v.parts.size() < kMaxParts) {
          v.parts.push_back({args[k].comp * v.per_comp, p});
        }
      }
    }
  }
  for (ValueInfo& v : info) {  // a tied use has the affinities of its definition
    if (!v.tied.valid()) continue;
    const ValueInfo& to = info[v.tied.index];
    v.param = to.param;
    v.collect = to.collect;
    v.collect_offset = to.collect_offset;
  }
  for (uint32_t b = static_cast<uint32_t>(f.blocks.size()); b-- > 0;) {
    InheritFromParams(f, b, &info);
    InheritThroughCopies(t, f, b, last_use, &info);
  }
  ForgetPartsFromOutsideLoops(f, &info);
  return info;
}

bool IsPlainCopy(const Machine& t, const Function& f, InstId i) {
  const Inst& in = f.inst(i);
  if (!(t.ops[in.op].flags & kOpCopy) || in.num_uses != 1 || in.predicate_mode != 0 ||
      in.cmod != 0 || (in.flags & kSaturate)) {
    return false;
  }
  const Operand& d = f.defs(i)[0];
  const Operand& u = f.uses(i)[0];
  return IsValue(d) && IsValue(u) && u.mods == 0 && u.sub == 0 && d.sub == 0 && d.type == u.type &&
         d.comps == u.comps && f.value(d.value()).file == f.value(u.value()).file &&
         f.value(d.value()).elem_bytes == f.value(u.value()).elem_bytes;
}

}  // namespace kiln::lir::ra
