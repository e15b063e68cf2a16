#include "core/mid/values/simplify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/mid/analysis/known_bits.h"
#include "core/mid/values/fold.h"
#include "core/mid/values/rules.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::Value;
using mir::ValueId;

constexpr int kMaxVariables = 8;
constexpr int kMaxSources = 4;

// The values that a rule's pattern matched.
struct Bindings {
  std::array<ValueId, kMaxVariables> values;
  uint16_t flags = 0;  // of float arithmetic, of all instructions matched
};

class Simplifier {
 public:
  Simplifier(Module& module, PassContext& context)
      : m_(module), b_(module), replace_(module), context_(context) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) {
      replace_.Resolve(m_, id);
      return !VisitInst(id);
    });
    replace_.Apply(m_);
    return changed_;
  }

 private:
  // Returns true if the instruction's value was replaced and the instruction is dropped.
  bool VisitInst(InstId id) {
    const Inst inst = m_.inst(id);
    if (inst.op == Op::kLoadConstant) return VisitLoadConstant(id);
    if (IsPosition(inst.op)) return VisitPosition(id);
    if (!mir::Info(inst.op).Has('P') || inst.num_results != 1 || inst.num_sources == 0 ||
        inst.num_sources > kMaxSources || mir::Info(inst.op).Has('M')) {
      return false;
    }
    std::array<ValueId, kMaxSources> sources;
    for (int i = 0; i < inst.num_sources; ++i) sources[i] = m_.source(id, i);
    flags_ = inst.flags;
    const auto span = absl::MakeSpan(sources.data(), inst.num_sources);
    const bool swapped = Canonicalise(inst.op, span);
    const std::optional<ValueId> better =
        Better(inst.op, m_.value(m_.result(id)).type, span, /*ask=*/true);
    if (better.has_value()) {
      replace_.Replace(m_.result(id), *better);
      return true;
    }
    if (swapped && Allowed()) mir::SetSources(m_, id, span);
    return false;
  }

  static bool IsPosition(Op op) {
    return op == Op::kLocalIndex || op == Op::kSubgroupInvocation || op == Op::kSubgroupId;
  }

  // The only invocation of a workgroup is the first of its only subgroup.
  bool VisitPosition(InstId id) {
    if (!m_.RunsAlone() || !Allowed()) return false;
    replace_.Replace(m_.result(id), b_.Int(0));
    return true;
  }

  // Replaces loads from the module's constant tables at a constant offset.
  bool VisitLoadConstant(InstId id) {
    const ValueId offset = m_.source(id, 0);
    if (!m_.IsConstant(offset)) return false;
    const int n = m_.inst(id).num_results;
    const uint64_t begin = m_.value(offset).bits;
    const uint32_t size = mir::BytesOf(m_.value(m_.result(id)).type);
    if (begin + uint64_t{size} * n > m_.constant_data.size() || !Allowed()) return false;
    for (int i = 0; i < n; ++i) {
      uint64_t bits = 0;
      for (uint32_t k = size; k-- > 0;) bits = bits << 8 | m_.constant_data[begin + size * i + k];
      const ValueId result = m_.result(id, i);
      replace_.Replace(result, b_.Constant(m_.value(result).type, bits));
    }
    return true;
  }

  bool Allowed() {
    if (!context_.Rewrite()) return false;
    changed_ = true;
    return true;
  }

  // Puts constants second in commutative operations.
  bool Canonicalise(Op op, absl::Span<ValueId> sources) const {
    if (!mir::Info(op).Has('C') || !m_.IsConstant(sources[0]) || m_.IsConstant(sources[1])) {
      return false;
    }
    std::swap(sources[0], sources[1]);
    return true;
  }

  // Treats an undefined source of float arithmetic as a NaN, so that most operations on undefined
  // values are not computed. (Mesa 25.0.7 chooses so too, nir_opt_undef.)
  absl::Span<const ValueId> Defined(Op op, absl::Span<const ValueId> sources,
                                    absl::Span<ValueId> room) {
    const std::string_view signature = mir::Info(op).signature;
    if (sources.size() > room.size() || signature.back() != 'f') return sources;
    bool any = false;
    for (size_t i = 0; i < sources.size(); ++i) {
      const Value& value = m_.value(sources[i]);
      const bool undefined = value.kind == Value::Kind::kUndef;
      room[i] = undefined ? b_.Constant(value.type, QuietNan(value.type)) : sources[i];
      any |= undefined;
    }
    return any ? room.first(sources.size()) : sources;
  }
  static uint64_t QuietNan(Type type) {
    return type == Type::kF16 ? 0x7e00 : type == Type::kF32 ? 0x7fc00000 : 0x7ff8000000000000;
  }

  // Returns a value that is equal to `op` of these sources and cheaper, if there is one.
  // `ask`: this replaces an instruction of the program and counts as a rewrite.
  std::optional<ValueId> Better(Op op, Type type, absl::Span<const ValueId> given, bool ask) {
    if (IsLeftToTarget(m_.stage, op, flags_)) return std::nullopt;
    std::array<ValueId, kMaxSources> defined;
    const absl::Span<const ValueId> sources = Defined(op, given, absl::MakeSpan(defined));
    const std::optional<uint64_t> folded = Fold(op, type, sources);
    if (folded.has_value()) {
      if (ask && !Allowed()) return std::nullopt;
      return b_.Constant(type, *folded);
    }
    if (const std::optional<ValueId> known = FromKnownBits(op, type, sources, ask)) return known;
    const RuleIndex& index = CompiledRules();
    const Given described = Describe(sources);
    for (uint32_t r = index.first[static_cast<int>(op)]; r < index.first[static_cast<int>(op) + 1];
         ++r) {
      const CompiledRule& rule = index.rules[r];
      if (!described.Has(rule)) continue;
      if ((rule.unless & flags_) != 0) continue;
      if (rule.only_32_bits && mir::BitsOf(m_.value(sources[0]).type) != 32) continue;
      if (rule.not_of_doubles && type == Type::kF64) continue;
      Bindings bound;
      bound.flags = flags_;
      if (!MatchSources(rule.pattern, sources, bound) || (rule.unless & bound.flags) != 0) continue;
      if (!Gives(rule.replacement, type, bound)) continue;
      if (!ConstantsFold(rule.replacement, type, bound)) continue;
      if (ask && !Allowed()) return std::nullopt;
      const uint16_t before = std::exchange(flags_, bound.flags);
      const ValueId value = Instantiate(rule.replacement, type, bound);
      flags_ = before;
      return value;
    }
    return std::nullopt;
  }

  std::optional<uint64_t> Fold(Op op, Type type, absl::Span<const ValueId> sources) const {
    std::array<uint64_t, kMaxSources> bits;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!m_.IsConstant(sources[i])) return std::nullopt;
      bits[i] = m_.value(sources[i]).bits;
    }
    return FoldOp(op, type, m_.value(sources[0]).type,
                  absl::MakeConstSpan(bits.data(), sources.size()),
                  mir::RoundsToZero(m_, op, type));
  }

  // ---- Known bits ----

  // Simplifies by bits that are certainly 0 (known_bits.h).
  std::optional<ValueId> FromKnownBits(Op op, Type type, absl::Span<const ValueId> sources,
                                       bool ask) {
    if (sources.size() != 2 || m_.value(sources[0]).type != Type::kI32) return std::nullopt;
    const KnownBits known = SimplifyByKnownBits(m_, op, sources[0], sources[1]);
    if (known.kind == KnownBits::Kind::kNothing || (ask && !Allowed())) return std::nullopt;
    switch (known.kind) {
      case KnownBits::Kind::kConstant: return b_.Constant(type, known.constant);
      case KnownBits::Kind::kFirst: return sources[0];
      default: break;
    }
    std::array<ValueId, 2> same = {sources[0], sources[1]};
    return Emit(known.op, type, absl::MakeSpan(same));
  }

  // ---- Matching ----

  // Facts about the sources by which rules are excluded before they are matched.
  struct Given {
    bool constant = false;            // one of them is one
    bool equal = false;               // two of them are the same
    std::array<Op, kMaxSources> ops;  // by source: the op that defines it

    bool Has(const CompiledRule& rule) const {
      if ((rule.needs_constant && !constant) || (rule.needs_equal && !equal)) return false;
      return rule.needs_op == Op::kUnreachable ||
             std::find(ops.begin(), ops.end(), rule.needs_op) != ops.end();
    }
  };

  Given Describe(absl::Span<const ValueId> sources) const {
    Given given;
    given.ops.fill(Op::kUnreachable);
    for (size_t i = 0; i < sources.size(); ++i) {
      const Value& value = m_.value(sources[i]);
      given.constant |= value.kind == Value::Kind::kConstant;
      given.equal |=
          std::find(sources.begin(), sources.begin() + i, sources[i]) != sources.begin() + i;
      if (value.kind == Value::Kind::kResult) given.ops[i] = m_.inst(InstId(value.owner)).op;
    }
    return given;
  }

  bool MatchSources(const Pattern& p, absl::Span<const ValueId> sources, Bindings& bound) const {
    const Bindings before = bound;
    if (MatchInOrder(p, sources, bound, false)) return true;
    if (!mir::Info(p.op).Has('C')) return false;
    bound = before;
    return MatchInOrder(p, sources, bound, true);
  }

  bool MatchInOrder(const Pattern& p, absl::Span<const ValueId> sources, Bindings& bound,
                    bool swap) const {
    for (size_t i = 0; i < sources.size(); ++i) {
      const size_t from = swap && i < 2 ? 1 - i : i;
      if (!Match(p.sources[i], sources[from], bound)) return false;
    }
    return true;
  }

  bool Match(const Pattern& p, ValueId v, Bindings& bound) const {
    const Value& value = m_.value(v);
    switch (p.kind) {
      case Pattern::Kind::kLiteral:
        return value.kind == Value::Kind::kConstant && LiteralBits(p, value.type) == value.bits;
      case Pattern::Kind::kVariable: {
        if (p.must_be_constant && value.kind != Value::Kind::kConstant) return false;
        if (p.guard != Guard::kNone && !Satisfies(p.guard, value.type, value.bits)) return false;
        ValueId& slot = bound.values[p.variable];
        if (slot.valid()) return slot == v;
        slot = v;
        return true;
      }
      case Pattern::Kind::kOp: {
        if (value.kind != Value::Kind::kResult) return false;
        const InstId def(value.owner);
        if (m_.inst(def).op != p.op) return false;
        bound.flags |= m_.inst(def).flags & mir::kExact;
        return MatchSources(p, m_.sources(def), bound);
      }
    }
    return false;
  }

  // ---- Replacement ----

  static bool IsConstantPattern(const Pattern& p) {
    if (p.kind == Pattern::Kind::kVariable) return p.must_be_constant;
    if (p.kind == Pattern::Kind::kLiteral) return true;
    for (const Pattern& s : p.sources) {
      if (!IsConstantPattern(s)) return false;
    }
    return true;
  }

  Type BoundType(const Pattern& variable, const Bindings& bound) const {
    return m_.value(bound.values[variable.variable]).type;
  }

  // The type of a pattern in a position where `expected` would fit.
  Type TypeOf(const Pattern& p, Type expected, const Bindings& bound) const {
    if (p.kind == Pattern::Kind::kVariable) return BoundType(p, bound);
    if (p.kind == Pattern::Kind::kLiteral) return expected;
    return LetterType(p, mir::Info(p.op).signature[0], expected, bound);
  }

  // The type for a letter of the op's signature: one of a few fixed types, or the type of a source
  // with that letter; if there is neither (conversions), `expected`.
  Type LetterType(const Pattern& p, char letter, Type expected, const Bindings& bound) const {
    if (letter == 'b') return Type::kBool;
    if (letter == 'u') return Type::kI32;
    if (letter == 's') return Type::kF32;
    if (letter == 'd') return Type::kF64;
    const std::string_view signature = mir::Info(p.op).signature;
    const size_t first = signature.find('=') + 1;
    for (size_t i = 0; i < p.sources.size(); ++i) {
      if (signature[first + i] != letter || p.sources[i].kind == Pattern::Kind::kLiteral) continue;
      return TypeOf(p.sources[i], expected, bound);
    }
    return expected;
  }

  Type SourceType(const Pattern& p, size_t i, Type result, const Bindings& bound) const {
    const std::string_view signature = mir::Info(p.op).signature;
    const char letter = signature[signature.find('=') + 1 + i];
    return letter == signature[0] ? result : LetterType(p, letter, result, bound);
  }

  // Returns true if the replacement is a value of the type.
  bool Gives(const Pattern& p, Type type, const Bindings& bound) const {
    if (p.kind == Pattern::Kind::kLiteral) return LiteralBits(p, type).has_value();
    return TypeOf(p, type, bound) == type;
  }

  std::optional<uint64_t> Evaluate(const Pattern& p, Type type, const Bindings& bound) const {
    if (p.kind == Pattern::Kind::kVariable) return m_.value(bound.values[p.variable]).bits;
    if (p.kind == Pattern::Kind::kLiteral) return LiteralBits(p, type);
    std::array<uint64_t, kMaxSources> bits;
    for (size_t i = 0; i < p.sources.size(); ++i) {
      const std::optional<uint64_t> source =
          Evaluate(p.sources[i], SourceType(p, i, type, bound), bound);
      if (!source.has_value()) return std::nullopt;
      bits[i] = *source;
    }
    return FoldOp(p.op, type, TypeOf(p.sources[0], SourceType(p, 0, type, bound), bound),
                  absl::MakeConstSpan(bits.data(), p.sources.size()),
                  mir::RoundsToZero(m_, p.op, type));
  }

  // Returns true if every computation on constants in the replacement can be folded.
  bool ConstantsFold(const Pattern& p, Type type, const Bindings& bound) const {
    if (p.kind != Pattern::Kind::kOp) return true;
    if (IsConstantPattern(p)) return Evaluate(p, type, bound).has_value();
    for (size_t i = 0; i < p.sources.size(); ++i) {
      if (!ConstantsFold(p.sources[i], SourceType(p, i, type, bound), bound)) return false;
    }
    return true;
  }

  ValueId Instantiate(const Pattern& p, Type type, const Bindings& bound) {
    if (p.kind == Pattern::Kind::kVariable) return bound.values[p.variable];
    if (p.kind == Pattern::Kind::kLiteral) return b_.Constant(type, *LiteralBits(p, type));
    std::array<ValueId, kMaxSources> sources;
    for (size_t i = 0; i < p.sources.size(); ++i) {
      sources[i] = Instantiate(p.sources[i], SourceType(p, i, type, bound), bound);
    }
    return Emit(p.op, type, absl::MakeSpan(sources.data(), p.sources.size()));
  }

  ValueId Emit(Op op, Type type, absl::Span<ValueId> sources) {
    Canonicalise(op, sources);
    const std::optional<ValueId> better = Better(op, type, sources, /*ask=*/false);
    if (better.has_value()) return *better;
    b_.set_flags(flags_);
    return m_.result(b_.EmitInst(op, sources, absl::MakeConstSpan(&type, 1)));
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  PassContext& context_;
  uint16_t flags_ = 0;  // of the instructions being replaced
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> Simplify(Module& module, PassContext& context) {
  return Simplifier(module, context).Run();
}

}  // namespace kiln::mid
