// Values, operands and emission of instruction selection.
#include "core/amd/select/emission.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/select/one_values.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::amd {

namespace flag = isa::opcode_flag;

Emission::Emission(const mir::Module& m, const Abi& abi, uint32_t width)
    : mid::ModuleCursor(m, mid::UniformFor::kScalarRegister),
      m_(m),
      abi_(abi),
      width_(width),
      notes_helpers_(abi.fragment && abi.fragment->helpers == Helpers::kNoted),
      map_(m.values.size()),
      zero_above_(m.values.size()),
      one_value_(FindOneValues(m, divergence())) {
  f_.dispatch_width = static_cast<uint8_t>(width);
  // Most values of MIR become one of LIR, and an instruction that makes it.
  f_.values.reserve(m.values.size());
  f_.insts.reserve(m.values.size());
  f_.operands.reserve(m.operands.size() + m.values.size());
}

lir::Function Emission::Finish() {
  b_.Finish();
  return std::move(f_);
}

// ---- Values.

lir::ValueId Emission::New(LirFile file, int comps) {
  lir::Value v;
  v.file = file;
  v.comps = static_cast<uint16_t>(comps);
  v.elem_bytes = file == kFileM || file == kFileScc ? 0 : 4;
  v.spirv_id = spirv_id();
  return b_.NewValue(v);
}

Operand Emission::Src(mir::ValueId v) const {
  const mir::Value& value = m_.value(v);
  switch (value.kind) {
    case mir::Value::Kind::kConstant: return Imm(static_cast<uint32_t>(value.bits));
    case mir::Value::Kind::kUndef: return Imm(0);
    default: return Given(v);
  }
}

Operand Emission::Half(mir::ValueId v, int half) const {
  const mir::Value& value = m_.value(v);
  switch (value.kind) {
    case mir::Value::Kind::kConstant: return Imm(static_cast<uint32_t>(value.bits >> (32 * half)));
    case mir::Value::Kind::kUndef: return Imm(0);
    default: return Component(Given(v), half);
  }
}

bool Emission::IsZeroAbove(mir::ValueId v) const {
  if (zero_above_[v.index]) return true;
  const auto narrowing = DefinedBy(v, mir::Op::kTrunc);
  if (!narrowing) return false;
  const mir::ValueId whole = m_.source(*narrowing, 0);
  return BitsOf(whole) == 32 && mid::UpperBound(m_, whole) >> BitsOf(v) == 0;
}

uint8_t Emission::OrderOf(mir::InstId id) const {
  return mid::IsPure(m_, id) ? lir::kUnordered : 0;
}

Operand Emission::Widened(mir::ValueId v, bool is_signed) {
  const uint32_t bits = BitsOf(v);
  const Operand o = Src(v);
  if (bits >= 32) return o;
  const uint32_t ones = (1u << bits) - 1;
  // A truncated value may be an immediate of its wider source.
  if (IsImm(o)) {
    const uint32_t low = o.id & ones, sign = 1u << (bits - 1);
    return Imm(is_signed ? (low ^ sign) - sign : low);
  }
  if (!is_signed && IsZeroAbove(v)) return o;
  if (IsIn(o, kFileS)) {
    if (!is_signed) return Salu(Opcode::kSAndB32, {o, Imm(ones)});
    return Salu(bits == 16 ? Opcode::kSSextI32I16 : Opcode::kSSextI32I8, {o});
  }
  if (is_signed) return Valu(Opcode::kVBfeI32, {o, Imm(0), Imm(bits)});
  return Valu(Opcode::kVAndB32, {Imm(ones), o});
}

Operand Emission::Component(const Operand& vector, int comp) const {
  Operand o = vector;
  o.comp = static_cast<uint16_t>(o.comp + comp);
  o.comps = 1;
  return o;
}

Operand Emission::ToV(const Operand& o) {
  if (IsIn(o, kFileV) && o.mods == 0) return o;
  if (o.mods == 0) return Pseudo(kVCopy, kFileV, o.comps, {o});
  // Modifiers are those of operations on floats, which a copy is not. A double's sign is in its
  // last dword.
  constexpr uint32_t kSign = 0x80000000u;
  assert(o.comps <= 2);
  Operand plain = o;
  plain.mods = 0;
  const Operand high = o.comps == 1 ? plain : Component(plain, 1);
  const bool absolute = (o.mods & Operand::kAbsolute) != 0;
  const bool negate = (o.mods & Operand::kNegate) != 0;
  const Operand changed = absolute && negate ? Valu(Opcode::kVOrB32, {Imm(kSign), high})
                          : absolute         ? Valu(Opcode::kVAndB32, {Imm(~kSign), high})
                                             : Valu(Opcode::kVXorB32, {Imm(kSign), high});
  return o.comps == 1 ? changed : Vector({ToV(Component(plain, 0)), changed}, kFileV);
}

Operand Emission::ToS(const Operand& o) {
  if (IsIn(o, kFileS)) return o;
  if (IsImm(o)) return Pseudo(kSCopy, kFileS, 1, {o});
  if (o.comps == 1) return Valu(Opcode::kVReadfirstlaneB32, {o});
  absl::InlinedVector<Operand, 4> parts;
  for (int i = 0; i < o.comps; ++i) parts.push_back(ToS(Component(o, i)));
  return Vector(parts, kFileS);
}

Operand Emission::ToScalar(const Operand& o) { return IsImm(o) ? o : ToS(o); }

Operand Emission::Vector(absl::Span<const Operand> parts, LirFile file) {
  const Operand& first = parts[0];
  bool in_row = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Operand& p = parts[i];
    in_row = in_row && IsIn(p, file) && p.mods == 0 && p.id == first.id && p.comp == first.comp + i;
  }
  if (in_row &&
      (file != kFileS || (first.comp == 0 && f_.value(first.value()).comps == parts.size()))) {
    Operand o = first;
    o.comps = static_cast<uint16_t>(parts.size());
    return o;
  }
  absl::InlinedVector<Operand, 8> uses;
  for (const Operand& p : parts) {
    uses.push_back(!Exists(p) ? lir::NoOperand() : file == kFileV ? ToV(p) : ToS(p));
  }
  const lir::ValueId v = New(file, static_cast<int>(parts.size()));
  const Operand def = Use(v, 0, static_cast<int>(parts.size()));
  EmitRaw(kCollect, absl::MakeConstSpan(&def, 1), uses);
  return def;
}

// ---- Instructions.

namespace {

// Returns true if others see what the instruction does for a lane.
bool HasEffect(Opcode op) {
  const isa::OpcodeInfo& info = isa::Info(op);
  if (info.encoding == isa::Encoding::kExp) return true;
  if (info.encoding == isa::Encoding::kScratch || info.encoding == isa::Encoding::kDs) return false;
  return info.Has(flag::kStore) || info.Has(flag::kAtomic);
}

bool ReadsLanes(const Extra& extra) {
  const auto form = static_cast<isa::Form>(extra.form);
  return form == isa::Form::kDpp16 || form == isa::Form::kDpp8;
}

}  // namespace

lir::InstId Emission::EmitRaw(uint16_t op, absl::Span<const Operand> defs,
                              absl::Span<const Operand> uses, const Extra& extra, uint8_t flags,
                              uint32_t aux) {
  lir::InstFields fields;
  fields.width = static_cast<uint8_t>(width_);
  fields.flags = flags;
  if (ReadsLanes(extra)) fields.flags |= lir::kReadsLanes;
  fields.spirv_id = spirv_id();
  fields.aux = aux;
  if (IsIsaOp(op)) {
    Extra row = extra;
    row.exact = notes_helpers_ && HasEffect(OpcodeOf(op)) ? 1 : 0;
    fields.aux = AddExtra(f_, row);
    // exec is changed around it, by an instruction that writes SCC.
    if (row.exact != 0) {
      absl::InlinedVector<Operand, 4> all(defs.begin(), defs.end());
      // The first definition is tied to the data.
      if (all.empty() && isa::Info(OpcodeOf(op)).Has(flag::kAtomic))
        all.push_back(lir::NoOperand());
      all.push_back(Use(New(kFileScc)));
      return b_.Emit(op, fields, all, uses);
    }
  }
  // Not what reads V, of which only the lanes that are on may be read (v_readfirstlane).
  const bool whole =
      !defs.empty() && IsValue(defs[0]) &&
      (FileOf(defs[0]) == kFileS || FileOf(defs[0]) == kFileScc) &&
      std::none_of(uses.begin(), uses.end(), [&](const Operand& o) { return IsIn(o, kFileV); });
  if (whole) fields.flags |= lir::kNoMask;
  return b_.Emit(op, fields, defs, uses);
}

bool IsInline(uint32_t bits) { return isa::InlineConstant(bits, isa::Type::kB32).has_value(); }

namespace {

bool SameOperand(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.id == b.id && a.comp == b.comp;
}

}  // namespace

// Counts what the instruction would read over the constant bus, and moves to V what is too much:
// sources from the last one on, so that those that must be scalar stay.
void Emission::LegaliseVector(Opcode op, Sources& sources, const Extra& extra) {
  const isa::OpcodeInfo& info = isa::Info(op);
  const auto form = static_cast<isa::Form>(extra.form);
  const bool no_literal = form != isa::Form::kPlain;
  if (info.Has(flag::kVsrc0) || form == isa::Form::kDpp16 || form == isa::Form::kDpp8) {
    sources[0] = ToV(sources[0]);
  }
  if ((form == isa::Form::kDpp16 || form == isa::Form::kDpp8) && sources.size() > 1 &&
      !info.Has(flag::kSsrc1)) {
    sources[1] = ToV(sources[1]);
  }
  const uint64_t scalar_only[] = {flag::kSsrc0, flag::kSsrc1, flag::kSsrc2};
  for (size_t i = 0; i < sources.size() && i < 3; ++i) {
    if (info.Has(scalar_only[i]) && !IsScalar(sources[i])) sources[i] = ToS(sources[i]);
  }
  // 64-bit shifts take one scalar, others two (Mesa 25.0.7, aco_validate.cpp).
  const bool one =
      op == Opcode::kVLshlrevB64 || op == Opcode::kVLshrrevB64 || op == Opcode::kVAshrrevI64;
  size_t bus = one ? 1 : 2;
  absl::InlinedVector<Operand, 4> named;
  if (info.Has(flag::kVccR)) --bus;
  // A mask cannot be moved: the sources before it get what it leaves.
  for (const Operand& o : sources) {
    if (IsIn(o, kFileM)) named.push_back(o);
  }
  // Modifiers stay the instruction's. An immediate double is its high half.
  const auto move_to_v = [&](Operand& o, isa::Type type) {
    const uint8_t mods = std::exchange(o.mods, uint8_t{0});
    o = IsImm(o) && type == isa::Type::kF64 ? Vector({Imm(0), o}, kFileV) : ToV(o);
    o.mods = mods;
  };
  bool literal = false;
  uint32_t literal_bits = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    Operand& o = sources[i];
    if (IsIn(o, kFileM)) continue;
    const isa::Type type = info.src[std::min<size_t>(i, 2)];
    const bool imm = IsImm(o) && !isa::InlineConstant(o.id, type);
    if (!imm && !IsIn(o, kFileS)) continue;
    if (imm && no_literal) {
      move_to_v(o, type);
      continue;
    }
    const bool known = imm ? literal && literal_bits == o.id
                           : std::any_of(named.begin(), named.end(),
                                         [&](const Operand& n) { return SameOperand(n, o); });
    if (known) continue;
    const bool room = named.size() + (literal ? 1 : 0) < bus && !(imm && literal);
    if (!room && !info.Has(scalar_only[std::min<size_t>(i, 2)])) {
      move_to_v(o, type);
      continue;
    }
    if (imm) {
      literal = true;
      literal_bits = o.id;
    } else {
      named.push_back(o);
    }
  }
}

Operand Emission::Valu(Opcode op, std::initializer_list<Operand> given, const Extra& extra,
                       uint8_t flags) {
  Sources sources(given);
  LegaliseVector(op, sources, extra);
  const isa::OpcodeInfo& info = isa::Info(op);
  const int comps = std::max(1, isa::Dwords(info.dst));
  const Operand def = Use(New(info.Has(flag::kSDst) ? kFileS : kFileV, comps), 0, comps);
  EmitRaw(Op(op), absl::MakeConstSpan(&def, 1), sources, extra, flags);
  return def;
}

Operand Emission::Compare(Opcode op, Operand a, Operand b, const Extra& extra) {
  Sources sources = {a, b};
  LegaliseVector(op, sources, extra);
  const Operand def = Use(New(kFileM));
  EmitRaw(Op(op), absl::MakeConstSpan(&def, 1), sources, extra);
  return def;
}

Emission::WithCarry Emission::ValuCarry(Opcode op, Operand a, Operand b, Operand carry_in) {
  Sources sources = {a, b};
  if (Exists(carry_in)) sources.push_back(carry_in);
  LegaliseVector(op, sources, {});
  const int comps = std::max(1, isa::Dwords(isa::Info(op).dst));
  const Operand defs[] = {Use(New(kFileV, comps), 0, comps), Use(New(kFileM))};
  EmitRaw(Op(op), defs, sources);
  return {defs[0], defs[1]};
}

Operand Emission::ValuTied(Opcode op, std::initializer_list<Operand> given, Operand old,
                           const Extra& extra) {
  Sources sources(given);
  LegaliseVector(op, sources, extra);
  while (sources.size() < static_cast<size_t>(kDataUse)) sources.push_back(lir::NoOperand());
  sources.push_back(ToV(old));
  const Operand def = Use(New(kFileV));
  EmitRaw(Op(op), absl::MakeConstSpan(&def, 1), sources, extra);
  return def;
}

// At most one literal: another becomes a register.
void Emission::LegaliseScalar(Sources& sources) {
  bool literal = false;
  uint32_t bits = 0;
  for (Operand& o : sources) {
    if (!IsImm(o) || IsInline(o.id)) continue;
    if (literal && bits != o.id) {
      o = ToS(o);
      continue;
    }
    literal = true;
    bits = o.id;
  }
}

Operand Emission::Salu(Opcode op, std::initializer_list<Operand> given, Operand scc) {
  Sources sources(given);
  LegaliseScalar(sources);
  if (Exists(scc)) sources.push_back(scc);
  const int comps = std::max(1, isa::Dwords(isa::Info(op).dst));
  const Operand def = Use(New(kFileS, comps), 0, comps);
  EmitRaw(Op(op), absl::MakeConstSpan(&def, 1), sources);
  return def;
}

Operand Emission::SaluScc(Opcode op, std::initializer_list<Operand> given) {
  Sources sources(given);
  LegaliseScalar(sources);
  const isa::OpcodeInfo& info = isa::Info(op);
  const Operand scc = Use(New(kFileScc));
  if (info.dst == isa::Type::kN) {
    EmitRaw(Op(op), absl::MakeConstSpan(&scc, 1), sources);
    return scc;
  }
  const int comps = std::max(1, isa::Dwords(info.dst));
  const Operand defs[] = {Use(New(kFileS, comps), 0, comps), scc};
  EmitRaw(Op(op), defs, sources);
  return scc;
}

Emission::WithScc Emission::SaluBoth(Opcode op, std::initializer_list<Operand> given, Operand in) {
  Sources sources(given);
  LegaliseScalar(sources);
  if (Exists(in)) sources.push_back(in);
  const int comps = std::max(1, isa::Dwords(isa::Info(op).dst));
  const Operand defs[] = {Use(New(kFileS, comps), 0, comps), Use(New(kFileScc))};
  EmitRaw(Op(op), defs, sources);
  return {defs[0], defs[1]};
}

Operand Emission::Pseudo(LirOp op, LirFile file, int comps, std::initializer_list<Operand> uses,
                         uint32_t aux) {
  const Operand def = Use(New(file, comps), 0, comps);
  EmitRaw(op, absl::MakeConstSpan(&def, 1), absl::Span<const Operand>(uses.begin(), uses.size()),
          {}, 0, aux);
  return def;
}

// ---- Sequences.

Operand Emission::Add(Operand a, Operand b) {
  if (IsImm(a)) std::swap(a, b);
  if (IsImm(b) && b.id == 0) return a;
  if (IsImm(a) && IsImm(b)) return Imm(a.id + b.id);
  if (IsScalar(a) && IsScalar(b)) return Salu(Opcode::kSAddU32, {a, b});
  return Valu(Opcode::kVAddNcU32, {b, a});
}

Operand Emission::Times(Operand o, uint32_t factor) {
  if (IsImm(o)) return Imm(o.id * factor);
  if (factor == 1) return o;
  const bool power = factor != 0 && (factor & (factor - 1)) == 0;
  uint32_t shift = 0;
  while (power && (1u << shift) != factor) ++shift;
  if (IsScalar(o)) {
    return power ? Salu(Opcode::kSLshlB32, {o, Imm(shift)})
                 : Salu(Opcode::kSMulI32, {o, Imm(factor)});
  }
  return power ? Valu(Opcode::kVLshlrevB32, {Imm(shift), o})
               : Valu(Opcode::kVMulLoU32, {o, Imm(factor)});
}

}  // namespace kiln::amd
