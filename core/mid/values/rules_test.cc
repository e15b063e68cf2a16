// Checks each rule: pattern and replacement are evaluated on corner and random values, for every
// width its values can have, by the interpreter's definitions, which share nothing with folding.
// Differences that a rule's flags permit are excused, and must occur: each flag for special values
// that forbids a rule must have been needed for some values on which it does not hold.
#include "core/mid/values/rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>

#include "core/base/float_bits.h"
#include "core/mir/semantics.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;
namespace semantics = mir::semantics;

// The types that signatures' letters have in one trial.
struct Letters {
  Type integer;
  Type real;
  Type any;  // n and t
};

// An assignment of types to a rule's variables; ok is false if the letters do not fit the rule.
struct Typing {
  Letters letters;
  std::vector<Type> variables;
  std::vector<bool> known;
  bool ok = true;
};

Type LetterType(const Pattern& p, char letter, Type expected, const Letters& letters) {
  if (p.op == Op::kBitcast) {
    const uint32_t bits = mir::BitsOf(expected);
    return mir::IsFloat(expected) ? mir::IntOfBits(bits) : mir::FloatOfBits(bits);
  }
  switch (letter) {
    case 'b': return Type::kBool;
    case 'u': return Type::kI32;
    case 's': return Type::kF32;
    case 'd': return Type::kF64;
    case 'i': return letters.integer;
    case 'f': return letters.real;
    default: return letters.any;
  }
}

Type SourceType(const Pattern& p, size_t i, Type expected, const Letters& letters) {
  const std::string_view signature = mir::Info(p.op).signature;
  const char letter = signature[signature.find('=') + 1 + i];
  return letter == signature[0] && letter != '*' ? expected
                                                 : LetterType(p, letter, expected, letters);
}

bool ResultFits(const Pattern& p, Type expected) {
  switch (mir::Info(p.op).signature[0]) {
    case 'b': return expected == Type::kBool;
    case 'u': return expected == Type::kI32;
    case 'd': return expected == Type::kF64;
    case 'i': return mir::IsInt(expected);
    case 'f': return mir::IsFloat(expected);
    case 'n': return !mir::IsFloat(expected);
    case '*': return mir::BitsOf(expected) >= 16;
    default: return true;
  }
}

void Infer(const Pattern& p, Type expected, Typing& typing) {
  switch (p.kind) {
    case Pattern::Kind::kVariable:
      if (typing.known[p.variable]) {
        typing.ok = typing.ok && typing.variables[p.variable] == expected;
      }
      typing.known[p.variable] = true;
      typing.variables[p.variable] = expected;
      return;
    case Pattern::Kind::kLiteral:
      typing.ok = typing.ok && LiteralBits(p, expected).has_value();
      return;
    case Pattern::Kind::kOp:
      typing.ok = typing.ok && ResultFits(p, expected);
      for (size_t i = 0; typing.ok && i < p.sources.size(); ++i) {
        const Type type = SourceType(p, i, expected, typing.letters);
        const std::string_view signature = mir::Info(p.op).signature;
        if (signature[signature.find('=') + 1 + i] == 'n' && mir::IsFloat(type)) typing.ok = false;
        Infer(p.sources[i], type, typing);
      }
  }
}

uint64_t Apply(Op op, Type result, Type source, const std::vector<uint64_t>& s) {
  uint64_t out = 0;
  const auto call = [&](auto f) {
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
  };
  if (semantics::VisitExact(op, result, source, {}, call)) return out;
  semantics::VisitFloat(result, {}, [&](auto precision) {
    using F = decltype(precision);
    const double a = F::In(static_cast<typename F::U>(s[0]));
    if (op == Op::kFpow) {
      out = F::OutDouble(std::pow(a, double{F::In(static_cast<typename F::U>(s[1]))}));
    } else {
      EXPECT_EQ(op, Op::kFrsq) << mir::Info(op).name;
      out = F::OutDouble(1 / std::sqrt(a));
    }
  });
  return out;
}

uint64_t InfinityOf(Type type) {
  return type == Type::kF16 ? 0x7c00 : type == Type::kF32 ? 0x7f800000 : 0x7ff0000000000000;
}
uint64_t Magnitude(Type type, uint64_t bits) { return bits & (mir::MaskOf(type) >> 1); }
bool IsNan(Type type, uint64_t bits) {
  return mir::IsFloat(type) && Magnitude(type, bits) > InfinityOf(type);
}
bool IsInfinite(Type type, uint64_t bits) {
  return mir::IsFloat(type) && Magnitude(type, bits) == InfinityOf(type);
}

// Evaluates a side of a rule. `infinite`: set if an infinity occurs.
uint64_t Evaluate(const Pattern& p, Type expected, const Letters& letters,
                  const std::vector<uint64_t>& vars, bool* infinite) {
  uint64_t value = 0;
  if (p.kind == Pattern::Kind::kVariable) {
    value = vars[p.variable];
  } else if (p.kind == Pattern::Kind::kLiteral) {
    value = *LiteralBits(p, expected);
  } else {
    std::vector<uint64_t> sources;
    for (size_t i = 0; i < p.sources.size(); ++i) {
      sources.push_back(
          Evaluate(p.sources[i], SourceType(p, i, expected, letters), letters, vars, infinite));
    }
    value = Apply(p.op, expected, SourceType(p, 0, expected, letters), sources);
  }
  *infinite |= IsInfinite(expected, value);
  return value;
}

Guard GuardOf(const Pattern& p, int variable) {
  if (p.kind == Pattern::Kind::kVariable && p.variable == variable) return p.guard;
  for (const Pattern& s : p.sources) {
    if (Guard g = GuardOf(s, variable); g != Guard::kNone) return g;
  }
  return Guard::kNone;
}

uint64_t FloatBits(Type type, float x) {
  if (type == Type::kF64) return DoubleBits(double{x});
  return type == Type::kF16 ? semantics::FloatToHalf(AsBits(x)) : AsBits(x);
}

uint64_t Draw(Type type, Guard guard, bool rearranges, std::mt19937_64& random) {
  static constexpr int64_t kInts[] = {0,  1,  2,  3,  7,          8,         31,        32,
                                      33, 63, 64, -1, 0x7fffffff, INT64_MIN, INT64_MAX, -128};
  static constexpr float kFloats[] = {
      0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 1e30f, -1e-30f, std::numeric_limits<float>::infinity(),
      0.75f};
  if (type == Type::kBool) return random() & 1;
  const bool corner = random() % 2 == 0;
  if (guard == Guard::kPowerOfTwo) return uint64_t{1} << random() % mir::BitsOf(type);
  if (guard == Guard::kNan) return FloatBits(type, std::numeric_limits<float>::quiet_NaN());
  if (guard == Guard::kFloatPowerOfTwo) {
    const uint64_t sign = random() & 1;
    return type == Type::kF16   ? (1 + random() % 28) << 10 | sign << 15
           : type == Type::kF32 ? (1 + random() % 252) << 23 | sign << 31
                                : (1 + random() % 2044) << 52 | sign << 63;
  }
  if (mir::IsInt(type)) {
    const uint64_t bits = corner ? static_cast<uint64_t>(kInts[random() % std::size(kInts)])
                                 : random() >> (random() % 64);
    return bits & mir::MaskOf(type);
  }
  // Reordered arithmetic is compared only where its error is bounded: for positive ordinary
  // numbers.
  const float range = type == Type::kF16 ? 16.0f : 1024.0f;
  const float x = static_cast<float>(random() % 1000000) / 1e6f * range + 0.01f;
  if (rearranges) return FloatBits(type, x);
  if (random() % 10 == 0) return FloatBits(type, std::numeric_limits<float>::quiet_NaN());
  return FloatBits(type, corner ? kFloats[random() % std::size(kFloats)] : random() & 1 ? x : -x);
}

bool Rearranges(uint16_t flags) { return (flags & ~mir::kKeepSpecials) != 0; }

bool Agree(uint64_t a, uint64_t b, Type type, uint16_t licences) {
  if (a == b) return true;
  if (!mir::IsFloat(type)) return false;
  if (IsNan(type, a) && IsNan(type, b)) return true;
  const bool zeros = Magnitude(type, a) == 0 && Magnitude(type, b) == 0;
  if (zeros && (licences & mir::kKeepZeroSign) != 0) return true;
  return Rearranges(licences) && std::max(a, b) - std::min(a, b) <= 4;  // units in the last place
}

// Conversions between widths have types of their own: simplify_test.
bool ChangesWidth(const Pattern& p) {
  if (p.kind == Pattern::Kind::kOp && mir::Info(p.op).signature.find_first_of("jg") < 2)
    return true;
  return std::any_of(p.sources.begin(), p.sources.end(), ChangesWidth);
}

struct Trials {
  int executed = 0;
  uint16_t needed = 0;  // flags without whose permission the rule would have failed
};

// The flags whose permission excuses a difference between the two sides; 0: none does.
uint16_t Needed(const CompiledRule& rule, Type result, uint64_t before, uint64_t after, bool nan,
                bool infinite) {
  uint16_t flags = 0;
  if (nan) flags |= mir::kKeepNan;
  if (infinite) flags |= mir::kKeepInf;
  flags &= rule.unless;
  if (flags == 0 && Agree(before, after, result, mir::kKeepZeroSign)) flags = mir::kKeepZeroSign;
  return flags & rule.unless;
}

// Random trials.
Trials Try(const CompiledRule& rule, Type result, const Letters& letters, std::mt19937_64& random) {
  const size_t n = static_cast<size_t>(rule.num_variables);
  Typing typing{letters, std::vector<Type>(n, Type::kI32), std::vector<bool>(n, false)};
  Infer(rule.pattern, result, typing);
  const Type source = SourceType(rule.pattern, 0, result, letters);
  if (!typing.ok || (rule.only_32_bits && mir::BitsOf(source) != 32)) return {};
  if (rule.not_of_doubles && result == Type::kF64) return {};
  const bool rearranges = Rearranges(rule.unless);
  Trials trials;
  for (int trial = 0; trial < 1500; ++trial) {
    std::vector<uint64_t> vars;
    bool allowed = true;
    bool nan = false, infinite = false;
    for (int v = 0; v < rule.num_variables; ++v) {
      const Guard guard = GuardOf(rule.pattern, v);
      vars.push_back(Draw(typing.variables[v], guard, rearranges, random));
      allowed = allowed && Satisfies(guard, typing.variables[v], vars.back());
      nan |= IsNan(typing.variables[v], vars.back());
    }
    if (!allowed) continue;
    ++trials.executed;
    bool ignored = false;
    const uint64_t before = Evaluate(rule.pattern, result, letters, vars, &infinite);
    const uint64_t after = Evaluate(rule.replacement, result, letters, vars, &ignored);
    if (!rearranges && !Agree(before, after, result, 0)) {
      const uint16_t needed = Needed(rule, result, before, after, nan, infinite);
      // A single flag was certainly needed.
      if ((needed & (needed - 1)) == 0) trials.needed |= needed;
      if (needed != 0) continue;
    }
    if (!Agree(before, after, result, rearranges ? rule.unless : 0)) {
      std::string values;
      for (uint64_t v : vars) values += " " + std::to_string(v);
      ADD_FAILURE() << rule.name << " with results of type " << static_cast<int>(result) << " on"
                    << values << ": " << before << " became " << after;
      break;
    }
  }
  return trials;
}

TEST(Rules, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Rule& r : Rules()) EXPECT_TRUE(names.insert(r.name).second) << r.name;
}

TEST(Rules, EveryRuleHoldsOnCornersAndRandomValuesOfEveryWidth) {
  constexpr Type kInts[] = {Type::kI8, Type::kI16, Type::kI32, Type::kI64};
  constexpr Type kAll[] = {Type::kBool, Type::kI8,  Type::kI16, Type::kI32,
                           Type::kI64,  Type::kF16, Type::kF32, Type::kF64};
  std::mt19937_64 random(1);
  for (const CompiledRule& rule : CompiledRules().rules) {
    if (ChangesWidth(rule.pattern)) continue;
    Trials all;
    std::set<std::pair<Type, std::vector<Type>>> seen;
    for (Type integer : kInts) {
      for (Type real : {Type::kF16, Type::kF32, Type::kF64}) {
        for (Type any : kAll) {
          for (Type result : kAll) {
            // Letters that the rule does not use make no difference.
            const Letters letters{integer, real, any};
            const size_t n = static_cast<size_t>(rule.num_variables);
            Typing typing{letters, std::vector<Type>(n, Type::kI32), std::vector<bool>(n, false)};
            Infer(rule.pattern, result, typing);
            Infer(rule.replacement, result, typing);
            typing.variables.push_back(SourceType(rule.pattern, 0, result, letters));
            if (!typing.ok || !seen.insert({result, typing.variables}).second) continue;
            const Trials trials = Try(rule, result, letters, random);
            all.executed += trials.executed;
            all.needed |= trials.needed;
          }
        }
      }
    }
    EXPECT_GT(all.executed, 50) << rule.name;
    if (!Rearranges(rule.unless)) {
      EXPECT_EQ(all.needed, rule.unless) << rule.name;
    }
  }
}

// Doubles have no approximate ops: no rule makes one of them, whatever its flags permit.
TEST(Rules, OnesThatMakeApproximateOpsAreNotOfDoubles) {
  std::set<std::string_view> names;
  for (const CompiledRule& rule : CompiledRules().rules) {
    if (rule.not_of_doubles) names.insert(rule.name);
  }
  for (const char* name : {"one_fdiv", "frcp_fsqrt", "fmul_frcp_fsqrt", "fdiv_fsqrt"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
  EXPECT_EQ(names.count("fdiv_power_of_two"), 0u);
}

}  // namespace
}  // namespace kiln::mid
