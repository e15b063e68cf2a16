#include "core/mid/lower/lower_float_atomics.h"

#include <vector>

#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::AtomicOp;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

class Lowering {
 public:
  Lowering(Module& module, const Features::FloatAtomics& has, bool doubles)
      : m_(module),
        has_(has),
        doubles_(doubles),
        word_(doubles ? Type::kI64 : Type::kI32),
        b_(module),
        replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) {
      if (!ToLower(id)) return true;
      Lower(id);
      return false;
    });
    replace_.Apply(m_);
    return changed_;
  }

 private:
  AtomicOp OpOf(const mir::Inst& inst) const {
    return inst.op == Op::kImageAtomic ? m_.texel_ops[inst.imm1].atomic
                                       : static_cast<AtomicOp>(inst.imm1);
  }

  bool ToLower(InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op == Op::kImageAtomic)
      return !doubles_ && !has_.on_images && mir::IsFloatAtomic(OpOf(inst));
    if (inst.op != Op::kSsboAtomic && inst.op != Op::kSharedAtomic &&
        inst.op != Op::kGlobalAtomic) {
      return false;
    }
    if ((m_.value(m_.result(id)).type == Type::kF64) != doubles_) return false;
    if (IsShort(id) && !has_.of_16_bits) return true;
    return mir::IsFloatAtomic(OpOf(inst)) &&
           !(OpOf(inst) == AtomicOp::kFadd ? has_.add : has_.min_max);
  }

  bool IsShort(InstId id) const { return mir::BytesOf(m_.value(m_.result(id)).type) == 2; }

  // The atomic as an access to a dword, without its operands. `shift`: the position of a 16-bit
  // value in the dword.
  struct Location {
    mir::Inst inst;
    std::vector<ValueId> sources;
    ValueId shift;
  };
  Location LocationOf(InstId id) {
    Location location;
    location.inst = m_.inst(id);
    const absl::Span<const ValueId> all = m_.sources(id);
    location.sources.assign(all.begin(), all.end() - mir::AtomicOperands(OpOf(location.inst)));
    if (location.inst.op == Op::kImageAtomic || !IsShort(id)) return location;
    ValueId& offset = location.sources[mir::OffsetSource(location.inst)];
    location.shift = b_.Shl(b_.And(offset, b_.Int(2)), b_.Int(3));
    offset = b_.And(offset, b_.Int(~3u));
    return location;
  }

  // Emits another operation on the same dword, or double.
  ValueId Access(const Location& location, AtomicOp op, std::initializer_list<ValueId> values) {
    std::vector<ValueId> sources = location.sources;
    sources.insert(sources.end(), values.begin(), values.end());
    uint32_t imm1 = static_cast<uint32_t>(op);
    if (location.inst.op == Op::kImageAtomic) {
      mir::TexelOp texel = m_.texel_ops[location.inst.imm1];
      texel.atomic = op;
      imm1 = mir::AddTexelOp(m_, texel);
    }
    b_.set_flags(location.inst.flags);
    const InstId access = b_.EmitInst(location.inst.op, sources, {word_}, location.inst.imm0, imm1);
    b_.set_flags(0);
    return m_.result(access);
  }

  // The 16-bit value in a dword, as an integer.
  ValueId Part(const Location& location, ValueId dword) {
    return b_.Convert(Op::kTrunc, b_.Ushr(dword, location.shift), Type::kI16);
  }

  // Computes the operation exactly: other invocations see the result, so no transformation is
  // allowed.
  ValueId Combine(AtomicOp op, ValueId a, ValueId b) {
    b_.set_flags(mir::kExact);
    const ValueId combined = op == AtomicOp::kFadd   ? b_.Fadd(a, b)
                             : op == AtomicOp::kFmin ? b_.Fmin(a, b)
                                                     : b_.Fmax(a, b);
    b_.set_flags(0);
    return combined;
  }

  // The new value of the dword.
  ValueId Next(const Location& location, ValueId before, ValueId operand) {
    const AtomicOp op = OpOf(location.inst);
    if (!location.shift.valid()) {
      const bool image = location.inst.op == Op::kImageAtomic;  // operands are bits
      return b_.Bitcast(Combine(op, b_.Bitcast(before), image ? b_.Bitcast(operand) : operand));
    }
    ValueId part = operand;
    if (mir::IsFloatAtomic(op)) {
      part = b_.Bitcast(Combine(op, b_.Bitcast(Part(location, before)), operand));
    }
    const ValueId others = b_.And(before, b_.Not(b_.Shl(b_.Int(0xffff), location.shift)));
    return b_.Or(others, b_.Shl(b_.Convert(Op::kZext, part, Type::kI32), location.shift));
  }

  // The atomic's result, given the old dword.
  ValueId Result(InstId id, const Location& location, ValueId before) {
    const Type type = m_.value(m_.result(id)).type;
    const ValueId bits = location.shift.valid() ? Part(location, before) : before;
    return mir::IsFloat(type) ? b_.Bitcast(bits) : bits;
  }

  void Lower(InstId id) {
    changed_ = true;
    if (doubles_ && m_.inst(id).op == Op::kSharedAtomic) NeedPairs(m_.inst(id).spirv_id);
    const Location location = LocationOf(id);
    const ValueId first = Access(location, AtomicOp::kLoad, {});
    if (OpOf(location.inst) == AtomicOp::kLoad) {
      replace_.Replace(m_.result(id), Result(id, location, first));
      return;
    }
    const ValueId operand = m_.sources(id).back();
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    const InstId loop = b_.Loop({first});
    const RegionId body = m_.inst(loop).regions[0];
    b_.SetRegion(body);
    const ValueId expected = m_.region(body).params[0];
    const ValueId found =
        Access(location, AtomicOp::kCompareExchange, {expected, Next(location, expected, operand)});
    ValueId done = b_.Ieq(found, expected);
    // The result of an exchange is undefined in helpers, which might never leave the loop.
    if (m_.stage == mir::Stage::kFragment) done = b_.Or(done, b_.HelperInvocation());
    const InstId test = b_.If(done);
    b_.SetRegion(m_.inst(test).regions[0]);
    b_.Break({found});
    b_.SetRegion(m_.inst(test).regions[1]);
    b_.Yield();
    b_.SetRegion(body);
    b_.Continue({found});
    mir::SetResults(m_, loop, {word_});
    b_.SetInsertionPoint(outer);
    replace_.Replace(m_.result(id), Result(id, location, m_.result(loop)));
  }

  void NeedPairs(uint32_t spirv_id) {
    if (m_.Needs(mir::Need::kSharedInt64Atomics)) return;
    m_.needs.push_back({.need = mir::Need::kSharedInt64Atomics, .spirv_id = spirv_id});
  }

  Module& m_;
  const Features::FloatAtomics has_;
  const bool doubles_;
  const Type word_;  // in memory
  mir::Builder b_;
  mir::Replacements replace_;
  bool changed_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerFloatAtomics(Module& module, const Features& features, PassContext&) {
  return Lowering(module, features.float_atomics, false).Run();
}

absl::StatusOr<bool> LowerDoubleAtomics(Module& module, const Features& features, PassContext&) {
  if (!module.Needs(mir::Need::kFloat64Atomics)) return false;
  return Lowering(module, features.float_atomics, true).Run();
}

}  // namespace kiln::mid
