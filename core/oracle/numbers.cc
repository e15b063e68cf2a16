#include "core/oracle/numbers.h"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "core/base/float_bits.h"
#include "core/mir/semantics.h"

namespace kiln::oracle {
namespace {

namespace semantics = mir::semantics;
using mir::InstId;
using mir::Op;
using mir::Type;
using mir::Value;
using mir::ValueId;

// Returns the angle of an argument in radians with LaunchInputs::angles_in_turns.
double AngleByTurns(double a) {
  constexpr float kTurn = 0.15915494f;  // 1 / 2 pi
  constexpr float kMaxTurns = 256;
  const float turns = static_cast<float>(a) * kTurn;
  if (std::fabs(turns) > kMaxTurns && std::isfinite(turns)) return 0;
  return 2 * std::numbers::pi * (double{turns} - std::trunc(turns));
}

// Ops whose accuracy depends on the target.
template <class Visitor>
bool VisitApproximate(Op op, Type type, semantics::Flush flush, bool by_turns, Visitor&& v) {
  double (*f)(double) = nullptr;
  switch (op) {
    case Op::kFrsq: f = [](double a) { return 1.0 / std::sqrt(a); }; break;
    case Op::kFexp2: f = [](double a) { return std::exp2(a); }; break;
    case Op::kFlog2: f = [](double a) { return std::log2(a); }; break;
    case Op::kFsin:
      f = [](double a) { return std::sin(a); };
      if (by_turns) f = [](double a) { return std::sin(AngleByTurns(a)); };
      break;
    case Op::kFcos:
      f = [](double a) { return std::cos(a); };
      if (by_turns) f = [](double a) { return std::cos(AngleByTurns(a)); };
      break;
    case Op::kFpow: break;
    default: return false;
  }
  semantics::VisitFloat(type, flush, [&](auto precision) {
    using F = decltype(precision);
    using U = typename F::U;
    if (op == Op::kFpow) {
      v([](U a, U b) { return F::OutDouble(std::pow(double{F::In(a)}, double{F::In(b)})); });
    } else {
      v([=](U a) { return F::OutDouble(f(F::In(a))); });
    }
  });
  return true;
}

// The bits of a quiet NaN that arithmetic may set freely: the sign and all below the quiet bit.
// Source: Vulkan specification, "Precision and Operation of SPIR-V Instructions", which requires
// neither sign nor payload.
uint64_t NanBits(Type type) {
  return type == Type::kF16 ? 0x81ff : type == Type::kF32 ? 0x803fffff : 0x8007ffffffffffff;
}

bool IsDivision(Op op) {
  return op == Op::kUdiv || op == Op::kSdiv || op == Op::kUrem || op == Op::kSrem ||
         op == Op::kSmod;
}

// Returns true if a sum or product of doubles is not rounded. The errors of sums and products are
// doubles themselves, except of products near the least number, which count as rounded. A
// multiply-add is exact if product and sum are.
bool IsExact(Op op, double a, double b, double c, double result) {
  const auto exact_sum = [](double x, double y, double sum) {
    const double y_part = sum - x;
    return (x - (sum - y_part)) + (y - y_part) == 0;  // Knuth's TwoSum
  };
  const auto exact_product = [](double x, double y, double product) {
    return std::fma(x, y, -product) == 0 && (product == 0 || std::fabs(product) > 0x1p-900);
  };
  switch (op) {
    case Op::kFadd: return exact_sum(a, b, result);
    case Op::kFsub: return exact_sum(a, -b, result);
    case Op::kFmul: return exact_product(a, b, result);
    default: return exact_product(a, b, a * b) && exact_sum(a * b, c, result);
  }
}

// Units in the last place by which targets may differ in ops of doubles. Division and square root
// are rounded correctly; sums and products may be contracted.
double AllowedUlpsOfDouble(Op op, double a, double b, double c, double result) {
  const bool sum = op == Op::kFadd || op == Op::kFsub || op == Op::kFmul || op == Op::kFfma;
  return sum && !IsExact(op, a, b, c, result) ? 1 : 0;
}

// Units in the last place by which targets may differ; 0 if the result is exact.
// Source: Vulkan specification, "Precision and Operation of SPIR-V Instructions"; sine and cosine
// are held to less than the absolute error of 2^-11 that it allows.
double AllowedUlps(Op op, double a, double b, double c, double result) {
  switch (op) {
    case Op::kFadd: return a + b == result ? 0 : 1;
    case Op::kFsub: return a - b == result ? 0 : 1;
    case Op::kFmul: return a * b == result ? 0 : 1;
    case Op::kFfma: return a * b + c == result ? 0 : 1;
    // By a power of two the quotient is exact on every target; by another number a product with
    // the rounded reciprocal is not, where its sum with something else is rounded once.
    case Op::kFdiv: {
      int exponent = 0;
      if (b * result != a) return 2.5;
      return std::fabs(std::frexp(b, &exponent)) == 0.5 ? 0 : 1;
    }
    case Op::kFrcp: return a * result == 1 ? 0 : 2.5;
    case Op::kFsqrt: return result * result == a ? 0 : 3;
    case Op::kFexp2: return a == std::floor(a) ? 0 : 3 + 2 * std::fabs(a);
    case Op::kFpow: return 3 + 4 * std::fabs(std::log2(std::fabs(result)));
    case Op::kFlog2: return a < 0.5 || a > 2 ? 3 : 3 + 4 / std::fabs(result);
    case Op::kFsin:
    case Op::kFcos: return 4 + 2 / std::fabs(result);
    default: return 2;
  }
}

}  // namespace

Rounding::Rounding(bool to_zero) : before_(std::fegetround()) {
  std::fesetround(to_zero ? FE_TOWARDZERO : FE_TONEAREST);
}

Rounding::~Rounding() { std::fesetround(before_); }

double ToDouble(Type type, uint64_t bits) {
  if (type == Type::kF64) return AsDouble(bits);
  const uint32_t x = static_cast<uint32_t>(bits);
  return AsFloat(type == Type::kF16 ? semantics::HalfToFloat(x) : x);
}

bool MayMove(Type type, uint64_t bits, uint32_t least) {
  const uint32_t x = static_cast<uint32_t>(bits);
  if (type == Type::kF64) return ((bits >> 52) & 2047) >= least && ((bits >> 52) & 2047) < 2046;
  if (type == Type::kF16) return ((x >> 10) & 31) >= std::min(least, 4u) && ((x >> 10) & 31) < 30;
  return ((x >> 23) & 255) >= least && ((x >> 23) & 255) < 254;
}

bool Numbers::Exec(InstId id, const BitSet& active) {
  const Op op = m_.inst(id).op;
  if (op == Op::kSelect && ChoosesUndefined(id, active)) return true;
  if (in_.perturb_seed != 0 && (Perturbed(id, op) || (!IsDivision(op) && Exact(id)))) {
    Loosen(id);
    return true;
  }
  if (IsDivision(op)) {
    Exact(id);
    UndefineQuotients(id, active);
    return true;
  }
  return Exact(id) || Approximate(id);
}

bool Numbers::Exact(InstId id) {
  return semantics::VisitExact(m_.inst(id).op, e_.TypeOf(m_.result(id)),
                               e_.TypeOf(m_.source(id, 0)), e_.flush,
                               [&](auto f) { ForLanes(id, f); });
}

bool Numbers::Approximate(InstId id) {
  return VisitApproximate(m_.inst(id).op, e_.TypeOf(m_.result(id)), e_.flush, in_.angles_in_turns,
                          [&](auto f) { ForLanes(id, f); });
}

template <class F>
void Numbers::ForLanes(InstId id, F f) {
  using U = uint64_t;
  const uint32_t n = e_.lanes;
  U* r = e_.Lanes(m_.result(id));
  const U* a = e_.Lanes(m_.source(id, 0));
  if constexpr (std::is_invocable_v<F, U>) {
    for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i]);
  } else {
    const U* b = e_.Lanes(m_.source(id, 1));
    if constexpr (std::is_invocable_v<F, U, U>) {
      for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i]);
    } else {
      const U* c = e_.Lanes(m_.source(id, 2));
      if constexpr (std::is_invocable_v<F, U, U, U>) {
        for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i]);
      } else {
        const U* d = e_.Lanes(m_.source(id, 3));
        for (uint32_t i = 0; i < n; ++i) r[i] = f(a[i], b[i], c[i], d[i]);
      }
    }
  }
}

// Executes a float op with random rounding.
bool Numbers::Perturbed(InstId id, Op op) {
  const Type type = e_.TypeOf(m_.result(id));
  const bool sum = op == Op::kFadd || op == Op::kFsub || op == Op::kFmul || op == Op::kFfma;
  constexpr uint32_t kAsWritten = mir::kNoContraction | mir::kNoReassociation | mir::kNoTransform;
  if (sum && (m_.inst(id).flags & kAsWritten) == kAsWritten) return false;
  if (op == Op::kF2f16 || (op == Op::kF2f && type == Type::kF16)) return RoundEitherWay(id);
  if (op == Op::kFrem || op == Op::kFmod) {
    return type == Type::kF64 ? Exact(id) : PerturbRemainder(id);
  }
  if (!sum && op != Op::kFdiv && op != Op::kFsqrt && op != Op::kFrcp) {
    if (!Approximate(id)) return false;
  } else {
    Exact(id);
  }
  uint64_t* r = e_.Lanes(m_.result(id));
  for (uint32_t i = 0; i < e_.lanes; ++i) {
    if (std::isnan(ToDouble(type, r[i]))) r[i] ^= e_.chance.Random() & NanBits(type);
    if (!MayMove(type, r[i], 1)) continue;
    double x[3] = {0, 0, 0};
    for (int s = 0; s < m_.inst(id).num_sources; ++s) {
      const ValueId source = m_.source(id, s);
      x[s] = ToDouble(e_.TypeOf(source), e_.Lanes(source)[i]);
    }
    const double result = ToDouble(type, r[i]);
    r[i] += e_.chance.Noise(type == Type::kF64 ? AllowedUlpsOfDouble(op, x[0], x[1], x[2], result)
                                               : AllowedUlps(op, x[0], x[1], x[2], result));
  }
  return true;
}

// Conversions to half are correctly rounded, which in Vulkan's terms is to either neighbour unless
// a rounding mode is given. One seed in four rounds all of them towards zero, as some targets do:
// the errors then accumulate where random directions would cancel.
bool Numbers::RoundEitherWay(InstId id) {
  Exact(id);
  if (m_.f16_mode.rounding != mir::RoundingMode::kAny ||
      mir::RoundsToZero(m_, Op::kF2f16, Type::kI32)) {
    return true;
  }
  uint64_t* r = e_.Lanes(m_.result(id));
  const uint64_t* a = e_.Lanes(m_.source(id, 0));
  const Type from = e_.TypeOf(m_.source(id, 0));
  for (uint32_t i = 0; i < e_.lanes; ++i) {
    const double exact = ToDouble(from, a[i]), nearest = ToDouble(Type::kF16, r[i]);
    if (!std::isfinite(exact) || exact == nearest || (exact != 0 && nearest == 0)) continue;
    const bool is_beyond = std::fabs(nearest) > std::fabs(exact);
    const bool to_zero = in_.perturb_seed % 4 == 1 || e_.chance.RandomUnit() < 0;
    if (to_zero && is_beyond) --r[i];
    if (!to_zero && !is_beyond) ++r[i];
  }
  return true;
}

// Remainders inherit the error of x - y * trunc(x / y), or floor for FMod: a quotient near a whole
// number may round to either side of it, and a small relative error of a large x is a large one of
// a small remainder.
bool Numbers::PerturbRemainder(InstId id) {
  const Type type = e_.TypeOf(m_.result(id));
  const bool floor = m_.inst(id).op == Op::kFmod;
  const auto rounded = [&](double exact, double ulps) {
    const uint32_t single = AsBits(static_cast<float>(exact));
    uint64_t bits = type == Type::kF16 ? semantics::FloatToHalf(single) : single;
    if (ToDouble(type, bits) != exact && MayMove(type, bits, 1)) bits += e_.chance.Noise(ulps);
    return bits;
  };
  uint64_t* r = e_.Lanes(m_.result(id));
  const uint64_t* a = e_.Lanes(m_.source(id, 0));
  const uint64_t* b = e_.Lanes(m_.source(id, 1));
  for (uint32_t i = 0; i < e_.lanes; ++i) {
    const double x = ToDouble(type, a[i]), y = ToDouble(type, b[i]);
    const double quotient = ToDouble(type, rounded(x / y, 2.5));
    const double whole = floor ? std::floor(quotient) : std::trunc(quotient);
    // The product may be part of a multiply-add, which does not round it.
    const bool contracted = e_.chance.RandomUnit() < 0;
    const double product = contracted ? y * whole : ToDouble(type, rounded(y * whole, 1));
    r[i] = rounded(x - product, 1);
  }
  return true;
}

void Numbers::Loosen(InstId id) {
  if (id.index >= in_.loose_ulps.size() || in_.loose_ulps[id.index] == 0) return;
  const Type type = e_.TypeOf(m_.result(id));
  uint64_t* r = e_.Lanes(m_.result(id));
  for (uint32_t i = 0; i < e_.lanes; ++i) {
    if (MayMove(type, r[i], 16)) r[i] += e_.chance.Noise(in_.loose_ulps[id.index]);
  }
}

// Counts the divisions of integers that SPIR-V leaves undefined: by 0, and of the smallest number
// by -1.
void Numbers::UndefineQuotients(InstId id, const BitSet& active) {
  const Type type = e_.TypeOf(m_.result(id));
  const bool is_unsigned = m_.inst(id).op == Op::kUdiv || m_.inst(id).op == Op::kUrem;
  const uint64_t mask = MaskOf(type), least = mask - (mask >> 1);
  const uint64_t* a = e_.Lanes(m_.source(id, 0));
  const uint64_t* b = e_.Lanes(m_.source(id, 1));
  uint64_t* r = e_.Lanes(m_.result(id));
  active.for_each([&](size_t lane) {
    const bool overflows = !is_unsigned && (b[lane] & mask) == mask && (a[lane] & mask) == least;
    if ((b[lane] & mask) != 0 && !overflows) return;
    ++e_.statistics.undefined_results;
    if (in_.undefined_seed != 0) r[lane] = e_.chance.Undefined(type);
  });
}

// Executes a select between a defined and an undefined value. One that chooses the undefined value
// may give the defined one: see LaunchInputs::prefers_defined. Returns false for other selects.
bool Numbers::ChoosesUndefined(InstId id, const BitSet& active) {
  if (in_.undefined_seed == 0 && !in_.prefers_defined) return false;
  const auto is_undefined = [&](int source) {
    return m_.value(m_.source(id, source)).kind == Value::Kind::kUndef;
  };
  if (is_undefined(1) == is_undefined(2)) return false;
  const int defined = is_undefined(1) ? 2 : 1;
  const uint64_t* condition = e_.Lanes(m_.source(id, 0));
  const uint64_t* value = e_.Lanes(m_.source(id, defined));
  uint64_t* r = e_.Lanes(m_.result(id));
  active.for_each([&](size_t lane) {
    const bool is_chosen = (condition[lane] != 0) == (defined == 1);
    e_.statistics.undefined_results += !is_chosen;
    r[lane] = is_chosen || in_.undefined_seed == 0 ? value[lane]
                                                   : e_.chance.Undefined(e_.TypeOf(m_.result(id)));
  });
  return true;
}

}  // namespace kiln::oracle
