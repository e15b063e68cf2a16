// Short sequences that several rooms of selection share.
#include "core/intel/select/emission.h"

namespace kiln::intel {

Operand Emission::MinMax(Where where, Type t, bool max, Operand a, Operand b) {
  Extra extra;
  extra.cmod = max ? CondMod::kGe : CondMod::kL;
  return Alu(Opcode::kSel, t, where, {a, b}, extra);
}

Operand Emission::SelectByFlag(Where where, Type t, const Flag& flag, Operand if_true,
                               Operand if_false) {
  Extra extra;
  extra.predicate = flag;
  return Alu(Opcode::kSel, t, where, {if_true, if_false}, extra);
}

Flag Emission::CompareFlag(Where where, CondMod cmod, Operand a, Operand b) {
  Sources sources = {a, b};
  Extra extra;
  extra.cmod = cmod;
  LegaliseSources(Opcode::kCmp, sources, extra);
  lir::InstFields fields = Fields(where);
  fields.cmod = static_cast<uint8_t>(extra.cmod);
  const Operand f = Use(NewF(), Type::kUW);
  EmitRaw(Op(Opcode::kCmp), fields, {f}, {sources[0], sources[1]});
  return Flag{f, false};
}

Operand Emission::CompareStored(Where where, CondMod cmod, Type t, Operand a, Operand b) {
  Sources sources = {a, b};
  Extra extra;
  extra.cmod = cmod;
  LegaliseSources(Opcode::kCmp, sources, extra);
  lir::InstFields fields = Fields(where);
  fields.cmod = static_cast<uint8_t>(extra.cmod);
  const Operand d = Use(New(where), t);
  EmitRaw(Op(Opcode::kCmp), fields, {d, Use(NewF(), Type::kUW)}, {sources[0], sources[1]});
  return Retype(d, Type::kD);
}

Operand Emission::Offset(Operand base, uint32_t bytes, Where where) {
  if (bytes == 0) return base;
  if (IsImm(base)) return Imm(base.id + bytes, Type::kUD);
  return Alu(Opcode::kAdd, Type::kD, where, {Retype(base, Type::kD), Imm(bytes, Type::kD)});
}

Operand Emission::Payload(absl::Span<const Operand> parts) {
  const auto comps = static_cast<uint16_t>(parts.size());
  if (comps == 1) return parts[0];
  bool together = true;
  for (size_t i = 1; i < parts.size(); ++i) {
    together = together && parts[i].id == parts[0].id && parts[i].comp == parts[0].comp + i;
  }
  if (together) {
    Operand all = parts[0];
    all.comps = comps;
    return all;
  }
  const lir::ValueId v = NewG(comps);
  const Operand def = Def(v, Type::kUD);
  lir::InstFields fields = Fields(Where::kLanes);
  b_.Emit(kCollect, fields, absl::Span<const Operand>(&def, 1), parts);
  return def;
}

Operand Emission::LanePart(const Operand& o, int lanes, int group) {
  lir::InstFields fields = UniformFields(lanes);
  fields.group = static_cast<uint8_t>(group);
  const lir::ValueId part = NewRegisters(lanes / 8);
  EmitRaw(Op(Opcode::kMov), fields, {Def(part, Type::kUD)}, {o});
  return Def(part, Type::kUD);
}

Operand Emission::Component(const Operand& response, int i) const {
  return Use(response.value(), Type::kUD, FileOf(response) == kFileG ? i : 8 * i);
}

// If the result may differ from that of lanes that were here before (in another iteration of a
// loop), each lane keeps its own.
void Emission::SetAnswer(mir::ValueId result, const Operand& o) {
  const bool lanes = !IsUniform(result) && FileOf(o) != kFileG;
  Set(result, lanes ? Mov(Type::kUD, Where::kLanes, o) : o);
}

}  // namespace kiln::intel
