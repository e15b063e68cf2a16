// Selects conversions between types and widths, and the packing of words into dwords.
//
// Narrowing an integer names its low part, widening is a move. A conversion to half or to a short
// integer writes every second word (or fourth byte): conversions between half and integer must do
// so (EU verifier, "half to integer"), and those from single would otherwise take 8 lanes at a time
// ("mixed float width"). Bytes and halfs convert by way of words and singles; the EU has no move
// for it (PRM volume 2a, mov).
#include "core/intel/select/conversions.h"

namespace kiln::intel {

// Returns the integer widened to 32 bits.
Operand Conversions::Widened(mir::ValueId v, Where where, bool is_signed) {
  const Type wide = is_signed ? Type::kD : Type::kUD;
  const Operand o = e_.Src(v, e_.IntType(v, is_signed));
  if (e_.BitsOf(v) == 32) return o;
  if (!IsImm(o)) return e_.Alu(Opcode::kMov, wide, where, {o});
  const auto word = static_cast<uint16_t>(o.id);
  return Imm(is_signed ? static_cast<uint32_t>(static_cast<int16_t>(word)) : word, wide);
}

Operand Conversions::ToHalf(Where where, Operand source) {
  Extra extra;
  extra.strided = true;
  return e_.Alu(Opcode::kMov, Type::kHF, where, {source}, extra);
}

// Returns x's byte or word at these bits of its dword, or none if the bits are no such part.
std::optional<Operand> Conversions::PartOf(mir::ValueId x, uint64_t first_bit, uint64_t bits,
                                           bool is_signed) const {
  Operand o = e_.Src(x, Type::kUD);
  const bool dword = IsValue(o) && o.mods == 0 && o.sub == 0 &&
                     f_.value(o.value()).elem_bytes == 4 && e_.BitsOf(x) == 32;
  if (!dword || first_bit % bits != 0 || first_bit + bits > 32) return std::nullopt;
  if (bits == 8) {
    o.type = static_cast<uint8_t>(is_signed ? Type::kB : Type::kUB);
  } else if (bits == 16) {
    o.type = static_cast<uint8_t>(is_signed ? Type::kW : Type::kUW);
  } else {
    return std::nullopt;
  }
  o.sub = static_cast<uint8_t>(first_bit / 8);
  return o;
}

// Returns the byte or word whose widening v, of 32 bits, is: masks, shifts and bit fields that take
// one out of a dword, and widened values.
std::optional<Operand> Conversions::NarrowPart(mir::ValueId v) const {
  using mir::Op;
  if (e_.BitsOf(v) != 32 || m_.value(v).kind != mir::Value::Kind::kResult) return std::nullopt;
  const mir::InstId def{m_.value(v).owner};
  const auto source = [&](int i) { return m_.source(def, i); };
  const auto constant = [&](int i) -> uint64_t {
    return m_.IsConstant(source(i)) ? m_.value(source(i)).bits : ~uint64_t{0};
  };
  switch (m_.inst(def).op) {
    case Op::kZext:
    case Op::kSext: {
      const Operand o = e_.Src(source(0), e_.IntType(source(0), m_.inst(def).op == Op::kSext));
      if (IsImm(o)) return std::nullopt;
      return o;
    }
    case Op::kAnd: {
      const uint64_t bits = constant(1) == 0xff ? 8 : constant(1) == 0xffff ? 16 : 0;
      if (bits == 0) return std::nullopt;
      if (const auto shift = e_.DefinedBy(source(0), Op::kUshr)) {
        const mir::ValueId count = m_.source(*shift, 1);
        if (m_.IsConstant(count)) {
          const auto part = PartOf(m_.source(*shift, 0), m_.value(count).bits & 31, bits, false);
          if (part) return part;
        }
      }
      return PartOf(source(0), 0, bits, false);
    }
    case Op::kUshr:
    case Op::kAshr: {
      const uint64_t first = constant(1);
      if (first != 16 && first != 24) return std::nullopt;
      return PartOf(source(0), first, 32 - first, m_.inst(def).op == Op::kAshr);
    }
    case Op::kUbitfieldExtract:
    case Op::kSbitfieldExtract: {
      const uint64_t bits = constant(2);
      if ((bits != 8 && bits != 16) || constant(1) > 24) return std::nullopt;
      return PartOf(source(0), constant(1), bits, m_.inst(def).op == Op::kSbitfieldExtract);
    }
    default: return std::nullopt;
  }
}

Operand Conversions::IntToFloat(mir::InstId id, Where where, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  Operand source = e_.ToRegister(e_.Src(v, e_.IntType(v, is_signed)));
  const auto part = NarrowPart(v);
  const bool half = e_.FloatType(m_.result(id)) == Type::kHF;
  if (part && (is_signed || !isa::IsSigned(static_cast<Type>(part->type))) &&
      (!half || isa::ByteSize(static_cast<Type>(part->type)) == 2)) {
    source = *part;
  }
  if (!half) return e_.Alu(Opcode::kMov, Type::kF, where, {source});
  if (e_.BitsOf(v) == 8) {
    source = e_.Alu(Opcode::kMov, is_signed ? Type::kW : Type::kUW, where, {source});
  }
  return ToHalf(where, source);
}

Operand Conversions::FloatToInt(mir::InstId id, Where where, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  const Type to = e_.IntType(m_.result(id), is_signed);
  Operand source = e_.ToRegister(e_.Src(v, e_.FloatType(v)));
  if (isa::ByteSize(to) == 1 && e_.FloatType(v) == Type::kHF) {
    source = e_.Alu(Opcode::kMov, Type::kF, where, {source});
  }
  Extra extra;
  extra.strided = true;
  return e_.Alu(Opcode::kMov, to, where, {source}, extra);
}

Operand Conversions::IntToInt(mir::InstId id, Where where, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  if (e_.BitsOf(m_.result(id)) == 32) return Widened(v, where, is_signed);
  return e_.Alu(Opcode::kMov, is_signed ? Type::kW : Type::kUW, where,
                {e_.Src(v, e_.IntType(v, is_signed))});
}

// Returns the low part, also of a dword that is shifted to the right.
Operand Conversions::Truncated(mir::InstId id) const {
  const mir::ValueId v = m_.source(id, 0);
  for (mir::Op op : {mir::Op::kUshr, mir::Op::kAshr}) {
    const auto shift = e_.DefinedBy(v, op);
    if (!shift || !m_.IsConstant(m_.source(*shift, 1)) || e_.BitsOf(v) != 32) continue;
    const auto part = PartOf(m_.source(*shift, 0), m_.value(m_.source(*shift, 1)).bits & 31,
                             e_.BitsOf(m_.result(id)), false);
    if (part) return *part;
  }
  return e_.Src(v, e_.IntType(v, false));
}

Operand Conversions::Conversion(mir::InstId id, Where where) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0);
  switch (m_.inst(id).op) {
    case Op::kBitcast: return e_.Src(v, e_.IntType(v, false));
    case Op::kTrunc: return Truncated(id);
    case Op::kZext: return IntToInt(id, where, false);
    case Op::kSext: return IntToInt(id, where, true);
    case Op::kF2i: return FloatToInt(id, where, true);
    case Op::kF2u: return FloatToInt(id, where, false);
    case Op::kI2f: return IntToFloat(id, where, true);
    case Op::kU2f: return IntToFloat(id, where, false);
    case Op::kF2f: {
      const Operand source = e_.ToRegister(e_.Src(v, e_.FloatType(v)));
      if (e_.FloatType(m_.result(id)) == Type::kHF) return ToHalf(where, source);
      return e_.Alu(Opcode::kMov, Type::kF, where, {source});
    }
    case Op::kF16f: {
      const auto part = NarrowPart(v);
      const bool word = part && isa::ByteSize(static_cast<Type>(part->type)) == 2;
      return e_.Alu(Opcode::kMov, Type::kF, where,
                    {word ? Retype(*part, Type::kHF) : e_.ToRegister(e_.Src(v, Type::kHF))});
    }
    case Op::kF2f16: {
      const Operand half = Use(e_.New(where), Type::kUD);
      e_.EmitRaw(kF2f16, e_.Fields(where), {half}, {e_.ToRegister(e_.Src(v, Type::kF))});
      return half;
    }
    default: return {};
  }
}

// Returns a part of a pack that holds this value of 16 bits: a single that is rounded to half can
// be used for its result.
Operand Conversions::WordPart(mir::ValueId v) const {
  mir::ValueId half = v;
  if (const auto cast = e_.DefinedBy(half, mir::Op::kBitcast)) half = m_.source(*cast, 0);
  if (const auto rounded = e_.DefinedBy(half, mir::Op::kF2f)) {
    const mir::ValueId single = m_.source(*rounded, 0);
    if (!m_.IsConstant(single)) return e_.Src(single, Type::kF);
  }
  return e_.Src(v, Type::kUW);
}

// Returns the low word of a value of 32 bits, or none if the rest is needed. With `rest_is_zero`,
// the high word must be known to be 0.
Operand Conversions::LowWord(mir::ValueId v, bool rest_is_zero) const {
  if (const auto wide = e_.DefinedBy(v, mir::Op::kZext)) {
    if (e_.BitsOf(m_.source(*wide, 0)) == 16) return WordPart(m_.source(*wide, 0));
  }
  if (const auto rounded = e_.DefinedBy(v, mir::Op::kF2f16)) {
    const mir::ValueId single = m_.source(*rounded, 0);
    if (!m_.IsConstant(single)) return e_.Src(single, Type::kF);
  }
  if (const auto masked = e_.DefinedBy(v, mir::Op::kAnd)) {
    const mir::ValueId mask = m_.source(*masked, 1);
    if (m_.IsConstant(mask) && m_.value(mask).bits == 0xffff) {
      return e_.Src(m_.source(*masked, 0), Type::kUW);
    }
  }
  return rest_is_zero ? Operand() : e_.Src(v, Type::kUW);
}

// Selects low | high << 16 as two moves into halves of a dword.
Operand Conversions::PackedWords(mir::InstId id, Where where) {
  for (int i = 0; i < 2; ++i) {
    const auto shift = e_.DefinedBy(m_.source(id, 1 - i), mir::Op::kShl);
    if (!shift || !m_.IsConstant(m_.source(*shift, 1)) ||
        (m_.value(m_.source(*shift, 1)).bits & 31) != 16) {
      continue;
    }
    const Operand low = LowWord(m_.source(id, i), true);
    if (low.kind == Operand::Kind::kNone) continue;
    return Packed(where, {low, LowWord(m_.source(*shift, 0), false)});
  }
  return {};
}

// Packs two words or four bytes into one dword, the first lowest.
Operand Conversions::Packed(Where where, std::vector<Operand> parts) {
  const Operand& first = parts[0];
  const auto step = static_cast<int>(4 / parts.size());
  bool together = IsValue(first) && first.sub == 0 && static_cast<Type>(first.type) != Type::kF &&
                  f_.value(first.value()).elem_bytes == 4 &&
                  (e_.FileOf(first) == kFileG) == (where == Where::kLanes);
  for (size_t i = 1; i < parts.size(); ++i) {
    together = together && parts[i].kind == first.kind && parts[i].id == first.id &&
               parts[i].comp == first.comp && parts[i].sub == step * static_cast<int>(i) &&
               static_cast<Type>(parts[i].type) != Type::kF;
  }
  if (together) return Retype(first, Type::kUD);
  if (step == 1) {
    for (Operand& o : parts) o = Retype(e_.ToRegister(o), Type::kUB);  // no byte immediates
  }
  const Operand dword = Use(e_.New(where), Type::kUD);
  EmitPack(where, dword, parts);
  return dword;
}

void Conversions::EmitPack(Where where, const Operand& def, absl::Span<const Operand> parts) {
  b_.Emit(kPack, e_.Fields(where), absl::Span<const Operand>(&def, 1), parts);
}

}  // namespace kiln::intel
