// Selects booleans: compares, logic, select. emission.h describes their representation.
#include "core/intel/select/bools.h"
#include "core/mir/straight_lines.h"

namespace kiln::intel {

namespace {

struct Comparison {
  CondMod cmod = CondMod::kNone;
  Type type = Type::kD;
};

// Floats: the hardware's conditions are ordered except for .nz, which is true on NaN (opcode table:
// cmp), just as in MIR.
std::optional<Comparison> ComparisonOf(mir::Op op) {
  using mir::Op;
  switch (op) {
    case Op::kIeq: return Comparison{CondMod::kZ, Type::kD};
    case Op::kIne: return Comparison{CondMod::kNz, Type::kD};
    case Op::kSlt: return Comparison{CondMod::kL, Type::kD};
    case Op::kSge: return Comparison{CondMod::kGe, Type::kD};
    case Op::kUlt: return Comparison{CondMod::kL, Type::kUD};
    case Op::kUge: return Comparison{CondMod::kGe, Type::kUD};
    case Op::kFeq: return Comparison{CondMod::kZ, Type::kF};
    case Op::kFne: return Comparison{CondMod::kNz, Type::kF};
    case Op::kFlt: return Comparison{CondMod::kL, Type::kF};
    case Op::kFge: return Comparison{CondMod::kGe, Type::kF};
    default: return std::nullopt;
  }
}

bool IsBool(const mir::Module& m, mir::ValueId v) { return m.value(v).type == mir::Type::kBool; }

// Returns true for a compare of numbers, whose flag can be made where it is needed.
bool IsNumberCompare(const mir::Module& m, mir::ValueId v) {
  if (m.value(v).kind != mir::Value::Kind::kResult) return false;
  const mir::InstId id{m.value(v).owner};
  return ComparisonOf(m.inst(id).op).has_value() && !IsBool(m, m.source(id, 0));
}

bool IsNot(const mir::Module& m, mir::ValueId v) {
  return m.value(v).kind == mir::Value::Kind::kResult &&
         m.inst(mir::InstId(m.value(v).owner)).op == mir::Op::kNot;
}

}  // namespace

// Finds booleans that are stored. A boolean is stored unless every use is in its own line of code,
// needs its flag and can have it: it is a compare of numbers, or a `not` of one.
// (core/mid/rematerialise_compares has already repeated the compares that are worth repeating for
// another line.) Uses follow definitions, so one backward pass is enough.
void Bools::FindStoredBools() {
  stored_.assign(m_.values.size(), false);
  const mir::StraightLines lines(m_);
  std::vector<mir::InstId> order;
  mir::ForEachInst(m_, m_.body, [&](mir::InstId id) { order.push_back(id); });
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const mir::Inst& inst = m_.inst(*it);
    for (int i = 0; i < inst.num_sources; ++i) {
      const mir::ValueId v = m_.source(*it, i);
      if (!IsBool(m_, v)) continue;
      const bool wants_flag = (inst.op == mir::Op::kSelect || inst.op == mir::Op::kIf) && i == 0;
      const bool kills = mir::IsKill(inst.op) && IsNumberCompare(m_, v);
      const bool passes_on = inst.op == mir::Op::kNot && !stored_[m_.result(*it).index];
      const bool at_use = (IsNumberCompare(m_, v) || IsNot(m_, v)) &&
                          lines.Of(mir::InstId(m_.value(v).owner)) == lines.Of(*it);
      if ((!wants_flag && !kills && !passes_on) || !at_use) stored_[v.index] = true;
    }
  }
}

// Returns the comparison's type at the width of the values compared.
Type Bools::CompareType(Type t, mir::ValueId v) const {
  return t == Type::kF ? e_.FloatType(v) : e_.IntType(v, t == Type::kD);
}

// Emits a compare. A comparison of words leaves words, from which the stored boolean is widened.
void Bools::EmitCompare(mir::InstId id, Where where, bool store, bool flag) {
  const mir::Inst& inst = m_.inst(id);
  Comparison c = *ComparisonOf(inst.op);
  c.type = CompareType(c.type, m_.source(id, 0));
  Sources sources;
  for (int i = 0; i < 2; ++i) {
    const mir::ValueId v = m_.source(id, i);
    sources.push_back(IsBool(m_, v) ? StoredBool(v) : e_.Src(v, c.type));
  }
  Extra extra;
  extra.cmod = c.cmod;
  e_.LegaliseSources(Opcode::kCmp, sources, extra);
  lir::InstFields fields = e_.Fields(where);
  fields.cmod = static_cast<uint8_t>(extra.cmod);
  const Operand f = Use(e_.NewF(), Type::kUW);
  if (store) {
    const Operand d = Use(e_.New(where, c.type), c.type);
    e_.EmitRaw(Op(Opcode::kCmp), fields, {d, f}, {sources[0], sources[1]});
    e_.Set(m_.result(id), isa::ByteSize(c.type) == 4
                              ? Retype(d, Type::kD)
                              : e_.Alu(Opcode::kMov, Type::kD, where, {Retype(d, Type::kW)}));
  } else {
    e_.EmitRaw(Op(Opcode::kCmp), fields, {f}, {sources[0], sources[1]});
  }
  if (flag) Keep(m_.result(id), where, Flag{f, false});
}

Bools::Comparands Bools::ComparandsOf(mir::ValueId v) {
  Extra extra;
  Sources sources;
  if (!stored_[v.index] && IsNumberCompare(m_, v)) {
    const mir::InstId id{m_.value(v).owner};
    const Comparison c = *ComparisonOf(m_.inst(id).op);
    const Type t = CompareType(c.type, m_.source(id, 0));
    extra.cmod = c.cmod;
    for (int i = 0; i < 2; ++i) sources.push_back(e_.Src(m_.source(id, i), t));
  } else {
    extra.cmod = CondMod::kNz;
    sources = {StoredBool(v), Imm(0, Type::kD)};
  }
  e_.LegaliseSources(Opcode::kCmp, sources, extra);
  return {extra.cmod, sources[0], sources[1]};
}

Operand Bools::StoredBool(mir::ValueId v) {
  const mir::Value& value = m_.value(v);
  if (value.kind == mir::Value::Kind::kConstant) return Imm(value.bits ? ~0u : 0, Type::kD);
  if (value.kind == mir::Value::Kind::kUndef) return Imm(0, Type::kD);
  return Retype(e_.Given(v), Type::kD);
}

Operand Bools::AnyValue(mir::ValueId v) {
  return m_.value(v).type == mir::Type::kBool ? StoredBool(v) : e_.Src(v, e_.IntType(v, false));
}

Flag Bools::FlagOf(mir::ValueId v, Where where) {
  for (const CachedFlag& c : *flags_) {
    if (c.value == v && c.where == where) return c.flag;
  }
  if (!stored_[v.index] && IsNot(m_, v)) {
    Flag flag = FlagOf(m_.source(mir::InstId(m_.value(v).owner), 0), where);
    flag.inverse = !flag.inverse;
    return flag;
  }
  if (!stored_[v.index] && IsNumberCompare(m_, v)) {
    EmitCompare(mir::InstId(m_.value(v).owner), where, /*store=*/false, /*flag=*/true);
    return flags_->back().flag;
  }
  // Makes the flag from the stored form, or from a constant.
  const Flag flag = e_.CompareFlag(where, CondMod::kNz, StoredBool(v), Imm(0, Type::kD));
  Keep(v, where, flag);
  return flag;
}

void Bools::Keep(mir::ValueId v, Where where, const Flag& flag) {
  if (flags_->size() == kMaxFlags) flags_->erase(flags_->begin());
  flags_->push_back({v, where, flag});
}

absl::Status Bools::VisitBool(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const Where where = e_.WhereOf(result);
  if (ComparisonOf(inst.op)) {
    if (stored_[result.index]) EmitCompare(id, where, /*store=*/true, /*flag=*/true);
    return absl::OkStatus();
  }
  if (inst.op == mir::Op::kNot && !stored_[result.index]) return absl::OkStatus();
  const auto source = [&](int i) { return StoredBool(m_.source(id, i)); };
  switch (inst.op) {
    case mir::Op::kNot:
      e_.Set(result, e_.Alu(Opcode::kNot, Type::kD, where, {source(0)}));
      return absl::OkStatus();
    case mir::Op::kAnd:
      e_.Set(result, e_.Alu(Opcode::kAnd, Type::kD, where, {source(0), source(1)}));
      return absl::OkStatus();
    case mir::Op::kOr:
      e_.Set(result, e_.Alu(Opcode::kOr, Type::kD, where, {source(0), source(1)}));
      return absl::OkStatus();
    case mir::Op::kXor:
      e_.Set(result, e_.Alu(Opcode::kXor, Type::kD, where, {source(0), source(1)}));
      return absl::OkStatus();
    case mir::Op::kSelect: e_.Set(result, SelectOp(id)); return absl::OkStatus();
    default: return e_.Unexpected(inst, "boolean operation not selected");
  }
}

// select(b, 1, 0) and such are the stored boolean, masked.
Operand Bools::SelectOp(mir::InstId id) {
  const mir::ValueId result = m_.result(id);
  const Where where = e_.WhereOf(result);
  const mir::ValueId condition = m_.source(id, 0);
  // Typed as integers, since sel of a float type may flush denormals. Bytes are selected as dwords.
  const Type raw = e_.BitsOf(result) == 16 ? Type::kUW : Type::kUD;
  const auto arm = [&](int i) {
    const mir::ValueId v = m_.source(id, i);
    if (IsBool(m_, v)) return Retype(StoredBool(v), raw);
    return e_.BitsOf(v) == 8 ? conversions_.Widened(v, where, false) : e_.Src(v, raw);
  };
  const Operand if_true = arm(1), if_false = arm(2);
  const bool stored =
      stored_[condition.index] || m_.value(condition).kind != mir::Value::Kind::kResult;
  if (stored && IsImm(if_true) && IsImm(if_false) && if_false.id == 0) {
    return e_.Alu(Opcode::kAnd, raw, where, {Retype(StoredBool(condition), raw), if_true});
  }
  const Flag flag = FlagOf(condition, where);
  return e_.SelectByFlag(where, raw, flag, if_true, if_false);
}

}  // namespace kiln::intel
