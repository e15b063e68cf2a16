// Algebraic rewrite rules as data.
//
// A rule is a pattern and a replacement in prefix form:
//
//   {"iadd_of_constant_sum", "(iadd (iadd a #b) #c)", "(iadd a (iadd #b #c))"}
//
//   a, b, ...   any value; a letter used twice must be the same value (or equal constants)
//   #a          a constant value
//   #a:GUARD    a constant that satisfies the guard (see Guard)
//   5, -1       this integer constant, of any width; true, false: this boolean
//   1.0f        this float constant of any precision, compared by bits
//   (op ...)    the result of such an instruction
//
// Rules hold for every width of the values in them, unless marked kOnly32, or unless the
// replacement has an op that 64-bit floats lack (reciprocals and the like, flag L of ops.def): the
// results of others are exact, and no rule rounds where its pattern did not. A literal takes its
// type from the other operands; if that is boolean, 0 is false. A rule applies only if its
// replacement has the type that the pattern had.
//
// Constants of the replacement are computed by folding: `(iadd #b #c)` above becomes one constant.
// A rule that would have to leave a computation on constants unfolded does not apply.
//
// Termination: a rule's replacement has fewer instructions than its pattern, or as many of lower
// rank (multiplication > shift > and/add; negation is pushed into its user; a comparison never
// becomes two; an added constant moves out of sums, shifts and products, where addresses of one
// base differ by it, and no rule moves it back).
//
// A rule that holds only under a permission of float arithmetic names the flags that withdraw it
// (mir::InstFlags); it does not apply if an instruction that it matches has one of them. A rule
// without such flags holds for NaNs, infinities and zeros of either sign, and rounds as its pattern
// does.
//
// Every rule is checked: rules_test evaluates both sides on random and corner values.
#ifndef KILN_CORE_MID_VALUES_RULES_H_
#define KILN_CORE_MID_VALUES_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/mir.h"

namespace kiln::mid {

enum class Guard : uint8_t {
  kNone,
  kPowerOfTwo,       // integer 2^k
  kFloatPowerOfTwo,  // float +-2^k whose reciprocal is normal
  kShiftAmount,      // 0..31
  kNonZero,
  kFinite,
  kNan,
};

struct Rule {
  std::string_view name;
  std::string_view pattern;
  std::string_view replacement;
  uint16_t unless = 0;        // flags that forbid it, on any instruction matched
  bool only_32_bits = false;  // applies only if the root's first source has 32 bits
};

// A pattern or replacement, parsed. Variables are numbered from 0 in order of their letters.
struct Pattern {
  enum class Kind : uint8_t { kVariable, kLiteral, kOp };
  Kind kind = Kind::kVariable;
  uint8_t variable = 0;  // kVariable
  bool must_be_constant = false;
  Guard guard = Guard::kNone;
  // kLiteral: kBool, kI32 or kF32 for its kind; integers sign-extended to 64 bits.
  mir::Type literal_type = mir::Type::kI32;
  uint64_t literal_bits = 0;
  mir::Op op = mir::Op::kUnreachable;  // kOp
  std::vector<Pattern> sources;
};

struct CompiledRule {
  std::string_view name;
  uint16_t unless = 0;
  bool only_32_bits = false;
  bool not_of_doubles = false;  // an op of it is one that doubles lack (flag L of ops.def)
  int num_variables = 0;
  Pattern pattern;
  Pattern replacement;
  // A necessary condition for a match, checked first, which excludes most rules: some source of the
  // instruction is a constant, is the same as another source, is the result of this op
  // (kUnreachable: of any).
  bool needs_constant = false;
  bool needs_equal = false;
  mir::Op needs_op = mir::Op::kUnreachable;
};

absl::Span<const Rule> Rules();

// All rules, parsed once; those for a root op are consecutive: [first[op], first[op + 1]).
struct RuleIndex {
  std::vector<CompiledRule> rules;
  std::vector<uint32_t> first;
};
const RuleIndex& CompiledRules();

// True if a constant of the type with these bits satisfies the guard.
bool Satisfies(Guard guard, mir::Type type, uint64_t bits);

// The bits of a literal as a constant of the type (the boolean 0 is false), or nothing if it is of
// another kind or does not fit.
std::optional<uint64_t> LiteralBits(const Pattern& literal, mir::Type type);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_RULES_H_
