// Values, operands and emission of instruction selection.
//
// Operand rules applied here (BSpec "EU instruction formats"; the same hold in Mesa's binaries): an
// immediate is allowed only in the last source of one- and two-source instructions, never in math;
// in three-source instructions in the first, if 16 bits hold it (ShortImmediate).
#include "core/intel/select/emission.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/half.h"
#include "core/mir/immediates.h"

namespace kiln::intel {

Emission::Emission(const mir::Module& m, const Abi& abi, const WidthAbi& at_width)
    : mid::ModuleCursor(m, mid::UniformFor::kOneRegister),
      m_(m),
      abi_(abi),
      at_width_(at_width),
      width_(at_width.width),
      map_(m.values.size()) {
  f_.dispatch_width = static_cast<uint8_t>(at_width.width);
}

lir::Function Emission::Finish() {
  b_.Finish();
  return std::move(f_);
}

lir::ValueId Emission::NewG(int comps, int elem_bytes) {
  lir::Value v;
  v.file = kFileG;
  v.comps = static_cast<uint16_t>(comps);
  v.elem_bytes = static_cast<uint8_t>(elem_bytes);
  v.spirv_id = spirv_id();
  return b_.NewValue(v);
}

lir::ValueId Emission::NewU() {
  lir::Value v;
  v.file = kFileU;
  v.spirv_id = spirv_id();
  return b_.NewValue(v);
}

lir::ValueId Emission::NewRegisters(int registers) {
  lir::Value v;
  v.file = kFileU;
  v.comps = static_cast<uint16_t>(8 * registers);
  v.whole_registers = true;
  v.spirv_id = spirv_id();
  return b_.NewValue(v);
}

lir::ValueId Emission::NewF() {
  lir::Value v;
  v.file = kFileF;
  v.elem_bytes = 0;
  v.spirv_id = spirv_id();
  return b_.NewValue(v);
}

uint32_t Emission::BitsOf(mir::ValueId v) const {
  const mir::Type t = m_.value(v).type;
  return t == mir::Type::kBool ? 32 : mir::BitsOf(t);
}

Type Emission::IntType(mir::ValueId v, bool is_signed) const {
  switch (BitsOf(v)) {
    case 8: return is_signed ? Type::kB : Type::kUB;
    case 16: return is_signed ? Type::kW : Type::kUW;
    default: return is_signed ? Type::kD : Type::kUD;
  }
}

namespace {

// There are no immediates of byte type.
Operand Constant(uint64_t bits, Type t) {
  const auto low = static_cast<uint32_t>(bits);
  switch (t) {
    case Type::kUB: return lir::ImmOperand(low & 0xff, static_cast<uint8_t>(Type::kUW));
    case Type::kB:
      return lir::ImmOperand(static_cast<uint16_t>(static_cast<int8_t>(low)),
                             static_cast<uint8_t>(Type::kW));
    default: return lir::ImmOperand(low, static_cast<uint8_t>(t));
  }
}

}  // namespace
Operand Emission::Src(mir::ValueId v, Type t) const {
  const mir::Value& value = m_.value(v);
  switch (value.kind) {
    case mir::Value::Kind::kConstant: return Constant(value.bits, t);
    case mir::Value::Kind::kUndef: return Constant(0, t);
    default: break;
  }
  const Operand& o = map_[v.index];
  assert(o.kind != Operand::Kind::kNone);
  return IsImm(o) ? Constant(o.id, t) : Retype(o, t);
}

// Constants are made at the start of the program: they take a dword each, and allocation
// rematerialises them if registers are short.
Operand Emission::ToRegister(const Operand& o) {
  if (!IsImm(o)) return o;
  auto [it, added] = constants_.try_emplace(o.id);
  if (added) {
    it->second = NewU();
    const lir::SelectionBuilder::Prologue prologue(b_);
    EmitRaw(Op(Opcode::kMov), Fields(Where::kUniform), {Use(it->second, Type::kUD)},
            {Imm(o.id, Type::kUD)});
  }
  Operand r = Use(it->second, static_cast<Type>(o.type));
  r.mods = o.mods;
  return r;
}

// The bits above a shorter value in its dword do not matter to messages that take payloads.
Operand Emission::ToLanes(const Operand& o) {
  const bool plain = IsValue(o) && o.mods == 0 && o.sub == 0 && FileOf(o) == kFileG &&
                     f_.value(o.value()).elem_bytes == 4;
  if (plain) return Retype(o, Type::kUD);
  Operand source = o;
  const int bytes = isa::ByteSize(static_cast<Type>(o.type));
  if (IsImm(o) || (o.mods == 0 && bytes == 4)) {
    source = Retype(o, Type::kUD);
  } else if (bytes < 4) {
    assert(o.mods == 0);
    source = Retype(o, bytes == 1 ? Type::kUB : Type::kUW);
  }
  return Alu(Opcode::kMov, Type::kUD, Where::kLanes, {source});
}

lir::InstFields Emission::Fields(Where where) const {
  lir::InstFields fields;
  fields.width = static_cast<uint8_t>(where == Where::kLanes ? width_ : 1);
  if (where == Where::kUniform) fields.flags = lir::kNoMask;
  fields.spirv_id = spirv_id();
  return fields;
}

lir::InstFields Emission::UniformFields(int lanes) const {
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = static_cast<uint8_t>(lanes);
  return fields;
}

void Emission::EmitRaw(uint16_t op, const lir::InstFields& fields,
                       std::initializer_list<Operand> defs, std::initializer_list<Operand> uses) {
  b_.Emit(op, fields, defs, uses);
}

namespace {

CondMod Mirrored(CondMod c) {
  switch (c) {
    case CondMod::kG: return CondMod::kL;
    case CondMod::kGe: return CondMod::kLe;
    case CondMod::kL: return CondMod::kG;
    case CondMod::kLe: return CondMod::kGe;
    default: return c;
  }
}

// Returns true if sources 0 and 1 may be swapped; changes the condition if that is needed.
bool SwapSources(Opcode op, Extra& extra) {
  switch (op) {
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return true;
    case Opcode::kCmp: extra.cmod = Mirrored(extra.cmod); return true;
    case Opcode::kSel:
      if (extra.predicate) extra.predicate->inverse = !extra.predicate->inverse;
      return true;  // min and max (sel with a condition) are symmetric
    default: return false;
  }
}

// Returns the 16 bits that represent an immediate in the first source of a three-source
// instruction, if there are any: rule "three-source immediate" of the EU verifier.
std::optional<Operand> ShortImmediate(Opcode op, const Operand& o) {
  if (!IsImm(o) || o.mods != 0) return std::nullopt;
  const auto t = static_cast<Type>(o.type);
  if (op == Opcode::kMad && t == Type::kHF) return o;
  if (op == Opcode::kMad && t == Type::kF) {
    const std::optional<uint16_t> half = ExactHalf(o.id);
    return half ? std::optional(Imm(*half, Type::kHF)) : std::nullopt;
  }
  if (op == Opcode::kBfe && o.id <= 0x7fff) {
    return Imm(o.id, isa::IsSigned(t) ? Type::kW : Type::kUW);
  }
  return std::nullopt;
}

}  // namespace
void Emission::LegaliseSources(Opcode op, Sources& sources, Extra& extra) {
  const isa::Format format = isa::Info(op).format;
  if (format == isa::Format::kTernary || format == isa::Format::kMath) {
    const std::optional<Operand> first = ShortImmediate(op, sources[0]);
    for (Operand& o : sources) o = &o == &sources[0] && first ? *first : ToRegister(o);
    return;
  }
  if (sources.size() == 1) {
    if (op != Opcode::kMov) sources[0] = ToRegister(sources[0]);
    return;
  }
  if (!IsImm(sources[0])) return;
  if (!IsImm(sources[1]) && SwapSources(op, extra)) {
    std::swap(sources[0], sources[1]);
  } else {
    sources[0] = ToRegister(sources[0]);
  }
}

Operand Emission::Alu(Opcode op, Type t, Where where, std::initializer_list<Operand> given,
                      const Extra& given_extra) {
  Sources sources(given);
  Extra extra = given_extra;
  LegaliseSources(op, sources, extra);
  lir::InstFields fields = Fields(where);
  fields.cmod = static_cast<uint8_t>(extra.cmod);
  if (extra.saturate) fields.flags |= lir::kSaturate;
  if (extra.predicate) {
    fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    if (extra.predicate->inverse) fields.flags |= lir::kPredicateInverse;
    sources.push_back(extra.predicate->operand);
  }
  // Three-source instructions write at multiples of 8 bytes only: a uniform result takes a pair of
  // dwords, the first of which is used.
  const bool pair = where == Where::kUniform && isa::Info(op).format == isa::Format::kTernary;
  const lir::ValueId result = New(where, extra.strided ? Type::kUD : t);
  if (pair) f_.value(result).comps = 2;
  const Operand def = Def(result, t);
  b_.Emit(Op(op), fields, absl::Span<const Operand>(&def, 1), sources);
  return Use(result, t);
}

Operand Emission::Math(MathFunction fn, Type t, Where where, Operand a, Operand b) {
  lir::InstFields fields = Fields(where);
  fields.aux = static_cast<uint32_t>(fn);
  const Operand def = Use(New(where, t), t);
  if (b.kind == Operand::Kind::kNone) {
    EmitRaw(Op(Opcode::kMath), fields, {def}, {ToRegister(a)});
  } else {
    const Operand a_register = ToRegister(a);
    EmitRaw(Op(Opcode::kMath), fields, {def}, {a_register, ToRegister(b)});
  }
  return def;
}

}  // namespace kiln::intel
