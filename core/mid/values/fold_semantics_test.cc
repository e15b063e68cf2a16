// Folding against the interpreter's definition of each op: two independent implementations, on
// corners and random bits of every width, subnormals kept and flushed.
#include <array>
#include <random>
#include <type_traits>
#include <vector>

#include "core/mid/values/fold.h"
#include "core/mir/semantics.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;
using Sources = std::array<uint64_t, 4>;

constexpr Type kTypes[] = {Type::kBool, Type::kI8,  Type::kI16, Type::kI32,
                           Type::kI64,  Type::kF16, Type::kF32, Type::kF64};

// The interpreter's result.
std::optional<uint64_t> Defined(Op op, Type result, Type source, bool flush, const Sources& s) {
  std::optional<uint64_t> out;
  mir::semantics::VisitExact(op, result, source, {flush, flush, flush}, [&](auto f) {
    using F = decltype(f);
    using U = uint64_t;
    if constexpr (std::is_invocable_v<F, U>) {
      out = f(s[0]);
    } else if constexpr (std::is_invocable_v<F, U, U>) {
      out = f(s[0], s[1]);
    } else if constexpr (std::is_invocable_v<F, U, U, U>) {
      out = f(s[0], s[1], s[2]);
    } else {
      out = f(s[0], s[1], s[2], s[3]);
    }
  });
  return out;
}

bool Fits(char letter, Type type) {
  switch (letter) {
    case 'b': return type == Type::kBool;
    case 'u': return type == Type::kI32;
    case 's': return type == Type::kF32;
    case 'd': return type == Type::kF64;
    case 'i':
    case 'j': return mir::IsInt(type);
    case 'f':
    case 'g': return mir::IsFloat(type);
    case 'n': return !mir::IsFloat(type);
    default: return true;
  }
}

// Returns true if the op exists with this result and sources of these types: sources with the
// letter of the first have its type, those with the result's letter the result's.
bool Typed(Op op, Type result, Type source) {
  const std::string_view signature = mir::Info(op).signature;
  if (!Fits(signature[0], result) || !Fits(signature[2], source)) return false;
  if (mir::Info(op).Has('L') && source == Type::kF64) return false;
  if (signature[0] == signature[2] && signature[0] != '*') return result == source;
  const uint32_t to = mir::BitsOf(result), from = mir::BitsOf(source);
  switch (op) {
    case Op::kBitcast: return to == from && result != source && source != Type::kBool;
    case Op::kZext:
    case Op::kSext: return to > from;
    case Op::kTrunc: return to < from;
    default: return true;
  }
}

Type SourceType(Op op, size_t i, Type result, Type source) {
  const std::string_view signature = mir::Info(op).signature;
  const char letter = signature[2 + i];
  return letter == 'u' ? Type::kI32 : letter == signature[2] ? source : result;
}

uint64_t Draw(Type type, std::mt19937_64& random) {
  constexpr uint64_t kCorners[] = {
      0,
      1,
      2,
      5,
      31,
      32,
      33,
      0x7fffffff,
      0x80000000,
      0xffffffff,
      0x3f800000,
      0xbf800000,
      0x3f000000,
      0xbf000000,
      0x40200000,
      0x4b000001,
      0x4f000000,
      0x4f800000,
      0xcf000000,
      0x7f800000,
      0xff800000,
      0x7fc00000,
      0x7f800001,
      0x00800000,
      0x00000123,
      0x80000123,
      0x33800000,
      0x477fefff,
      0x477ff000,
      0x38800000,
      0x0000fc01,
      0x7f7fffff,
      0x3c00,
      0xbc00,
      0x7c00,
      0xfc00,
      0x7bff,
      0x0400,
      0x03ff,
      0x8001,
      0x7e00,
      0x80,
      0x7f,
      0x8000,
      0x7fff,
      63,
      64,
      0x3ff0000000000000,
      0xbff0000000000000,
      0x3fe0000000000000,
      0xbfe0000000000000,
      0x3fdfffffffffffff,
      0x4004000000000000,
      0x4330000000000001,  // 2^52 + 1
      0x41dfffffffc00000,  // 2^31 - 1
      0x41e0000000000000,
      0x41efffffffe00000,  // 2^32 - 1
      0x43e0000000000000,  // 2^63
      0x43f0000000000000,
      0xc3e0000000000000,
      0x7ff0000000000000,
      0xfff0000000000000,
      0x7ff8000000000000,
      0x7ff0000000000001,
      0x0010000000000000,
      0x000fffffffffffff,
      0x8000000000000001,
      0x7fefffffffffffff,
      0x47efffffe0000000,  // the largest float
      0x47effffff0000000,  // half a unit above
      0x3ff0000010000000,  // half a unit of a float above 1
      0x3ff0000010000001,
      0x3690000000000000,  // 2^-150
      0x380fffffffffffff,  // just below the least normal float
      0x40effc0000000000,  // 65504, the largest half
      0x40effe0000000000,  // half a unit above
      uint64_t{1} << 63,
      ~uint64_t{0},
      ~uint64_t{0} >> 1,
  };
  const uint64_t bits =
      random() % 3 != 0 ? kCorners[random() % std::size(kCorners)] : random() >> (random() % 64);
  return bits & mir::MaskOf(type);
}

TEST(FoldSemantics, AgreesWithTheInterpreterOnEveryOpAndWidth) {
  std::mt19937_64 random(1);
  int typed_ops = 0;
  for (int i = 0; i < mir::NumOps(); ++i) {
    const Op op = static_cast<Op>(i);
    const mir::OpInfo& info = mir::Info(op);
    if (info.sources < 1 || info.results != 1) continue;
    for (Type result : kTypes) {
      for (Type source : kTypes) {
        if (!Typed(op, result, source)) continue;
        if (!Defined(op, result, source, false, {1, 1, 1, 1}).has_value()) continue;
        int64_t folded = 0;
        for (int n = 0; n < 10000; ++n) {
          Sources s = {};
          for (size_t k = 0; k < static_cast<size_t>(info.sources); ++k) {
            s[k] = Draw(SourceType(op, k, result, source), random);
          }
          const std::optional<uint64_t> got = FoldOp(
              op, result, source, absl::MakeConstSpan(s.data(), static_cast<size_t>(info.sources)));
          if (!got.has_value()) continue;
          ++folded;
          for (bool flush : {false, true}) {
            ASSERT_EQ(*got, *Defined(op, result, source, flush, s))
                << info.name << " of type " << static_cast<int>(source) << " to "
                << static_cast<int>(result) << (flush ? " flushed" : "") << std::hex << " " << s[0]
                << " " << s[1] << " " << s[2] << " " << s[3];
          }
        }
        typed_ops += folded > 0;
      }
    }
  }
  EXPECT_GT(typed_ops, 300);
}

}  // namespace
}  // namespace kiln::mid
