#include "core/oracle/chance.h"

#include <cmath>

namespace kiln::oracle {
namespace {

using mir::Type;

uint64_t QuietNan(Type type) {
  return type == Type::kF16 ? 0x7e00 : type == Type::kF32 ? 0x7fc00000 : 0x7ff8000000000000;
}

}  // namespace

// The start of the random sequence, which differs for each seed.
uint64_t Chance::Seeds() const {
  const uint64_t seed = uint64_t{in_.perturb_seed} + in_.undefined_seed + in_.shuffle_seed;
  return seed * 0xd1342543de82ef95u;  // odd, so that no two seeds have the same start
}

uint64_t Chance::Noise(double ulps) {
  return static_cast<uint64_t>(int64_t{std::lround(RandomUnit() * ulps)});
}

// Without undefined_seed, and with seed 4, undefined values are 0. Odd seeds: small integers, and
// floats from 1 to 2. Every fourth seed: the same value each time, since hardware returns the same
// result for the same operands; computations from several equal undefined values reveal other
// dependences than those from independent ones. Seed 12: floats are NaNs, which products with 0
// do not hide.
uint64_t Chance::Undefined(Type type) {
  if (in_.undefined_seed == 0 || in_.undefined_seed == 4) return 0;
  const uint64_t bits = in_.undefined_seed % 4 == 0 ? Seeds() * 0x9e3779b97f4a7c15u : Random();
  if (type == Type::kBool) return bits & 1;
  if (IsFloat(type) && in_.undefined_seed == 12) return QuietNan(type);
  if (IsFloat(type)) return UndefinedFloat(type, bits);
  if (in_.undefined_seed % 2 != 0) return bits & 7;
  return bits & (BytesOf(type) == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * BytesOf(type))) - 1);
}

// Odd seeds: floats from 1 to 2, of both signs, so that their sums stay distinguishable. Even
// seeds: floats of many magnitudes, and zero, infinity and NaN, since clamps and comparisons hide
// others.
uint64_t Chance::UndefinedFloat(Type type, uint64_t bits) const {
  const bool half = type == Type::kF16, twice = type == Type::kF64;
  const int fraction_bits = half ? 10 : twice ? 52 : 23;
  const int bias = half ? 15 : twice ? 1023 : 127, most = half ? 12 : 40;
  const uint64_t sign = (bits & 1) << (BitsOf(type) - 1);
  const uint64_t fraction = bits >> 1 & ((uint64_t{1} << fraction_bits) - 1);
  const auto exponent = [&](int e) { return static_cast<uint64_t>(e) << fraction_bits; };
  if (in_.undefined_seed % 2 != 0) return sign | exponent(bias) | fraction;
  switch (bits >> 60) {
    case 0: return sign;
    case 1: return sign | exponent(2 * bias + 1);
    case 2: return exponent(2 * bias + 1) | uint64_t{1} << (fraction_bits - 1);
    default:
      return sign | exponent(bias - most + static_cast<int>((bits >> 32) % (2u * most))) | fraction;
  }
}

std::vector<uint32_t> Chance::Shuffled(uint64_t n) {
  std::vector<uint32_t> order(n);
  for (uint32_t i = 0; i < n; ++i) {
    const uint32_t k = static_cast<uint32_t>(Random() >> 32) % (i + 1);
    order[i] = order[k];
    order[k] = i;
  }
  return order;
}

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): the n-th
// numbers of two seeds are independent, so that runs with several seeds try new values at every
// instruction.
uint64_t Chance::Random() {
  uint64_t x = noise_ += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace kiln::oracle
