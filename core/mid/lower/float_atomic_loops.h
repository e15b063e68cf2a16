// Loops of compare-exchanges in place of the float atomics that a target lacks. Internal to this
// folder: lower_float_atomics.h and lower_double_atomics.h say what for.
#ifndef KILN_CORE_MID_LOWER_FLOAT_ATOMIC_LOOPS_H_
#define KILN_CORE_MID_LOWER_FLOAT_ATOMIC_LOOPS_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"
#include "core/mid/features.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {

class FloatAtomicLoops {
 public:
  FloatAtomicLoops(mir::Module& module, const Features::FloatAtomics& has, bool doubles)
      : m_(module),
        has_(has),
        doubles_(doubles),
        word_(doubles ? mir::Type::kI64 : mir::Type::kI32),
        b_(module),
        replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](mir::InstId id) {
      if (!ToLower(id)) return true;
      Lower(id);
      return false;
    });
    replace_.Apply(m_);
    return changed_;
  }

 private:
  mir::AtomicOp OpOf(const mir::Inst& inst) const {
    return inst.op == mir::Op::kImageAtomic ? m_.texel_ops[inst.imm1].atomic
                                            : static_cast<mir::AtomicOp>(inst.imm1);
  }

  bool ToLower(mir::InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op == mir::Op::kImageAtomic)
      return !doubles_ && !has_.on_images && mir::IsFloatAtomic(OpOf(inst));
    if (inst.op != mir::Op::kSsboAtomic && inst.op != mir::Op::kSharedAtomic &&
        inst.op != mir::Op::kGlobalAtomic) {
      return false;
    }
    if ((m_.value(m_.result(id)).type == mir::Type::kF64) != doubles_) return false;
    if (IsShort(id) && !has_.of_16_bits) return true;
    return mir::IsFloatAtomic(OpOf(inst)) &&
           !(OpOf(inst) == mir::AtomicOp::kFadd ? has_.add : has_.min_max);
  }

  bool IsShort(mir::InstId id) const { return mir::BytesOf(m_.value(m_.result(id)).type) == 2; }

  // The atomic as an access to a dword, without its operands. `shift`: the position of a 16-bit
  // value in the dword.
  struct Location {
    mir::Inst inst;
    std::vector<mir::ValueId> sources;
    mir::ValueId shift;
  };
  Location LocationOf(mir::InstId id) {
    Location location;
    location.inst = m_.inst(id);
    const absl::Span<const mir::ValueId> all = m_.sources(id);
    location.sources.assign(all.begin(), all.end() - mir::AtomicOperands(OpOf(location.inst)));
    if (location.inst.op == mir::Op::kImageAtomic || !IsShort(id)) return location;
    mir::ValueId& offset = location.sources[mir::OffsetSource(location.inst)];
    location.shift = b_.Shl(b_.And(offset, b_.Int(2)), b_.Int(3));
    offset = b_.And(offset, b_.Int(~3u));
    return location;
  }

  // Emits another operation on the same dword, or double.
  mir::ValueId Access(const Location& location, mir::AtomicOp op,
                      std::initializer_list<mir::ValueId> values) {
    std::vector<mir::ValueId> sources = location.sources;
    sources.insert(sources.end(), values.begin(), values.end());
    uint32_t imm1 = static_cast<uint32_t>(op);
    if (location.inst.op == mir::Op::kImageAtomic) {
      mir::TexelOp texel = m_.texel_ops[location.inst.imm1];
      texel.atomic = op;
      imm1 = mir::AddTexelOp(m_, texel);
    }
    b_.set_flags(location.inst.flags);
    const mir::InstId access =
        b_.EmitInst(location.inst.op, sources, {word_}, location.inst.imm0, imm1);
    b_.set_flags(0);
    return m_.result(access);
  }

  // The 16-bit value in a dword, as an integer.
  mir::ValueId Part(const Location& location, mir::ValueId dword) {
    return b_.Convert(mir::Op::kTrunc, b_.Ushr(dword, location.shift), mir::Type::kI16);
  }

  // Computes the operation exactly: other invocations see the result, so no transformation is
  // allowed.
  mir::ValueId Combine(mir::AtomicOp op, mir::ValueId a, mir::ValueId b) {
    b_.set_flags(mir::kExact);
    const mir::ValueId combined = op == mir::AtomicOp::kFadd   ? b_.Fadd(a, b)
                                  : op == mir::AtomicOp::kFmin ? b_.Fmin(a, b)
                                                               : b_.Fmax(a, b);
    b_.set_flags(0);
    return combined;
  }

  // The new value of the dword.
  mir::ValueId Next(const Location& location, mir::ValueId before, mir::ValueId operand) {
    const mir::AtomicOp op = OpOf(location.inst);
    if (!location.shift.valid()) {
      const bool image = location.inst.op == mir::Op::kImageAtomic;  // operands are bits
      return b_.Bitcast(Combine(op, b_.Bitcast(before), image ? b_.Bitcast(operand) : operand));
    }
    mir::ValueId part = operand;
    if (mir::IsFloatAtomic(op)) {
      part = b_.Bitcast(Combine(op, b_.Bitcast(Part(location, before)), operand));
    }
    const mir::ValueId others = b_.And(before, b_.Not(b_.Shl(b_.Int(0xffff), location.shift)));
    return b_.Or(others, b_.Shl(b_.Convert(mir::Op::kZext, part, mir::Type::kI32), location.shift));
  }

  // The atomic's result, given the old dword.
  mir::ValueId Result(mir::InstId id, const Location& location, mir::ValueId before) {
    const mir::Type type = m_.value(m_.result(id)).type;
    const mir::ValueId bits = location.shift.valid() ? Part(location, before) : before;
    return mir::IsFloat(type) ? b_.Bitcast(bits) : bits;
  }

  void Lower(mir::InstId id) {
    changed_ = true;
    if (doubles_ && m_.inst(id).op == mir::Op::kSharedAtomic) NeedPairs(m_.inst(id).spirv_id);
    const Location location = LocationOf(id);
    const mir::ValueId first = Access(location, mir::AtomicOp::kLoad, {});
    if (OpOf(location.inst) == mir::AtomicOp::kLoad) {
      replace_.Replace(m_.result(id), Result(id, location, first));
      return;
    }
    const mir::ValueId operand = m_.sources(id).back();
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    const mir::InstId loop = b_.Loop({first});
    const mir::RegionId body = m_.inst(loop).regions[0];
    b_.SetRegion(body);
    const mir::ValueId expected = m_.region(body).params[0];
    const mir::ValueId found = Access(location, mir::AtomicOp::kCompareExchange,
                                      {expected, Next(location, expected, operand)});
    mir::ValueId done = b_.Ieq(found, expected);
    // The result of an exchange is undefined in helpers, which might never leave the loop.
    if (m_.stage == mir::Stage::kFragment) done = b_.Or(done, b_.HelperInvocation());
    const mir::InstId test = b_.If(done);
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

  mir::Module& m_;
  const Features::FloatAtomics has_;
  const bool doubles_;
  const mir::Type word_;  // in memory
  mir::Builder b_;
  mir::Replacements replace_;
  bool changed_ = false;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_FLOAT_ATOMIC_LOOPS_H_
