#include "core/lir/ra/tied.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/lir/build.h"

namespace kiln::lir::ra {

namespace {

bool SameShape(const Value& a, const Value& b) {
  return a.comps == b.comps && a.whole_registers == b.whole_registers && a.in_tail == b.in_tail;
}

// Returns true if the definition may be written over this use. `place` is as in Liveness::deaths.
bool MayOverwrite(const Machine& t, const Function& f, const Liveness& live, BlockId b,
                  size_t place, InstId i, const Operand& use) {
  const ValueId d = f.defs(i)[0].value(), u = use.value();
  if (!SameShape(f.value(d), f.value(u)) || u == f.scratch_header) return false;
  if (WritesOffLanes(t, f, i, f.defs(i)[0]) && !IsWhole(t, f.value(u))) return false;
  const absl::Span<const uint32_t> deaths = live.deaths(b, place);
  for (uint32_t c = 0; c < f.value(u).comps; ++c) {
    const uint32_t slot = live.first_slot(u) + c, global = live.global(slot);
    if (std::find(deaths.begin(), deaths.end(), slot) == deaths.end()) return false;
    if (global != Liveness::kLocal && live.parked(b).test(global)) return false;
    if (live.global(live.first_slot(d) + c) != Liveness::kLocal) return false;
  }
  return true;
}

InstId CopyOf(const Machine& t, Function& f, InstId i, int tied) {
  const Operand use = f.uses(i)[tied];
  f.values.push_back(Value(f.value(f.defs(i)[0].value())));
  Operand def = use;
  def.id = static_cast<uint32_t>(f.values.size() - 1);
  def.comp = 0;
  InstFields fields;
  fields.width = f.inst(i).width;
  fields.group = f.inst(i).group;
  fields.flags = static_cast<uint8_t>(kInsertedCopy | (f.inst(i).flags & kNoMask));
  fields.spirv_id = f.inst(i).spirv_id;
  const InstId copy = MakeInst(f, t.collect_op, fields, {&def, 1}, {&use, 1});
  f.uses(i)[tied] = def;
  return copy;
}

}  // namespace

bool HasTied(const Machine& t, const Function& f) {
  const auto ties = [](const OpInfo& op) { return op.tied != OpInfo::kNotTied; };
  if (std::none_of(t.ops.begin(), t.ops.end(), ties)) return false;
  return std::any_of(f.insts.begin(), f.insts.end(),
                     [&](const Inst& in) { return ties(t.ops[in.op]); });
}

int SplitTied(const Machine& t, Function* f, Liveness* live) {
  int copies = 0;
  for (size_t b = 0; b < f->blocks.size(); ++b) {
    std::vector<InstId> insts;
    for (size_t k = 0; k < f->blocks[b].insts.size(); ++k) {
      const InstId i = f->blocks[b].insts[k];
      const int tied = t.ops[f->inst(i).op].tied;
      if (tied != OpInfo::kNotTied && HasFirstDef(*f, i) &&
          !MayOverwrite(t, *f, *live, BlockId(b), k + 1, i, f->uses(i)[tied])) {
        insts.push_back(CopyOf(t, *f, i, tied));
        ++copies;
      }
      insts.push_back(i);
    }
    f->blocks[b].insts = std::move(insts);
  }
  if (copies != 0) *live = Liveness(t, *f);
  return copies;
}

}  // namespace kiln::lir::ra
