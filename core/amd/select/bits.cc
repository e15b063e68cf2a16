// Selects counts, searches and fields of bits.
#include "core/amd/select/arithmetic.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::amd {

Operand Arithmetic::Bits(mir::InstId id) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0);
  const uint32_t bits = e_.BitsOf(v);
  const bool scalar = IsScalarWork(id);
  const auto one = [&](Opcode salu, Opcode valu, Operand o) {
    return scalar ? e_.Salu(salu, {o}) : e_.Valu(valu, {o});
  };
  switch (m_.inst(id).op) {
    case Op::kBitReverse: {
      const Operand reversed = one(Opcode::kSBrevB32, Opcode::kVBfrevB32, e_.Src(v));
      if (bits == 32) return reversed;
      const Operand rest = Imm(32 - bits);
      return scalar ? e_.Salu(Opcode::kSLshrB32, {reversed, rest})
                    : e_.Valu(Opcode::kVLshrrevB32, {rest, reversed});
    }
    case Op::kBitCount:
      if (scalar) return e_.Salu(Opcode::kSBcnt1I32B32, {e_.Widened(v, false)});
      return e_.Valu(Opcode::kVBcntU32B32, {e_.Widened(v, false), Imm(0)});
    case Op::kFindLsb: return one(Opcode::kSFf1I32B32, Opcode::kVFfblB32, e_.Widened(v, false));
    case Op::kFindUmsb: return HighestBit(id, false);
    case Op::kFindSmsb: return HighestBit(id, true);
    case Op::kUbitfieldExtract: return FieldExtract(id, false);
    case Op::kSbitfieldExtract: return FieldExtract(id, true);
    case Op::kBitfieldInsert: return FieldInsert(id);
    default: return {};
  }
}

// The instructions count from the highest bit, and give -1 if there is no such bit: 31 - n is
// 31 ^ n, and the larger of that and -1 is right for -1 too (31 ^ -1 is -32).
Operand Arithmetic::HighestBit(mir::InstId id, bool is_signed) {
  const Operand x = e_.Widened(m_.source(id, 0), is_signed);
  if (IsScalarWork(id)) {
    const Operand n = e_.Salu(is_signed ? Opcode::kSFlbitI32 : Opcode::kSFlbitI32B32, {x});
    return e_.Salu(Opcode::kSMaxI32, {e_.Salu(Opcode::kSXorB32, {n, Imm(31)}), Imm(~0u)});
  }
  const Operand n = e_.Valu(is_signed ? Opcode::kVFfbhI32 : Opcode::kVFfbhU32, {x});
  return e_.Valu(Opcode::kVMaxI32, {Imm(~0u), e_.Valu(Opcode::kVXorB32, {Imm(31), n})});
}

// Fields of 16-bit numbers are those of the widened ones: offset and count within the width.
// v_bfe uses the low five bits of the count; s_bfe has offset and count in one source.
Operand Arithmetic::FieldExtract(mir::InstId id, bool is_signed) {
  const mir::ValueId v = m_.source(id, 0);
  const uint32_t bits = e_.BitsOf(v);
  const bool scalar = IsScalarWork(id);
  const Operand x = e_.Widened(v, is_signed);
  Operand offset = Source(id, 1), count = Source(id, 2);
  if (IsImm(offset)) offset = Imm(offset.id & (bits - 1));
  if (bits < 32 && !IsImm(offset)) {
    offset = scalar ? e_.Salu(Opcode::kSAndB32, {offset, Imm(bits - 1)})
                    : e_.Valu(Opcode::kVAndB32, {Imm(bits - 1), offset});
  }
  const auto shifted = [&] {
    const Opcode salu = is_signed ? Opcode::kSAshrI32 : Opcode::kSLshrB32;
    const Opcode valu = is_signed ? Opcode::kVAshrrevI32 : Opcode::kVLshrrevB32;
    return scalar ? e_.Salu(salu, {x, offset}) : e_.Valu(valu, {offset, x});
  };
  const auto field = [&] {
    if (!scalar) {
      return e_.Valu(is_signed ? Opcode::kVBfeI32 : Opcode::kVBfeU32, {x, offset, count});
    }
    const bool constant = IsImm(offset) && IsImm(count);
    const Operand place = constant ? Imm(offset.id | count.id << 16)
                                   : e_.Salu(Opcode::kSPackLlB32B16, {offset, e_.ToScalar(count)});
    return e_.Salu(is_signed ? Opcode::kSBfeI32 : Opcode::kSBfeU32, {x, place});
  };
  if (IsImm(count)) {
    if (count.id == 0) return Imm(0);
    return count.id >= bits ? shifted() : field();
  }
  if (mid::UpperBound(m_, m_.source(id, 2)) < bits) return field();
  // A count of all bits or more: what is left of the number.
  const Operand part = field(), all = shifted();
  if (scalar) {
    const Operand small = e_.SaluScc(Opcode::kSCmpLtU32, {count, Imm(bits)});
    return e_.Salu(Opcode::kSCselectB32, {part, all}, small);
  }
  const Operand small = e_.Compare(Opcode::kVCmpGtU32, Imm(bits), count);
  return e_.Valu(Opcode::kVCndmaskB32, {all, part, small});
}

// base & ~mask | insert << offset & mask, of which v_bfi is the last step.
Operand Arithmetic::FieldInsert(mir::InstId id) {
  const uint32_t bits = e_.BitsOf(m_.source(id, 0));
  const bool scalar = IsScalarWork(id);
  const Operand base = Source(id, 0), insert = Source(id, 1), count = Source(id, 3);
  Operand offset = Source(id, 2);
  const auto op = [&](Opcode salu, Opcode valu, Operand a, Operand b) {
    return scalar ? e_.Salu(salu, {a, b}) : e_.Valu(valu, {b, a});
  };
  if (IsImm(offset)) {
    offset = Imm(offset.id & (bits - 1));
  } else if (bits < 32) {
    offset = op(Opcode::kSAndB32, Opcode::kVAndB32, offset, Imm(bits - 1));
  }
  const auto shl = [&](Operand x) {
    if (IsImm(offset) && offset.id == 0) return x;
    return op(Opcode::kSLshlB32, Opcode::kVLshlrevB32, x, offset);
  };
  Operand mask;
  if (IsImm(count) && IsImm(offset)) {
    const uint32_t ones = count.id >= bits ? ~0u : (1u << count.id) - 1;
    mask = Imm(ones << offset.id);
  } else if (IsImm(count) && count.id >= bits) {
    mask = shl(Imm(~0u));
  } else {
    mask = scalar ? e_.Salu(Opcode::kSBfmB32, {count, offset})
                  : e_.Valu(Opcode::kVBfmB32, {count, offset});
    if (!IsImm(count) && mid::UpperBound(m_, m_.source(id, 3)) >= bits) {
      const Operand all = shl(Imm(~0u));
      mask = scalar ? e_.Salu(Opcode::kSCselectB32, {mask, all},
                              e_.SaluScc(Opcode::kSCmpLtU32, {count, Imm(bits)}))
                    : e_.Valu(Opcode::kVCndmaskB32,
                              {all, mask, e_.Compare(Opcode::kVCmpGtU32, Imm(bits), count)});
    }
  }
  const Operand moved = shl(insert);
  if (!scalar) return e_.Valu(Opcode::kVBfiB32, {mask, moved, base});
  const Operand kept = e_.Salu(Opcode::kSAndn2B32, {base, mask});
  return e_.Salu(Opcode::kSOrB32, {kept, e_.Salu(Opcode::kSAndB32, {moved, mask})});
}

}  // namespace kiln::amd
