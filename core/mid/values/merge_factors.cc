#include "core/mid/values/merge_factors.h"

#include <cstdint>
#include <optional>

#include "core/base/bitset.h"
#include "core/mid/values/fold.h"
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

bool IsNormal(Type type, uint64_t bits) {
  const uint64_t exponents = type == Type::kF16   ? 0x7c00
                             : type == Type::kF32 ? 0x7f800000
                                                  : 0x7ff0000000000000;
  return (bits & exponents) != 0 && (bits & exponents) != exponents;
}

class Merger {
 public:
  Merger(Module& module, PassContext& context)
      : m_(module), b_(module), context_(context), uses_(module), dead_(module.insts.size()) {}

  bool Run() {
    bool changed = false;
    mir::ForEachInst(m_, m_.body, [&](InstId id) { changed |= Merge(id); });
    if (changed) mir::RemoveInsts(m_, dead_);
    return changed;
  }

 private:
  // The index of the constant source, if the instruction is a product of a value and a constant
  // that may be reassociated.
  std::optional<int> FactorOf(InstId id) const {
    if (m_.inst(id).op != Op::kFmul || (m_.inst(id).flags & mir::kNoReassociation) != 0) return {};
    const bool first = m_.IsConstant(m_.source(id, 0)), second = m_.IsConstant(m_.source(id, 1));
    if (first == second) return {};
    return first ? 0 : 1;
  }

  bool Merge(InstId outer) {
    const std::optional<int> factor = FactorOf(outer);
    if (!factor.has_value()) return false;
    const ValueId v = m_.source(outer, 1 - *factor);
    const Value& value = m_.value(v);
    if (value.kind != Value::Kind::kResult || uses_.Of(v).size() != 1) return false;
    const InstId inner(value.owner);
    const std::optional<int> other = FactorOf(inner);
    if (!other.has_value()) return false;
    const Type type = value.type;
    const uint64_t factors[] = {m_.value(m_.source(inner, *other)).bits,
                                m_.value(m_.source(outer, *factor)).bits};
    const std::optional<uint64_t> product =
        FoldOp(Op::kFmul, type, type, factors, mir::RoundsToZero(m_, Op::kFmul, type));
    if (!product.has_value() || !IsNormal(type, *product) || !context_.Rewrite()) return false;
    const ValueId constant = b_.Constant(type, *product);
    mir::SetSources(m_, outer, {m_.source(inner, 1 - *other), constant});
    m_.inst(outer).flags |= m_.inst(inner).flags;
    dead_.set(inner.index);
    return true;
  }

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  const mir::Uses uses_;
  BitSet dead_;  // products that were merged into others
};

}  // namespace

absl::StatusOr<bool> MergeFactors(Module& module, PassContext& context) {
  return Merger(module, context).Run();
}

}  // namespace kiln::mid
