#include "core/mid/lower/lower_division.h"

#include <bit>
#include <optional>

#include "core/mid/analysis/known_bits.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::ValueId;

// n / d = (n * multiplier) >> (32 + shift), the multiplier being multiplier + 2^32 if `add`.
struct UnsignedMagic {
  uint32_t multiplier;
  int shift;
  bool add;
};

// d is neither 0 nor a power of two. With l = ceil(log2 d), the 33-bit multiplier floor(2^(32+l) /
// d) + 1 is always exact; a smaller shift with 32 bits is used if it is exact too.
UnsignedMagic MagicFor(uint32_t d) {
  const int l = 32 - std::countl_zero(d - 1);
  for (int s = 0; s <= l; ++s) {
    // 2^(32+s) can need 64 bits when s = 32; d > 2^31 then, and l = 32.
    const unsigned __int128 power = static_cast<unsigned __int128>(1) << (32 + s);
    const unsigned __int128 m = power / d + 1;
    // Exact for all 32-bit n if m * d - 2^(32+s) <= 2^s.
    if (m * d - power > static_cast<unsigned __int128>(1) << s) continue;
    if (m >> 32 == 0) return {static_cast<uint32_t>(m), s, false};
    if (s == l) return {static_cast<uint32_t>(m), s, true};
  }
  __builtin_unreachable();
}

struct SignedMagic {
  uint32_t multiplier;  // 32 bits, read as signed
  int shift;
};

// For d >= 2 not a power of two: the smallest s with a multiplier m = floor(2^(32+s)/d) + 1 that
// satisfies m * d - 2^(32+s) <= 2^(s+1) (n has 31 bits and a sign).
SignedMagic SignedMagicFor(uint32_t d) {
  for (int s = 0;; ++s) {
    const unsigned __int128 power = static_cast<unsigned __int128>(1) << (32 + s);
    const unsigned __int128 m = power / d + 1;
    if (m * d - power <= static_cast<unsigned __int128>(1) << (s + 1)) {
      return {static_cast<uint32_t>(m), s};
    }
  }
}

class Lowering {
 public:
  explicit Lowering(Module& module) : m_(module), b_(module), replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Visit(id); });
    replace_.Apply(m_);
    return lowered_ > 0;
  }

 private:
  // Returns true if the instruction stays.
  bool Visit(InstId id) {
    replace_.Resolve(m_, id);
    const std::optional<ValueId> lowered = Lower(id);
    if (!lowered.has_value()) return true;
    replace_.Replace(m_.result(id), *lowered);
    ++lowered_;
    return false;
  }

  std::optional<ValueId> Lower(InstId id) {
    const Op op = m_.inst(id).op;
    if (op != Op::kUdiv && op != Op::kUrem && op != Op::kSdiv && op != Op::kSrem &&
        op != Op::kSmod) {
      return std::nullopt;
    }
    const ValueId n = m_.source(id, 0);
    const ValueId divisor = m_.source(id, 1);
    const mir::Type type = m_.value(n).type;
    if (type == mir::Type::kI64) return std::nullopt;
    if (type == mir::Type::kI32) return Divide(op, n, divisor);
    // Overflow and division by zero give the same narrow bits.
    const Op extend = op == Op::kUdiv || op == Op::kUrem ? Op::kZext : Op::kSext;
    const ValueId wide_n = Extend(extend, n);
    const ValueId wide_divisor = Extend(extend, divisor);
    const std::optional<ValueId> wide = Divide(op, wide_n, wide_divisor);
    return b_.Convert(Op::kTrunc, wide.has_value() ? *wide : b_.Emit(op, {wide_n, wide_divisor}),
                      type);
  }

  // Extends a value to 32 bits.
  ValueId Extend(Op op, ValueId v) {
    if (!m_.IsConstant(v)) return b_.Convert(op, v, mir::Type::kI32);
    const mir::Value& value = m_.value(v);
    return b_.Int(static_cast<uint32_t>(op == Op::kSext ? mir::SignExtend(value.type, value.bits)
                                                        : static_cast<int64_t>(value.bits)));
  }

  // Lowers an op of 32 bits; returns nothing if it stays.
  std::optional<ValueId> Divide(Op op, ValueId n, ValueId divisor) {
    const uint32_t d = m_.IsConstant(divisor) ? static_cast<uint32_t>(m_.value(divisor).bits) : 0;
    if (d == 0) {
      if (op == Op::kSmod) return ModuloFrom(n, divisor, b_.Srem(n, divisor));
      return std::nullopt;
    }
    switch (op) {
      case Op::kUdiv: return UnsignedQuotient(n, d);
      case Op::kUrem: return Remainder(n, UnsignedQuotient(n, d), divisor);
      case Op::kSdiv: return SignedQuotient(n, d);
      case Op::kSrem: return Remainder(n, SignedQuotient(n, d), divisor);
      default:
        // The bits below a power of two are the modulo of negative numbers too.
        if (std::has_single_bit(d) && d >> 31 == 0) return b_.And(n, b_.Int(d - 1));
        return ModuloFrom(n, divisor, Remainder(n, SignedQuotient(n, d), divisor));
    }
  }

  ValueId Remainder(ValueId n, ValueId quotient, ValueId divisor) {
    return b_.Isub(n, b_.Imul(quotient, divisor));
  }

  // The modulo has the sign of the divisor: it is the remainder, plus the divisor if the signs
  // differ. The remainder of a division by zero is all ones, and so must the modulo be: -1 + 0. If
  // the divisor is not negative, a negative remainder is the larger one unsigned. If the dividend
  // is not negative, neither is the remainder, and the divisor is added only if it is negative and
  // the remainder is not zero. (Two selects with one test each need no booleans in registers, as
  // one select with both would.)
  ValueId ModuloFrom(ValueId n, ValueId divisor, ValueId r) {
    const ValueId zero = b_.Int(0);
    if ((UpperBound(m_, n) >> 31) == 0 && !m_.IsConstant(divisor)) {
      return b_.Select(b_.Ieq(r, zero), r, b_.Iadd(r, b_.Imin(divisor, zero)));
    }
    const ValueId sum = b_.Iadd(r, divisor);
    if ((UpperBound(m_, divisor) >> 31) == 0) return b_.Umin(r, sum);
    if (m_.IsConstant(divisor)) return b_.Select(b_.Slt(zero, r), sum, r);
    const ValueId differs = b_.Slt(b_.Xor(r, divisor), zero);
    return b_.Select(b_.Ieq(r, zero), r, b_.Select(differs, sum, r));
  }

  ValueId UnsignedQuotient(ValueId n, uint32_t d) {
    if (std::has_single_bit(d)) return Shifted(Op::kUshr, n, std::countr_zero(d));
    const UnsignedMagic magic = MagicFor(d);
    const ValueId high = b_.UmulHigh(n, b_.Int(magic.multiplier));
    if (!magic.add) return Shifted(Op::kUshr, high, magic.shift);
    // high + n needs 33 bits; adding half the difference to high gives the exact half of that sum.
    const ValueId half = b_.Ushr(b_.Isub(n, high), b_.Int(1));
    return Shifted(Op::kUshr, b_.Iadd(half, high), magic.shift - 1);
  }

  ValueId SignedQuotient(ValueId n, uint32_t bits) {
    const bool negative = static_cast<int32_t>(bits) < 0;
    const uint32_t d = negative ? 0 - bits : bits;  // 2^31 for the most negative
    const ValueId q = SignedQuotientByPositive(n, d);
    return negative ? b_.Ineg(q) : q;
  }

  ValueId SignedQuotientByPositive(ValueId n, uint32_t d) {
    if (d == 1) return n;
    const ValueId sign = b_.Ashr(n, b_.Int(31));
    if (std::has_single_bit(d)) {
      // Rounds towards zero: d - 1 is added to negative n first.
      const int k = std::countr_zero(d);
      return b_.Ashr(b_.Iadd(n, b_.Ushr(sign, b_.Int(32 - k))), b_.Int(k));
    }
    const SignedMagic magic = SignedMagicFor(d);
    ValueId high = b_.SmulHigh(n, b_.Int(magic.multiplier));
    // A multiplier with bit 31 set is read as a negative number, 2^32 too small.
    if (static_cast<int32_t>(magic.multiplier) < 0) high = b_.Iadd(high, n);
    return b_.Isub(Shifted(Op::kAshr, high, magic.shift), sign);
  }

  ValueId Shifted(Op op, ValueId v, int amount) {
    return amount == 0 ? v : b_.Emit(op, {v, b_.Int(amount)});
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  int64_t lowered_ = 0;
};

}  // namespace

absl::StatusOr<bool> LowerDivision(Module& module, PassContext&) { return Lowering(module).Run(); }

}  // namespace kiln::mid
