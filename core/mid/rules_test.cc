// Each rule proves itself: pattern and replacement are evaluated on corner and random values by an
// evaluator written here from the meanings in ops.def, which shares nothing with folding.
#include "core/mid/rules.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;

float F(uint32_t x) { return std::bit_cast<float>(x); }
uint32_t B(float x) { return std::bit_cast<uint32_t>(x); }
int32_t S(uint32_t x) { return static_cast<int32_t>(x); }

uint32_t FindMsb(uint32_t a) {
  for (int i = 31; i >= 0; --i) {
    if (a >> i & 1) return i;
  }
  return ~0u;
}

uint32_t EvalInt(Op op, const std::vector<uint32_t>& s, Type type) {
  switch (op) {
    case Op::kIadd:
      return s[0] + s[1];
    case Op::kIsub:
      return s[0] - s[1];
    case Op::kImul:
      return s[0] * s[1];
    case Op::kUmulHigh:
      return static_cast<uint32_t>(uint64_t{s[0]} * s[1] >> 32);
    case Op::kUdiv:
      return s[1] == 0 ? ~0u : s[0] / s[1];
    case Op::kUrem:
      return s[1] == 0 ? ~0u : s[0] % s[1];
    case Op::kIneg:
      return 0 - s[0];
    case Op::kImin:
      return S(s[0]) < S(s[1]) ? s[0] : s[1];
    case Op::kImax:
      return S(s[0]) < S(s[1]) ? s[1] : s[0];
    case Op::kUmin:
      return std::min(s[0], s[1]);
    case Op::kUmax:
      return std::max(s[0], s[1]);
    case Op::kAnd:
      return s[0] & s[1];
    case Op::kOr:
      return s[0] | s[1];
    case Op::kXor:
      return s[0] ^ s[1];
    case Op::kNot:
      return type == Type::kBool ? 1 - s[0] : ~s[0];
    case Op::kShl:
      return s[0] << s[1] % 32;
    case Op::kUshr:
      return s[0] >> s[1] % 32;
    case Op::kAshr:
      return static_cast<uint32_t>(S(s[0]) >> s[1] % 32);
    case Op::kFindUmsb:
      return FindMsb(s[0]);
    case Op::kIeq:
      return s[0] == s[1];
    case Op::kIne:
      return s[0] != s[1];
    case Op::kSlt:
      return S(s[0]) < S(s[1]);
    case Op::kSge:
      return S(s[0]) >= S(s[1]);
    case Op::kUlt:
      return s[0] < s[1];
    case Op::kUge:
      return s[0] >= s[1];
    case Op::kSelect:
      return s[0] ? s[1] : s[2];
    case Op::kBitcast:
      return s[0];
    case Op::kU2f:
      return B(static_cast<float>(s[0]));
    case Op::kI2f:
      return B(static_cast<float>(S(s[0])));
    case Op::kBitReverse: {
      uint32_t r = 0;
      for (int i = 0; i < 32; ++i) r = r << 1 | (s[0] >> i & 1);
      return r;
    }
    case Op::kBitfieldInsert: {
      uint32_t r = s[0];
      for (uint32_t i = 0; i < s[3] % 33 && s[2] % 32 + i < 32; ++i) {
        const uint32_t bit = 1u << (s[2] % 32 + i);
        r = (s[1] >> i & 1) ? r | bit : r & ~bit;
      }
      return r;
    }
    case Op::kUbitfieldExtract:
    case Op::kSbitfieldExtract: {
      uint32_t r = 0;
      for (uint32_t i = 0; i < s[2] % 33 && s[1] % 32 + i < 32; ++i)
        r |= (s[0] >> (s[1] % 32 + i) & 1) << i;
      return r;
    }
    default:
      ADD_FAILURE() << "no meaning here for " << mir::Info(op).name;
      return 0;
  }
}

uint32_t Eval(Op op, const std::vector<uint32_t>& s, Type type) {
  const float a = s.empty() ? 0 : F(s[0]), b = s.size() < 2 ? 0 : F(s[1]);
  switch (op) {
    case Op::kFadd:
      return B(a + b);
    case Op::kFsub:
      return B(a - b);
    case Op::kFmul:
      return B(a * b);
    case Op::kFdiv:
      return B(a / b);
    case Op::kFfma:
      return B(std::fma(a, b, F(s[2])));
    case Op::kFneg:
      return s[0] ^ 0x80000000u;
    case Op::kFabs:
      return s[0] & 0x7fffffffu;
    case Op::kFmin:
      return B(std::isnan(a) ? b : std::isnan(b) ? a : a < b ? a : b);
    case Op::kFmax:
      return B(std::isnan(a) ? b : std::isnan(b) ? a : a > b ? a : b);
    case Op::kFsaturate:
      return B(a > 0 ? std::fmin(a, 1.0f) : 0.0f);
    case Op::kFfloor:
      return B(std::floor(a));
    case Op::kFfract:
      return B(a - std::floor(a));
    case Op::kFsqrt:
      return B(std::sqrt(a));
    case Op::kFrsq:
      return B(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))));
    case Op::kFrcp:
      return B(1.0f / a);
    case Op::kFpow:
      return B(std::pow(a, b));
    case Op::kFeq:
      return a == b;
    case Op::kFne:
      return a != b;
    case Op::kFlt:
      return a < b;
    case Op::kFge:
      return a >= b;
    default:
      return EvalInt(op, s, type);
  }
}

// Variables are typed by where they stand: the letter of the op's signature.
using Types = std::vector<Type>;

Type Letter(Op op, size_t source, Type node) {
  const std::string_view sig = mir::Info(op).signature;
  const size_t at = source == SIZE_MAX ? 0 : sig.find('=') + 1 + source;
  switch (sig[at]) {
    case 'f':
      return Type::kF32;
    case 'b':
      return Type::kBool;
    case 'i':
      return Type::kI32;
    default:
      return node;
  }
}

// `node`: the type taken for letters that stand for several (n, t, *), chosen by the caller. False
// if a variable would have to be of two types (`seen`: those that have one).
bool Infer(const Pattern& p, Type expected, Type free, Types& types, std::vector<bool>& seen) {
  if (p.kind == Pattern::Kind::kVariable) {
    if (seen[p.variable] && types[p.variable] != expected) return false;
    types[p.variable] = expected;
    seen[p.variable] = true;
  }
  if (p.kind != Pattern::Kind::kOp) return true;
  for (size_t i = 0; i < p.sources.size(); ++i) {
    const std::string_view sig = mir::Info(p.op).signature;
    const char letter = sig[sig.find('=') + 1 + i];
    // A source of the result's own letter has the result's type.
    Type t = letter == sig[0] ? expected : Letter(p.op, i, free);
    if (p.op == Op::kBitcast) t = expected == Type::kF32 ? Type::kI32 : Type::kF32;
    if (!Infer(p.sources[i], t, free, types, seen)) return false;
  }
  return true;
}

struct Typed {
  uint32_t bits;
  Type type;
};

Typed Evaluate(const Pattern& p, const std::vector<uint32_t>& vars, const Types& types) {
  if (p.kind == Pattern::Kind::kVariable) return {vars[p.variable], types[p.variable]};
  if (p.kind == Pattern::Kind::kLiteral) return {p.literal_bits, p.literal_type};
  std::vector<uint32_t> sources;
  Type last = Type::kI32;
  for (const Pattern& s : p.sources) {
    const Typed v = Evaluate(s, vars, types);
    sources.push_back(v.bits);
    last = v.type;
  }
  const Type type = Letter(p.op, SIZE_MAX, last);
  return {Eval(p.op, sources, type), type};
}

bool HasLiteral(const Pattern& p, Type type) {
  if (p.kind == Pattern::Kind::kLiteral && p.literal_type == type) return true;
  for (const Pattern& s : p.sources) {
    if (HasLiteral(s, type)) return true;
  }
  return false;
}

Guard GuardOf(const Pattern& p, int variable) {
  if (p.kind == Pattern::Kind::kVariable && p.variable == variable) return p.guard;
  for (const Pattern& s : p.sources) {
    if (Guard g = GuardOf(s, variable); g != Guard::kNone) return g;
  }
  return Guard::kNone;
}

uint32_t Draw(Type type, bool inexact, std::mt19937& random) {
  static constexpr uint32_t kInts[] = {0, 1, 2, 3, 31, 32, 33, 0x7fffffff, 0x80000000, 0xffffffff};
  static const float kFloats[] = {
      0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 2.0f, 1e30f, -1e-30f, std::numeric_limits<float>::infinity(),
      0.75f};
  if (type == Type::kBool) return random() & 1;
  const bool corner = random() % 2 == 0;
  if (type == Type::kI32)
    return corner ? kInts[random() % std::size(kInts)] : random() >> (random() % 32);
  // Inexact rules are compared where they promise something: positive ordinary numbers.
  const float x = static_cast<float>(random() % 1000000) / 1024.0f + 0.001f;
  if (inexact) return B(x);
  if (random() % 10 == 0) return B(std::numeric_limits<float>::quiet_NaN());
  return corner ? B(kFloats[random() % std::size(kFloats)]) : B(random() & 1 ? x : -x);
}

bool Agree(uint32_t a, uint32_t b, Type type, bool inexact) {
  if (a == b) return true;
  if (type != Type::kF32) return false;
  if (std::isnan(F(a)) && std::isnan(F(b))) return true;
  return inexact && std::abs(S(a) - S(b)) <= 4;  // units in the last place
}

TEST(Rules, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Rule& r : Rules()) EXPECT_TRUE(names.insert(r.name).second) << r.name;
}

TEST(Rules, EveryRuleHoldsOnCornersAndRandomValues) {
  std::mt19937 random(1);
  for (const CompiledRule& rule : CompiledRules().rules) {
    for (Type free : {Type::kI32, Type::kBool, Type::kF32}) {
      const Type result = Letter(rule.pattern.op, SIZE_MAX, free);
      const std::string_view sig = mir::Info(rule.pattern.op).signature;
      const bool generic = sig.find_first_of("nt*") != sig.npos;
      // A rule that names a constant of one type is about that type.
      if (!generic && free != Type::kI32) continue;
      if (sig.find('n') != sig.npos && free == Type::kF32) continue;
      if (generic && free != Type::kBool && HasLiteral(rule.pattern, Type::kBool) &&
          rule.name != "select_true" && rule.name != "select_false") {
        continue;
      }
      if (generic && free == Type::kBool && HasLiteral(rule.pattern, Type::kI32)) continue;
      if (rule.pattern.op == Op::kBitcast && free == Type::kBool) continue;
      Types types(rule.num_variables, Type::kI32);
      std::vector<bool> seen(rule.num_variables);
      if (!Infer(rule.pattern, result, free, types, seen)) continue;
      int executed = 0;
      for (int n = 0; n < 4000; ++n) {
        std::vector<uint32_t> vars;
        bool allowed = true;
        for (int v = 0; v < rule.num_variables; ++v) {
          uint32_t bits = Draw(types[v], rule.inexact, random);
          const Guard guard = GuardOf(rule.pattern, v);
          if (guard == Guard::kPowerOfTwo) bits = 1u << random() % 32;
          if (guard == Guard::kFloatPowerOfTwo) bits = (1 + random() % 252) << 23 | random() << 31;
          allowed = allowed && Satisfies(guard, bits);
          vars.push_back(bits);
        }
        if (!allowed) continue;
        ++executed;
        const uint32_t before = Evaluate(rule.pattern, vars, types).bits;
        const uint32_t after = Evaluate(rule.replacement, vars, types).bits;
        if (!Agree(before, after, result, rule.inexact)) {
          std::string values;
          for (uint32_t v : vars) values += " " + std::to_string(v);
          ADD_FAILURE() << rule.name << " on" << values << ": " << before << " became " << after;
          break;
        }
      }
      EXPECT_GT(executed, 50) << rule.name;
    }
  }
}

}  // namespace
}  // namespace kiln::mid
