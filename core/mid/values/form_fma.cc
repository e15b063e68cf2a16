#include "core/mid/values/form_fma.h"

#include <vector>

#include "core/base/bitset.h"
#include "core/base/half.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"
#include "core/mir/uses.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::Value;
using mir::ValueId;

// A constant is worth a register if so many sums with two constants need it. With 2 or 3 there are
// as few instructions, and more registers.
constexpr uint32_t kSharedConstant = 4;

class Former {
 public:
  Former(Module& module, const Features& features, PassContext& context)
      : m_(module),
        b_(module),
        features_(features),
        context_(context),
        uses_(module),
        product_of_(module.insts.size()),
        asked_for_(module.values.size()),
        dead_(module.insts.size()) {}

  bool Run() {
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (m_.inst(id).op == Op::kFmul) CountConstants(id);
    });
    mir::ForEachInst(m_, m_.body, [&](InstId id) {
      if (m_.inst(id).op == Op::kFmul) Claim(id);
    });
    if (!changed_) return false;
    mir::RewriteInsts(b_, m_.body, [&](InstId id) {
      if (id.index < product_of_.size() && product_of_[id.index].valid()) Fuse(id);
      return true;
    });
    mir::RemoveInsts(m_, dead_);
    return true;
  }

 private:
  bool MayFuse(InstId id) const {
    if ((m_.inst(id).flags & mir::kNoContraction) != 0) return false;
    const Type type = m_.value(m_.result(id)).type;
    return type == Type::kF32 ||
           (features_.fuses_all_widths && (type == Type::kF16 || type == Type::kF64));
  }

  // Returns true for 0, and 0.5, 1, 2 and 4 of either sign, for targets with literals.
  bool IsFreePower(ValueId constant) const {
    const Value& value = m_.value(constant);
    const uint32_t bits = mir::BitsOf(value.type);
    const uint32_t mantissa = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    const uint64_t size = value.bits & ~(uint64_t{1} << (bits - 1));
    const uint64_t bias = (uint64_t{1} << (bits - 2 - mantissa)) - 1;  // exponent of 1
    const uint64_t exponent = size >> mantissa;
    return value.bits == 0 ||
           (exponent + 1 >= bias && exponent <= bias + 2 && size == exponent << mantissa);
  }

  // Returns true if a sum fused with the product needs a register for a constant.
  bool NeedsRegister(InstId product, InstId sum) const {
    if (features_.constant_addends != Features::Addends::kOneLiteral) {
      return Constants(product) + AddsConstant(sum) > 1;
    }
    int literals = AddsConstant(sum) ? 1 : 0;
    for (ValueId v : m_.sources(product)) {
      literals += m_.IsConstant(v) && !IsFreePower(v) ? 1 : 0;
    }
    return literals > 1;
  }

  int Constants(InstId product) const {
    return m_.IsConstant(m_.source(product, 0)) + m_.IsConstant(m_.source(product, 1));
  }

  // Returns true if a sum adds a constant for which the target's multiply-add needs a register. The
  // constant's sign does not matter.
  bool AddsConstant(InstId sum) const {
    for (ValueId v : m_.sources(sum)) {
      if (!m_.IsConstant(v)) continue;
      switch (features_.constant_addends) {
        case Features::Addends::kNone: return true;
        case Features::Addends::kExactHalves:
          return !ExactHalf(static_cast<uint32_t>(m_.value(v).bits)).has_value();
        case Features::Addends::kOneLiteral: return !IsFreePower(v);
      }
    }
    return false;
  }

  // Returns true if the sum can be fused with a product, apart from their constants.
  bool CanFuse(InstId sum) const {
    const Op op = m_.inst(sum).op;
    return (op == Op::kFadd || op == Op::kFsub) && MayFuse(sum) &&
           m_.source(sum, 0) != m_.source(sum, 1);
  }

  // Counts the constants for which sums with two of them would need registers.
  void CountConstants(InstId product) {
    if (!MayFuse(product) || Constants(product) != 1) return;
    for (const mir::Use& use : uses_.Of(m_.result(product))) {
      if (!CanFuse(use.inst) || !NeedsRegister(product, use.inst)) continue;
      for (InstId id : {product, use.inst}) {
        for (ValueId v : m_.sources(id)) asked_for_[v.index] += m_.IsConstant(v);
      }
    }
  }

  // Returns true if the constants of the sum and its product are worth their registers.
  bool ConstantsPay(InstId product, InstId sum) const {
    if (!NeedsRegister(product, sum)) return true;
    for (InstId id : {product, sum}) {
      for (ValueId v : m_.sources(id)) {
        if (m_.IsConstant(v) && asked_for_[v.index] < kSharedConstant) return false;
      }
    }
    return true;
  }

  // Claims the product if all its uses can be fused with it.
  void Claim(InstId product) {
    const ValueId v = m_.result(product);
    if (!MayFuse(product) || uses_.Unused(v)) return;
    for (const mir::Use& use : uses_.Of(v)) {
      if (!CanFuse(use.inst) || product_of_[use.inst.index].valid() ||
          !ConstantsPay(product, use.inst)) {
        return;
      }
    }
    if (!context_.Rewrite()) return;
    changed_ = true;
    dead_.set(product.index);
    for (const mir::Use& use : uses_.Of(v)) product_of_[use.inst.index] = product;
  }

  // Turns the sum into an ffma; negations that it needs are emitted before it.
  void Fuse(InstId sum) {
    const InstId product = product_of_[sum.index];
    const bool difference = m_.inst(sum).op == Op::kFsub;
    const bool first = m_.source(sum, 0) == m_.result(product);
    ValueId a = m_.source(product, 0), b = m_.source(product, 1);
    ValueId c = m_.source(sum, first ? 1 : 0);
    if (difference && first) c = Negated(c);
    // Negates the constant if there is one: that takes no instruction.
    if (difference && !first) (m_.IsConstant(b) ? b : a) = Negated(m_.IsConstant(b) ? b : a);
    mir::SetSources(m_, sum, {a, b, c});
    m_.inst(sum).op = Op::kFfma;
    m_.inst(sum).flags |= m_.inst(product).flags;
  }

  ValueId Negated(ValueId v) {
    const Value value = m_.value(v);
    if (value.kind == Value::Kind::kConstant) {
      return b_.Constant(value.type, value.bits ^ (uint64_t{1} << (mir::BitsOf(value.type) - 1)));
    }
    if (value.kind == Value::Kind::kResult) {
      const InstId def(value.owner);
      if (m_.inst(def).op == Op::kFneg) return m_.source(def, 0);
    }
    return b_.Fneg(v);
  }

  Module& m_;
  mir::Builder b_;
  const Features& features_;
  PassContext& context_;
  const mir::Uses uses_;
  std::vector<InstId> product_of_;   // by sum that becomes an ffma
  std::vector<uint32_t> asked_for_;  // by value, of constants: uses in sums with two constants
  BitSet dead_;                      // products that were fused
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> FormFma(Module& module, const Features& features, PassContext& context) {
  return Former(module, features, context).Run();
}

}  // namespace kiln::mid
