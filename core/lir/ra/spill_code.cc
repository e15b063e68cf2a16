#include "core/lir/ra/spill_code.h"

#include <algorithm>
#include <utility>

#include "core/lir/build.h"

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kPlaceholder = 0;

}  // namespace

void SpillCode::NewWalk(bool write) {
  if (write_) {
    std::copy(in_.original.begin(), in_.original.end(), f_.operands.begin());
    f_.operands.resize(in_.original.size());
    f_.insts.resize(in_.insts);
    f_.values.resize(in_.values);
    f_.repeats.resize(in_.repeats);
    filled_.assign(in_.pieces.count(), 0);
    accesses_.clear();
    repeated_ = 0;
  }
  write_ = write;
}

void SpillCode::Take() {
  for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
    if (in_.Walked(b)) f_.blocks[b].insts = std::move(emitted_[b]);
  }
}

void SpillCode::EmitInserted(InstId i) {
  f_.inst(i).flags |= kInsertedCopy;
  out_.push_back(i);
}

Operand SpillCode::Header() const {
  const ValueId header = f_.scratch_header;
  if (!header.valid() || in_.h.to_pool != SpillHooks::kToMemory) return NoOperand();
  return ValueOperand(header, in_.h.raw_type, 0, f_.value(header).comps);
}

bool SpillCode::IsSmall(ValueId v) const {
  if (in_.h.register_units == 1) return false;
  if (!in_.PerLane(v)) return !f_.value(v).whole_registers;
  return in_.t.units_per_comp(f_, f_.value(v)) % in_.h.register_units != 0;
}

ValueId SpillCode::NewRegisters(uint32_t units, uint32_t spirv_id) {
  Value shape = in_.h.register_value();
  shape.comps = static_cast<uint16_t>(RoundUp(units, in_.h.register_units));
  shape.spirv_id = spirv_id;
  return NewValue(shape);
}

uint32_t SpillCode::Comps(uint32_t first, uint32_t last) const {
  const uint32_t end = uint32_t{in_.pieces.comp(last)} + in_.pieces.comps(last);
  return std::min<uint32_t>(f_.value(in_.pieces.value(first)).comps, end) - in_.pieces.comp(first);
}

InstId SpillCode::Collect(ValueId to, const std::vector<Operand>& parts) {
  const Operand def = ValueOperand(to, in_.h.raw_type, 0, f_.value(to).comps);
  InstFields fields;
  fields.flags = kNoMask;
  return MakeInst(f_, in_.t.collect_op, fields, {&def, 1}, parts);
}

ValueId SpillCode::Load(uint32_t first, uint32_t last) {
  if (!write_) return NextName();
  const ValueId v = in_.pieces.value(first);
  const uint32_t comps = Comps(first, last);
  for (uint32_t p = first; p <= last; ++p) filled_[p] = 1;
  Value shape = f_.value(v);
  shape.comps = static_cast<uint16_t>(comps);
  // Only a fill of the whole value must be in the tail.
  shape.in_tail = shape.in_tail && comps == f_.value(v).comps;
  if (!in_.PerLane(v) && f_.value(v).whole_registers) shape.whole_registers = true;
  const uint32_t units = comps * in_.t.units_per_comp(f_, shape);
  const ValueId to = IsSmall(v) ? NewRegisters(units, shape.spirv_id) : NewValue(shape);
  const InstId fill = in_.h.make_fill(f_, to, Header(), kPlaceholder);
  if (!in_.AlwaysMasked(v)) f_.inst(fill).flags |= kNoMask;
  EmitInserted(fill);
  accesses_.push_back({fill, v, first});
  if (!IsSmall(v)) return to;
  // Copies the needed units out of the message's register, which is then free.
  const ValueId small = NewValue(shape);
  EmitInserted(Collect(small, {ValueOperand(to, in_.h.raw_type, 0, static_cast<uint16_t>(units))}));
  return small;
}

void SpillCode::AddSpill(ValueId v, uint32_t piece, const Operand& payload, bool masked,
                         std::vector<InstId>* out) {
  const InstId spill = in_.h.make_spill(f_, Header(), payload, kPlaceholder, !masked);
  f_.inst(spill).flags |= kInsertedCopy;
  out->push_back(spill);
  accesses_.push_back({spill, v, piece});
}

void SpillCode::Store(ValueId v, uint32_t first, const Operand& o, bool masked,
                      std::vector<InstId>* out) {
  const uint8_t raw = in_.h.raw_type;
  if (in_.PerLane(v) && masked && !in_.AlwaysMasked(v)) {
    for (uint32_t c = 0; c < o.comps; ++c) {
      const Operand payload = ValueOperand(o.value(), raw, static_cast<uint16_t>(o.comp + c));
      AddSpill(v, first + c, payload, masked, out);
    }
    return;
  }
  const bool aligned =
      in_.PerLane(v) || in_.h.register_units == 1
          ? !IsSmall(v)
          : f_.value(o.value()).whole_registers && o.comp % in_.h.register_units == 0;
  if (aligned) {
    Operand payload = o;
    payload.type = raw;
    payload.mods = 0;
    return AddSpill(v, first, payload, masked, out);
  }
  // Copies a value smaller than a register to a register of its own for the message.
  const uint32_t units = o.comps * in_.t.units_per_comp(f_, f_.value(o.value()));
  const ValueId whole = NewRegisters(units, f_.value(v).spirv_id);
  const uint16_t all = f_.value(whole).comps;
  std::vector<Operand> parts = {ValueOperand(o.value(), raw, o.comp, o.comps)};
  if (all != units) parts.push_back(NoOperand(static_cast<uint16_t>(all - units)));
  const InstId collect = Collect(whole, parts);
  f_.inst(collect).flags |= kInsertedCopy;
  out->push_back(collect);
  AddSpill(v, first, ValueOperand(whole, raw, 0, all), masked, out);
}

ValueId SpillCode::Repeat(ValueId v, const std::vector<Operand>& uses) {
  const InstId i = in_.def_inst[v.index];
  const ValueId again = NewValue(Value(f_.value(v)));
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
  ++repeated_;
  return again;
}

}  // namespace kiln::lir::ra
