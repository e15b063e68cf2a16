#include "core/lir/ra/spill_fills.h"

#include <vector>

namespace kiln::lir::ra {

namespace {

constexpr int kRepeatDepth = 2;  // maximum depth of computations repeated for another one

}  // namespace

Operand SpillFills::InRegisters(Operand o) {
  if (!IsValue(o) || o.id >= in_.values || !in_.pieces.has(o.value())) return o;
  const uint32_t first = in_.pieces.of(o.value(), o.comp);
  const uint32_t last = in_.pieces.of(o.value(), o.comp + o.comps - 1u);
  if (!registers_.Together(first, last)) Fill(first, last);
  const Name& name = registers_.name(first);
  o.id = name.value;
  o.comp = static_cast<uint16_t>(name.comp + o.comp - in_.pieces.comp(first));
  return o;
}

void SpillFills::Fill(uint32_t first, uint32_t last) {
  uint32_t units = 0;
  for (uint32_t p = first; p <= last; ++p) units += in_.pieces.units(p);
  room_.MakeRoom(units);
  const ValueId v = in_.pieces.value(first);
  Name name;
  if (first == in_.pieces.first(v) && last + 1 == in_.pieces.end(v) && CanRepeat(v, kRepeatDepth)) {
    name.value = Repeat(v).index;
    const InstId i = in_.def_inst[v.index];
    if (in_.PerLane(v) && WritesOffLanes(in_.t, in_.f, i, in_.f.defs(i)[0])) {
      name.block = here_.block;
    }
  } else {
    name.value = code_.Load(first, last).index;
    if (in_.PerLane(v) && !in_.AlwaysMasked(v)) name.block = here_.block;
  }
  for (uint32_t p = first; p <= last; ++p) {
    name.comp = uint32_t{in_.pieces.comp(p)} - in_.pieces.comp(first);
    room_.Enter(p, name);
  }
}

bool SpillFills::CanRepeat(ValueId v, int depth) const {
  const InstId i = in_.def_inst[v.index];
  if (!i.valid() || in_.f.inst(i).num_defs != 1 || !in_.h.can_repeat(in_.f, i)) return false;
  for (const Operand& o : in_.OriginalUses(i)) {
    if (!IsValue(o)) continue;
    if (!in_.pieces.has(o.value()) || !MayReadAgain(i, o)) return false;
    if (!registers_.Together(o) && (depth == 0 || !CanRepeat(o.value(), depth - 1))) return false;
  }
  return true;
}

bool SpillFills::MayReadAgain(InstId i, const Operand& o) const {
  if (BlockId(here_.block) != in_.f.exit_block || !in_.PerLane(o.value())) return true;
  return !(in_.f.inst(i).flags & kNoMask) && in_.PerLane(in_.f.defs(i)[0].value());
}

ValueId SpillFills::Repeat(ValueId v) {
  if (!code_.writing()) return code_.NextName();
  const absl::Span<const Operand> original = in_.OriginalUses(in_.def_inst[v.index]);
  std::vector<Operand> uses(original.begin(), original.end());
  for (Operand& o : uses) {
    if (!IsValue(o)) continue;
    if (registers_.Together(o)) {
      o = InRegisters(o);
    } else {
      o.id = Repeat(o.value()).index;
    }
  }
  return code_.Repeat(v, uses);
}

}  // namespace kiln::lir::ra
