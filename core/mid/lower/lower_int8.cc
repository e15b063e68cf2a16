#include "core/mid/lower/lower_int8.h"

#include <vector>

#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Type;
using mir::ValueId;

// Returns true for ops whose result depends on the signs of their sources; the others get
// zero-extended sources.
bool LooksAtSigns(Op op) {
  switch (op) {
    case Op::kSmulHigh:
    case Op::kSdiv:
    case Op::kSrem:
    case Op::kSmod:
    case Op::kIabs:
    case Op::kIsign:
    case Op::kImin:
    case Op::kImax:
    case Op::kAshr:
    case Op::kFindSmsb:
    case Op::kSlt:
    case Op::kSge:
    case Op::kI2f: return true;
    default: return false;
  }
}

class Lowering {
 public:
  explicit Lowering(Module& module) : m_(module), b_(module), replace_(module) {}

  bool Run() {
    mir::RewriteInsts(b_, m_.body, [&](InstId id) { return Visit(id); });
    replace_.Apply(m_);
    return lowered_;
  }

 private:
  // Returns true if the instruction stays.
  bool Visit(InstId id) {
    replace_.Resolve(m_, id);
    const bool scan = IsByteScan(id);
    if (!scan && !Computes(id)) return true;
    replace_.Replace(m_.result(id), scan ? LowerScan(id) : Lower(id));
    lowered_ = true;
    return false;
  }

  bool IsByte(ValueId v) const { return m_.value(v).type == Type::kI8; }

  // Returns true for an operation on bytes; conversions to and from integers stay.
  bool Computes(InstId id) const {
    const mir::Inst& inst = m_.inst(id);
    const mir::OpInfo& info = mir::Info(inst.op);
    if (!info.Has('P') || info.Has('M') || inst.num_results != 1 || inst.num_sources == 0) {
      return false;
    }
    if (inst.op == Op::kZext || inst.op == Op::kSext || inst.op == Op::kTrunc) return false;
    if (IsByte(m_.result(id))) return true;
    for (ValueId v : m_.sources(id)) {
      if (IsByte(v)) return true;
    }
    return false;
  }

  bool IsByteScan(InstId id) const {
    switch (m_.inst(id).op) {
      case Op::kReduce:
      case Op::kInclusiveScan:
      case Op::kExclusiveScan: return IsByte(m_.result(id));
      default: return false;
    }
  }

  ValueId LowerScan(InstId id) {
    const mir::Inst inst = m_.inst(id);
    const auto op = static_cast<mir::ReduceOp>(inst.imm0);
    const bool looks_at_sign = op == mir::ReduceOp::kImin || op == mir::ReduceOp::kImax;
    const bool upper = looks_at_sign && inst.op == Op::kExclusiveScan;
    const Type word = Type::kI16;
    ValueId v = b_.Convert(looks_at_sign ? Op::kSext : Op::kZext, m_.source(id, 0), word);
    if (upper) v = b_.Shl(v, b_.Int(8));
    v = m_.result(b_.EmitInst(inst.op, {v}, absl::MakeConstSpan(&word, 1), inst.imm0, inst.imm1));
    if (upper) v = b_.Ushr(v, b_.Int(8));
    return b_.Convert(Op::kTrunc, v, Type::kI8);
  }

  ValueId Extend(ValueId v, bool is_signed) {
    if (!IsByte(v)) return v;
    const mir::Value& value = m_.value(v);
    if (value.kind == mir::Value::Kind::kConstant) {
      return b_.IntOf(Type::kI32, is_signed ? mir::SignExtend(Type::kI8, value.bits)
                                            : static_cast<int64_t>(value.bits));
    }
    return b_.Convert(is_signed ? Op::kSext : Op::kZext, v, Type::kI32);
  }

  ValueId Lower(InstId id) {
    const mir::Inst inst = m_.inst(id);
    const Type type = m_.value(m_.result(id)).type;
    std::vector<ValueId> s;
    for (int i = 0; i < inst.num_sources; ++i) {
      s.push_back(Extend(m_.source(id, i), LooksAtSigns(inst.op)));
    }
    const ValueId wide = Wide(inst.op, type, s);
    if (type != Type::kI8) return wide;
    return b_.Convert(Op::kTrunc, wide, Type::kI8);
  }

  ValueId Low(ValueId v, uint32_t mask) { return b_.And(v, b_.Int(mask)); }

  // The op on 32 bits; if the result has 8, only the low 8 bits are right.
  ValueId Wide(Op op, Type type, const std::vector<ValueId>& s) {
    switch (op) {
      case Op::kShl:
      case Op::kUshr:
      case Op::kAshr: return b_.Emit(op, {s[0], Low(s[1], 7)});
      case Op::kUmulHigh:
      case Op::kSmulHigh: return b_.Ushr(b_.Imul(s[0], s[1]), b_.Int(8));
      case Op::kUaddCarry: return b_.Ushr(b_.Iadd(s[0], s[1]), b_.Int(8));
      case Op::kBitReverse: return b_.Ushr(b_.BitReverse(s[0]), b_.Int(24));
      case Op::kBitfieldInsert: return b_.BitfieldInsert(s[0], s[1], Low(s[2], 7), s[3]);
      case Op::kUbitfieldExtract: return b_.UbitfieldExtract(s[0], Low(s[1], 7), s[2]);
      case Op::kSbitfieldExtract: return SignedField(s);
      case Op::kF2i: return b_.Imin(b_.Imax(b_.F2i(s[0]), b_.IntOf(Type::kI32, -128)), b_.Int(127));
      case Op::kF2u: return b_.Umin(b_.F2u(s[0]), b_.Int(255));
      case Op::kI2f:
      case Op::kU2f: return b_.Convert(op, s[0], type);
      default: return b_.Emit(op, s);
    }
  }

  // A count of 8 or more means all of the byte.
  ValueId SignedField(const std::vector<ValueId>& s) {
    const ValueId offset = Low(s[1], 7);
    const ValueId field = b_.SbitfieldExtract(s[0], offset, s[2]);
    const ValueId all = b_.Ashr(b_.SbitfieldExtract(s[0], b_.Int(0), b_.Int(8)), offset);
    return b_.Select(b_.Uge(s[2], b_.Int(8)), all, field);
  }

  Module& m_;
  mir::Builder b_;
  mir::Replacements replace_;
  bool lowered_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerInt8(Module& module, PassContext&) {
  if (!mir::HasValuesOf(module, Type::kI8)) return false;
  return Lowering(module).Run();
}

}  // namespace kiln::mid
