#include "core/mid/values/rules.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>

#include "core/mid/values/fold.h"

namespace kiln::mid {
namespace {

using mir::Op;

constexpr bool kOnly32 = true;

// Sets of flags that forbid a rule.
constexpr uint16_t kAlways = 0;
constexpr uint16_t kNans = mir::kKeepNan;
constexpr uint16_t kNonFinite = mir::kKeepNan | mir::kKeepInf;
constexpr uint16_t kZeros = mir::kKeepZeroSign;
constexpr uint16_t kSpecials = mir::kKeepSpecials;
constexpr uint16_t kRecip = mir::kNoReciprocal;
constexpr uint16_t kTransform = mir::kNoTransform;

constexpr Rule kRules[] = {
    // Integer identities.
    {"iadd_zero", "(iadd a 0)", "a"},
    {"iadd_constants", "(iadd (iadd a #b) #c)", "(iadd a (iadd #b #c))"},
    {"iadd_constant_out", "(iadd (iadd a #b) c)", "(iadd (iadd a c) #b)"},
    {"iadd_neg", "(iadd a (ineg b))", "(isub a b)"},
    {"iadd_isub_cancel", "(iadd (isub a b) b)", "a"},
    {"isub_zero", "(isub a 0)", "a"},
    {"isub_self", "(isub a a)", "0"},
    {"isub_constant", "(isub a #b)", "(iadd a (ineg #b))"},
    {"isub_from_zero", "(isub 0 a)", "(ineg a)"},
    {"isub_neg", "(isub a (ineg b))", "(iadd a b)"},
    {"isub_iadd_cancel", "(isub (iadd a b) b)", "a"},
    {"ineg_ineg", "(ineg (ineg a))", "a"},
    {"ineg_isub", "(ineg (isub a b))", "(isub b a)"},
    {"imul_zero", "(imul a 0)", "0"},
    {"imul_one", "(imul a 1)", "a"},
    {"imul_minus_one", "(imul a -1)", "(ineg a)"},
    {"imul_power_of_two", "(imul a #b:pow2)", "(shl a (find_umsb #b))"},
    {"imul_constants", "(imul (imul a #b) #c)", "(imul a (imul #b #c))"},
    {"imul_shl", "(imul (shl a #b) #c)", "(imul a (shl #c #b))"},
    {"shl_of_sum", "(shl (iadd a #b) #c)", "(iadd (shl a #c) (shl #b #c))"},
    {"imul_of_sum", "(imul (iadd a #b) #c)", "(iadd (imul a #c) (imul #b #c))"},
    {"shl_imul", "(shl (imul a #b) #c)", "(imul a (shl #b #c))"},
    {"udiv_power_of_two", "(udiv a #b:pow2)", "(ushr a (find_umsb #b))"},
    {"urem_power_of_two", "(urem a #b:pow2)", "(and a (iadd #b -1))"},
    {"umul_high_zero", "(umul_high a 0)", "0"},
    {"umul_high_one", "(umul_high a 1)", "0"},

    // Bits.
    {"and_self", "(and a a)", "a"},
    {"and_zero", "(and a 0)", "0"},
    {"and_ones", "(and a -1)", "a"},
    {"and_constants", "(and (and a #b) #c)", "(and a (and #b #c))"},
    {"or_self", "(or a a)", "a"},
    {"or_zero", "(or a 0)", "a"},
    {"or_ones", "(or a -1)", "-1"},
    {"or_constants", "(or (or a #b) #c)", "(or a (or #b #c))"},
    {"xor_self", "(xor a a)", "0"},
    {"xor_zero", "(xor a 0)", "a"},
    {"xor_ones", "(xor a -1)", "(not a)"},
    {"not_not", "(not (not a))", "a"},
    {"and_true", "(and a true)", "a"},
    {"and_false", "(and a false)", "false"},
    {"or_true", "(or a true)", "true"},
    {"or_false", "(or a false)", "a"},
    {"xor_true", "(xor a true)", "(not a)"},
    {"xor_false", "(xor a false)", "a"},
    {"shl_zero", "(shl a 0)", "a"},
    {"shl_of_zero", "(shl 0 a)", "0"},
    {"shl_by_width", "(shl a 32)", "a", kAlways, kOnly32},
    {"ushr_by_width", "(ushr a 32)", "a", kAlways, kOnly32},
    {"ashr_by_width", "(ashr a 32)", "a", kAlways, kOnly32},
    {"ushr_zero", "(ushr a 0)", "a"},
    {"ushr_of_zero", "(ushr 0 a)", "0"},
    {"ashr_zero", "(ashr a 0)", "a"},
    {"ashr_of_zero", "(ashr 0 a)", "0"},
    {"shl_ushr_same", "(shl (ushr a #b:shift) #b:shift)", "(and a (shl -1 #b))"},
    {"ushr_shl_same", "(ushr (shl a #b:shift) #b:shift)", "(and a (ushr -1 #b))"},
    {"imin_self", "(imin a a)", "a"},
    {"imax_self", "(imax a a)", "a"},
    {"umin_self", "(umin a a)", "a"},
    {"umax_self", "(umax a a)", "a"},
    {"umax_zero", "(umax a 0)", "a"},
    {"umin_zero", "(umin a 0)", "0"},
    {"bitfield_insert_nothing", "(bitfield_insert a b c 0)", "a"},
    {"ubitfield_extract_nothing", "(ubitfield_extract a b 0)", "0"},
    {"sbitfield_extract_nothing", "(sbitfield_extract a b 0)", "0"},
    {"ubitfield_extract_all", "(ubitfield_extract a 0 32)", "a", kAlways, kOnly32},
    {"bit_reverse_twice", "(bit_reverse (bit_reverse a))", "a"},

    // Comparison.
    {"ieq_self", "(ieq a a)", "true"},
    {"ine_self", "(ine a a)", "false"},
    {"slt_self", "(slt a a)", "false"},
    {"sge_self", "(sge a a)", "true"},
    {"ult_self", "(ult a a)", "false"},
    {"uge_self", "(uge a a)", "true"},
    {"ult_zero", "(ult a 0)", "false"},
    {"uge_zero", "(uge a 0)", "true"},
    {"ult_one", "(ult a 1)", "(ieq a 0)"},
    {"uge_one", "(uge a 1)", "(ine a 0)"},
    {"ieq_true", "(ieq a true)", "a"},
    {"ieq_false", "(ieq a false)", "(not a)"},
    {"ine_false", "(ine a false)", "a"},
    {"ine_true", "(ine a true)", "(not a)"},
    {"ieq_sum_constant", "(ieq (iadd a #b) #c)", "(ieq a (isub #c #b))"},
    {"ine_sum_constant", "(ine (iadd a #b) #c)", "(ine a (isub #c #b))"},
    {"ieq_of_select", "(ieq (select a #b #c) #d)", "(select a (ieq #b #d) (ieq #c #d))"},
    {"ine_of_select", "(ine (select a #b #c) #d)", "(select a (ine #b #d) (ine #c #d))"},
    {"ult_of_select", "(ult (select a #b #c) #d)", "(select a (ult #b #d) (ult #c #d))"},
    {"slt_of_select", "(slt (select a #b #c) #d)", "(select a (slt #b #d) (slt #c #d))"},
    {"not_ieq", "(not (ieq a b))", "(ine a b)"},
    {"not_ine", "(not (ine a b))", "(ieq a b)"},
    {"not_slt", "(not (slt a b))", "(sge a b)"},
    {"not_sge", "(not (sge a b))", "(slt a b)"},
    {"not_ult", "(not (ult a b))", "(uge a b)"},
    {"not_uge", "(not (uge a b))", "(ult a b)"},
    {"not_feq", "(not (feq a b))", "(fne a b)"},
    {"not_fne", "(not (fne a b))", "(feq a b)"},
    {"not_and_not", "(not (and (not a) (not b)))", "(or a b)"},
    {"not_or_not", "(not (or (not a) (not b)))", "(and a b)"},
    {"and_not_self", "(and a (not a))", "0"},

    // Selection.
    {"select_same", "(select a b b)", "b"},
    {"select_true", "(select true a b)", "a"},
    {"select_false", "(select false a b)", "b"},
    {"select_of_true_false", "(select a true false)", "a"},
    {"select_of_false_true", "(select a false true)", "(not a)"},
    {"select_bool_true", "(select a true b)", "(or a b)"},
    {"select_bool_false", "(select a b false)", "(and a b)"},
    {"select_self_true", "(select a a b)", "(or a b)"},
    {"select_self_false", "(select a b a)", "(and a b)"},
    {"select_not", "(select (not a) b c)", "(select a c b)"},
    {"select_select_same_left", "(select a (select a b c) d)", "(select a b d)"},
    {"select_select_same_right", "(select a b (select a c d))", "(select a b d)"},
    {"u2f_of_select", "(u2f (select a #b #c))", "(select a (u2f #b) (u2f #c))"},
    {"i2f_of_select", "(i2f (select a #b #c))", "(select a (i2f #b) (i2f #c))"},
    {"pack_f64_halves", "(pack_f64 (f64_low a) (f64_high a))", "a"},
    {"f64_low_pack", "(f64_low (pack_f64 a b))", "a"},
    {"f64_high_pack", "(f64_high (pack_f64 a b))", "b"},
    {"bitcast_bitcast", "(bitcast (bitcast a))", "a"},
    {"trunc_zext", "(trunc (zext a))", "a"},
    {"trunc_sext", "(trunc (sext a))", "a"},
    {"zext_zext", "(zext (zext a))", "(zext a)"},
    {"sext_sext", "(sext (sext a))", "(sext a)"},
    {"sext_zext", "(sext (zext a))", "(zext a)"},
    {"trunc_trunc", "(trunc (trunc a))", "(trunc a)"},

    // Floats, exact.
    {"fneg_fneg", "(fneg (fneg a))", "a"},
    {"fabs_fneg", "(fabs (fneg a))", "(fabs a)"},
    {"fabs_fabs", "(fabs (fabs a))", "(fabs a)"},
    {"fadd_negative_zero", "(fadd a -0.0f)", "a"},
    {"fsub_zero", "(fsub a 0.0f)", "a"},
    {"fadd_fneg", "(fadd a (fneg b))", "(fsub a b)"},
    {"fsub_fneg", "(fsub a (fneg b))", "(fadd a b)"},
    {"fmul_one", "(fmul a 1.0f)", "a"},
    {"fmul_minus_one", "(fmul a -1.0f)", "(fneg a)"},
    {"fmul_fneg_fneg", "(fmul (fneg a) (fneg b))", "(fmul a b)"},
    {"fdiv_one", "(fdiv a 1.0f)", "a"},
    {"fdiv_power_of_two", "(fdiv a #b:fpow2)", "(fmul a (fdiv 1.0f #b))"},
    {"one_fdiv", "(fdiv 1.0f a)", "(frcp a)"},
    {"fmin_self", "(fmin a a)", "a"},
    {"fmax_self", "(fmax a a)", "a"},
    {"saturate", "(fmin (fmax a 0.0f) 1.0f)", "(fsaturate a)"},
    {"fsaturate_twice", "(fsaturate (fsaturate a))", "(fsaturate a)"},
    {"ffloor_twice", "(ffloor (ffloor a))", "(ffloor a)"},
    {"not_flt_constant", "(flt a a)", "false"},
    {"ffma_zero_addend", "(ffma a b -0.0f)", "(fmul a b)"},
    {"ffma_one", "(ffma a 1.0f b)", "(fadd a b)"},
    {"fpow_one", "(fpow a 1.0f)", "a"},
    {"fadd_nan", "(fadd a #b:nan)", "#b"},
    {"fsub_nan", "(fsub a #b:nan)", "#b"},
    {"nan_fsub", "(fsub #a:nan b)", "#a"},
    {"fmul_nan", "(fmul a #b:nan)", "#b"},
    {"ffma_nan", "(ffma a #b:nan c)", "#b"},
    {"ffma_nan_addend", "(ffma a b #c:nan)", "#c"},
    {"fdiv_nan", "(fdiv a #b:nan)", "#b"},
    {"nan_fdiv", "(fdiv #a:nan b)", "#a"},
    {"fmin_nan", "(fmin a #b:nan)", "a"},
    {"fmax_nan", "(fmax a #b:nan)", "a"},
    {"flt_nan", "(flt a #b:nan)", "false"},
    {"nan_flt", "(flt #a:nan b)", "false"},
    {"fge_nan", "(fge a #b:nan)", "false"},
    {"nan_fge", "(fge #a:nan b)", "false"},
    {"feq_nan", "(feq a #b:nan)", "false"},
    {"fne_nan", "(fne a #b:nan)", "true"},

    // Floats, only without the flags given.
    {"fadd_zero", "(fadd a 0.0f)", "a", kZeros},
    {"fmul_zero", "(fmul a 0.0f)", "0.0f", kSpecials},
    {"ffma_zero", "(ffma a 0.0f b)", "b", kSpecials},
    {"fsub_from_zero", "(fsub 0.0f a)", "(fneg a)", kZeros},
    {"fsub_from_negative_zero", "(fsub -0.0f a)", "(fneg a)"},
    // A selection written as a product, as mix with a comparison is.
    {"fmul_choice", "(fmul a (select b 1.0f 0.0f))", "(select b a 0.0f)", kSpecials},
    {"fmul_other_choice", "(fmul a (select b 0.0f 1.0f))", "(select b 0.0f a)", kSpecials},
    {"one_less_choice", "(fsub 1.0f (select a 1.0f 0.0f))", "(select a 0.0f 1.0f)"},
    {"one_less_other_choice", "(fsub 1.0f (select a 0.0f 1.0f))", "(select a 1.0f 0.0f)"},
    {"fsub_chosen_self", "(fsub a (select b a 0.0f))", "(select b 0.0f a)", kNonFinite},
    {"fsub_other_chosen_self", "(fsub a (select b 0.0f a))", "(select b a 0.0f)", kNonFinite},
    {"fadd_choices", "(fadd (select a b 0.0f) (select a 0.0f c))", "(select a b c)", kZeros},
    {"saturate_other_order", "(fmax (fmin a 1.0f) 0.0f)", "(fsaturate a)", kNans},
    {"fpow_two", "(fpow a 2.0f)", "(fmul a a)", kTransform},
    {"fsub_floor", "(fsub a (ffloor a))", "(ffract a)", kTransform | kNonFinite},
    {"fdiv_constant", "(fdiv a #b:finite)", "(fmul a (fdiv 1.0f #b))", kRecip, kOnly32},
    {"frcp_constant", "(frcp #a:finite)", "(fdiv 1.0f #a)", kTransform, kOnly32},
    {"frcp_frcp", "(frcp (frcp a))", "a", kTransform},
    {"frcp_fsqrt", "(frcp (fsqrt a))", "(frsq a)", kTransform},
    {"fmul_frcp_fsqrt", "(fmul a (frcp (fsqrt b)))", "(fmul a (frsq b))", kTransform},
    {"fdiv_fsqrt", "(fdiv a (fsqrt b))", "(fmul a (frsq b))", kTransform | kRecip},
};

// A recursive-descent parser of the prefix form; a malformed rule is a programmer error.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Pattern Parse() {
    Skip();
    if (Peek() == '(') return ParseOp();
    return ParseLeaf(Word());
  }

  bool AtEnd() {
    Skip();
    return at_ == text_.size();
  }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Skip() {
    while (Peek() == ' ') ++at_;
  }
  std::string_view Word() {
    const size_t begin = at_;
    while (Peek() != '\0' && Peek() != ' ' && Peek() != '(' && Peek() != ')') ++at_;
    return text_.substr(begin, at_ - begin);
  }

  Pattern ParseOp() {
    ++at_;
    Pattern p;
    p.kind = Pattern::Kind::kOp;
    const std::string_view name = Word();
    p.op = Op::kUnreachable;
    for (int i = 0; i < mir::NumOps(); ++i) {
      if (mir::Info(static_cast<Op>(i)).name == name) p.op = static_cast<Op>(i);
    }
    assert(p.op != Op::kUnreachable && "no such op in a rule");
    for (Skip(); Peek() != ')'; Skip()) {
      assert(Peek() != '\0' && "unbalanced parentheses in a rule");
      p.sources.push_back(Parse());
    }
    ++at_;
    assert(static_cast<int>(p.sources.size()) == mir::Info(p.op).sources);
    return p;
  }

  static Pattern Literal(uint64_t bits, mir::Type type) {
    Pattern p;
    p.kind = Pattern::Kind::kLiteral;
    p.literal_bits = bits;
    p.literal_type = type;
    return p;
  }

  static Pattern ParseLeaf(std::string_view word) {
    assert(!word.empty());
    if (word == "true") return Literal(1, mir::Type::kBool);
    if (word == "false") return Literal(0, mir::Type::kBool);
    if (word.back() == 'f' && word.find('.') != word.npos) {
      return Literal(std::bit_cast<uint32_t>(std::strtof(std::string(word).c_str(), nullptr)),
                     mir::Type::kF32);
    }
    if (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) {
      return Literal(static_cast<uint64_t>(std::strtoll(std::string(word).c_str(), nullptr, 10)),
                     mir::Type::kI32);
    }
    Pattern p;
    if (word[0] == '#') {
      p.must_be_constant = true;
      word.remove_prefix(1);
    }
    p.variable = static_cast<uint8_t>(word[0] - 'a');
    word.remove_prefix(1);
    if (!word.empty()) p.guard = ParseGuard(word.substr(1));
    return p;
  }

  static Guard ParseGuard(std::string_view word) {
    if (word == "pow2") return Guard::kPowerOfTwo;
    if (word == "fpow2") return Guard::kFloatPowerOfTwo;
    if (word == "shift") return Guard::kShiftAmount;
    if (word == "nonzero") return Guard::kNonZero;
    if (word == "nan") return Guard::kNan;
    assert(word == "finite" && "no such guard");
    return Guard::kFinite;
  }

  std::string_view text_;
  size_t at_ = 0;
};

int CountVariables(const Pattern& p) {
  int n = p.kind == Pattern::Kind::kVariable ? p.variable + 1 : 0;
  for (const Pattern& s : p.sources) n = std::max(n, CountVariables(s));
  return n;
}

bool HasNarrowOp(const Pattern& p) {
  if (p.kind == Pattern::Kind::kOp && mir::Info(p.op).Has('L')) return true;
  return std::any_of(p.sources.begin(), p.sources.end(), HasNarrowOp);
}

Pattern ParseAll(std::string_view text) {
  Parser parser(text);
  Pattern p = parser.Parse();
  assert(parser.AtEnd());
  return p;
}

RuleIndex CompileAll() {
  RuleIndex index;
  for (const Rule& rule : kRules) {
    CompiledRule c;
    c.name = rule.name;
    c.unless = rule.unless;
    c.only_32_bits = rule.only_32_bits;
    c.pattern = ParseAll(rule.pattern);
    c.replacement = ParseAll(rule.replacement);
    c.not_of_doubles = HasNarrowOp(c.pattern) || HasNarrowOp(c.replacement);
    c.num_variables = CountVariables(c.pattern);
    assert(CountVariables(c.replacement) <= c.num_variables);
    uint32_t variables = 0;  // a bit for each
    for (const Pattern& s : c.pattern.sources) {
      if (s.kind == Pattern::Kind::kOp) {
        c.needs_op = s.op;
        continue;
      }
      c.needs_constant |= s.kind == Pattern::Kind::kLiteral || s.must_be_constant;
      if (s.kind != Pattern::Kind::kVariable) continue;
      c.needs_equal |= (variables >> s.variable & 1) != 0;
      variables |= 1u << s.variable;
    }
    index.rules.push_back(std::move(c));
  }
  // Stable: of two rules for one op the one written first is tried first.
  std::stable_sort(index.rules.begin(), index.rules.end(),
                   [](const auto& a, const auto& b) { return a.pattern.op < b.pattern.op; });
  index.first.assign(mir::NumOps() + 1, 0);
  for (const CompiledRule& c : index.rules) ++index.first[static_cast<size_t>(c.pattern.op) + 1];
  for (size_t i = 1; i < index.first.size(); ++i) index.first[i] += index.first[i - 1];
  return index;
}

}  // namespace

absl::Span<const Rule> Rules() { return kRules; }

const RuleIndex& CompiledRules() {
  static const RuleIndex index = CompileAll();
  return index;
}

bool Satisfies(Guard guard, mir::Type type, uint64_t bits) {
  const bool half = type == mir::Type::kF16, twice = type == mir::Type::kF64;
  const int fraction_bits = half ? 10 : twice ? 52 : 23;
  const uint64_t infinite = half ? 31 : twice ? 0x7ff : 0xff;
  const uint64_t mantissa = bits & ((uint64_t{1} << fraction_bits) - 1);
  const uint64_t exponent = (bits >> fraction_bits) & infinite;
  switch (guard) {
    case Guard::kNone: return true;
    case Guard::kPowerOfTwo: return std::has_single_bit(bits);
    case Guard::kFloatPowerOfTwo:
      // The reciprocal's exponent is infinite - 1 - exponent: at least 2.
      return mantissa == 0 && exponent >= 1 && exponent + 3 <= infinite;
    case Guard::kShiftAmount: return bits < 32;
    case Guard::kNonZero: return bits != 0;
    case Guard::kFinite: return exponent != infinite;
    case Guard::kNan: return exponent == infinite && mantissa != 0;
  }
  return false;
}

std::optional<uint64_t> LiteralBits(const Pattern& literal, mir::Type type) {
  if (literal.literal_type == mir::Type::kF32) {
    if (!mir::IsFloat(type)) return std::nullopt;
    if (type == mir::Type::kF32) return literal.literal_bits;
    // Rules use only numbers that all precisions have.
    const std::array<uint64_t, 1> bits = {literal.literal_bits};
    return FoldOp(Op::kF2f, type, mir::Type::kF32, bits);
  }
  if (literal.literal_type == mir::Type::kBool) {
    return type == mir::Type::kBool ? std::optional(literal.literal_bits) : std::nullopt;
  }
  if (mir::IsInt(type)) return literal.literal_bits & mir::MaskOf(type);
  // Zero of any type.
  return literal.literal_bits == 0 ? std::optional<uint64_t>(0) : std::nullopt;
}

}  // namespace kiln::mid
