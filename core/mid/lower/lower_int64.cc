#include "core/mid/lower/lower_int64.h"

#include <utility>
#include <vector>

#include "core/base/cause.h"
#include "core/mid/lower/scan_int64.h"
#include "core/mid/lower/wide_int.h"
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

class Lowering {
 public:
  explicit Lowering(Module& module)
      : m_(module), b_(module), wide_(b_), replace_(module), halves_(module.values.size()) {}

  absl::StatusOr<bool> Run() {
    Visit(m_.body);
    if (!status_.ok()) return status_;
    replace_.Apply(m_);
    return lowered_;
  }

 private:
  bool IsWide(ValueId v) const { return m_.value(v).type == Type::kI64; }

  Wide Halves(ValueId v) {
    const Value& value = m_.value(v);
    if (value.kind == Value::Kind::kConstant) return wide_.Constant(value.bits);
    if (value.kind == Value::Kind::kUndef) return {b_.Undef(Type::kI32), b_.Undef(Type::kI32)};
    return halves_[v.index];
  }

  void Visit(mir::RegionId region) {
    mir::RewriteRegion(b_, region, [&](InstId id) {
      replace_.Resolve(m_, id);
      if (VisitInst(id)) return false;
      if (m_.inst(id).op == Op::kLoop) SplitParams(m_.inst(id).regions[0]);
      for (int r = 0; r < m_.inst(id).num_regions; ++r) Visit(m_.inst(id).regions[r]);
      if (m_.inst(id).num_regions != 0) SplitResults(id);
      return true;
    });
  }

  // Returns true if the instruction is replaced. If it stays, its sources are split (ops with any
  // number of sources).
  bool VisitInst(InstId id) {
    const Inst inst = m_.inst(id);
    bool wide = false;
    for (int i = 0; inst.num_regions == 0 && i < inst.num_results; ++i) {
      wide = wide || IsWide(m_.result(id, i));
    }
    bool sources = false;
    for (ValueId v : m_.sources(id)) sources = sources || IsWide(v);
    if (!wide && !sources) return false;
    lowered_ = true;
    const mir::OpInfo& info = mir::Info(inst.op);
    const bool load = wide && !info.Has('W') && (info.Has('R') || info.Has('M'));
    if (load) return SplitLoad(id);
    if (mir::IsInterfaceOp(inst.op)) {
      Unexpected(id);  // its variable would have to be split too
      return false;
    }
    if (info.Has('X')) return SplitExchange(id);
    if (info.Has('P')) return Compute(id);
    if (info.Has('R')) return SplitAtomic(id);
    SplitSources(id, info.Has('W'));  // stores, jumps, ifs and loops
    return false;
  }

  void Unexpected(InstId id) {
    if (!status_.ok()) return;
    status_ = WithSpirvId(
        absl::InternalError("lower_int64: " + std::string(mir::Info(m_.inst(id).op).name) +
                            " of 64 bits"),
        m_.inst(id).spirv_id);
  }

  // Elements of one access have one size: doubles stored beside integers are split too.
  void SplitSources(InstId id, bool stores) {
    std::vector<ValueId> sources;
    const std::vector<ValueId> old(m_.sources(id).begin(), m_.sources(id).end());
    for (ValueId v : old) {
      if (stores && m_.value(v).type == Type::kF64) {
        sources.push_back(b_.F64Low(v));
        sources.push_back(b_.F64High(v));
        continue;
      }
      if (!IsWide(v)) {
        sources.push_back(v);
        continue;
      }
      const Wide halves = Halves(v);
      sources.push_back(halves.lo);
      sources.push_back(halves.hi);
    }
    mir::SetSources(m_, id, sources);
  }

  void SplitParams(mir::RegionId body) {
    const std::vector<ValueId> old = std::move(m_.region(body).params);
    m_.region(body).params.clear();
    for (ValueId p : old) {
      if (!IsWide(p)) {
        m_.value(p).component = static_cast<uint16_t>(m_.region(body).params.size());
        m_.region(body).params.push_back(p);
        continue;
      }
      const ValueId low = mir::AddParam(m_, body, Type::kI32);
      const ValueId high = mir::AddParam(m_, body, Type::kI32);
      Know(p, {low, high});
    }
  }

  // Splits the results of an if or a loop.
  void SplitResults(InstId id) {
    const Inst old = m_.inst(id);
    std::vector<Type> types;
    for (int i = 0; i < old.num_results; ++i) {
      const Type type = m_.value(m_.result(id, i)).type;
      types.push_back(type == Type::kI64 ? Type::kI32 : type);
      if (type == Type::kI64) types.push_back(Type::kI32);
    }
    if (types.size() == old.num_results) return;
    lowered_ = true;
    m_.inst(id).num_results = 0;
    mir::SetResults(m_, id, types);
    int next = 0;
    for (int i = 0; i < old.num_results; ++i) {
      const ValueId result(old.first_result.index + static_cast<uint32_t>(i));
      if (IsWide(result)) {
        Know(result, {m_.result(id, next), m_.result(id, next + 1)});
        next += 2;
      } else {
        replace_.Replace(result, m_.result(id, next++));
      }
    }
  }

  void Know(ValueId v, Wide halves) {
    if (halves_.size() <= v.index) halves_.resize(m_.values.size());
    halves_[v.index] = halves;
  }

  // Lowers a 64-bit atomic to one on pairs, which for buffers is by address; a load becomes an or
  // with 0, a store an exchange.
  bool SplitAtomic(InstId id) {
    const Inst inst = m_.inst(id);
    auto op = static_cast<mir::AtomicOp>(inst.imm1);
    std::vector<ValueId> operands;
    for (ValueId v : m_.sources(id).subspan(mir::FirstValueSource(inst))) {
      const Wide halves = Halves(v);
      operands.insert(operands.end(), {halves.lo, halves.hi});
    }
    if (op == mir::AtomicOp::kLoad) {
      op = mir::AtomicOp::kOr;
      operands = {b_.Int(0), b_.Int(0)};
    } else if (op == mir::AtomicOp::kStore) {
      op = mir::AtomicOp::kExchange;
    }
    Know(m_.result(id),
         inst.op == Op::kSharedAtomic
             ? OnPairs(Op::kSharedAtomic64, {m_.source(id, 0)}, op, operands)
         : inst.op == Op::kGlobalAtomic
             ? OnPairs(Op::kGlobalAtomic64, {m_.source(id, 0), m_.source(id, 1)}, op, operands)
             : InBuffer(id, op, operands));
    return true;
  }

  Wide OnPairs(Op wide, std::vector<ValueId> sources, mir::AtomicOp op,
               const std::vector<ValueId>& operands) {
    sources.insert(sources.end(), operands.begin(), operands.end());
    const InstId atomic =
        b_.EmitInst(wide, sources, {Type::kI32, Type::kI32}, 0, static_cast<uint32_t>(op));
    return {m_.result(atomic, 0), m_.result(atomic, 1)};
  }

  // Surfaces check bounds, addresses do not: an atomic that is not entirely inside the buffer has
  // no effect.
  Wide InBuffer(InstId id, mir::AtomicOp op, const std::vector<ValueId>& operands) {
    const Inst inst = m_.inst(id);
    const int offset_source = mir::OffsetSource(inst);
    const ValueId offset = m_.source(id, offset_source);
    std::vector<ValueId> index;
    if (offset_source != 0) index.push_back(m_.source(id, 0));
    b_.set_flags(inst.flags & (mir::kIndexed | mir::kNonUniform));
    const InstId size = b_.EmitInst(Op::kSsboSize, index, {Type::kI32}, inst.imm0);
    const InstId start = b_.EmitInst(Op::kSsboAddress, index, {Type::kI32, Type::kI32}, inst.imm0);
    b_.set_flags(0);
    constexpr uint32_t kLast = 7;  // the last byte of an element
    const ValueId end = b_.Isub(b_.Umax(m_.result(size), b_.Int(kLast)), b_.Int(kLast));
    const InstId inside = b_.If(b_.Ult(offset, end));
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    b_.SetRegion(m_.inst(inside).regions[0]);
    const Wide address = wide_.Add({m_.result(start, 0), m_.result(start, 1)}, {offset, b_.Int(0)});
    const Wide before = OnPairs(Op::kGlobalAtomic64, {address.lo, address.hi}, op, operands);
    b_.Yield({before.lo, before.hi});
    b_.SetRegion(m_.inst(inside).regions[1]);
    b_.Yield({b_.Int(0), b_.Int(0)});
    mir::SetResults(m_, inside, {Type::kI32, Type::kI32});
    b_.SetInsertionPoint(outer);
    return {m_.result(inside, 0), m_.result(inside, 1)};
  }

  bool SplitLoad(InstId id) {
    const Inst inst = m_.inst(id);
    const std::vector<ValueId> sources(m_.sources(id).begin(), m_.sources(id).end());
    const std::vector<Type> types(2 * inst.num_results, Type::kI32);
    b_.set_flags(inst.flags);
    const InstId load = b_.EmitInst(inst.op, sources, types, inst.imm0, inst.imm1);
    b_.set_flags(0);
    for (int i = 0; i < inst.num_results; ++i) {
      const Wide halves = {m_.result(load, 2 * i), m_.result(load, 2 * i + 1)};
      if (IsWide(m_.result(id, i))) {
        Know(m_.result(id, i), halves);
      } else {
        replace_.Replace(m_.result(id, i), b_.PackF64(halves.lo, halves.hi));
      }
    }
    return true;
  }

  // Lowers an exchange between lanes to one of each half.
  bool SplitExchange(InstId id) {
    const Inst inst = m_.inst(id);
    if (inst.op == Op::kReduce || inst.op == Op::kInclusiveScan || inst.op == Op::kExclusiveScan) {
      Know(m_.result(id), ScanInt64(wide_, b_, inst, Halves(m_.source(id, 0))));
      return true;
    }
    std::vector<ValueId> sources(m_.sources(id).begin(), m_.sources(id).end());
    const Wide value = Halves(sources[0]);
    const Type type = Type::kI32;
    ValueId out[2];
    for (int half = 0; half < 2; ++half) {
      sources[0] = half == 0 ? value.lo : value.hi;
      out[half] = m_.result(
          b_.EmitInst(inst.op, sources, absl::MakeConstSpan(&type, 1), inst.imm0, inst.imm1));
    }
    Know(m_.result(id), {out[0], out[1]});
    return true;
  }

  bool Compute(InstId id) {
    const ValueId result = m_.result(id);
    if (IsWide(result)) {
      Know(result, WideResult(id));
    } else {
      replace_.Replace(result, NarrowResult(id));
    }
    return true;
  }

  Wide WideResult(InstId id) {
    const Inst inst = m_.inst(id);
    const auto source = [&](int i) { return m_.source(id, i); };
    const auto pair = [&](int i) { return Halves(source(i)); };
    switch (inst.op) {
      case Op::kIadd: return wide_.Add(pair(0), pair(1));
      case Op::kIsub: return wide_.Sub(pair(0), pair(1));
      case Op::kImul: return wide_.Mul(pair(0), pair(1));
      case Op::kUmulHigh: return wide_.UmulHigh(pair(0), pair(1));
      case Op::kSmulHigh: return wide_.SmulHigh(pair(0), pair(1));
      case Op::kUdiv:
      case Op::kUrem:
      case Op::kSdiv:
      case Op::kSrem:
      case Op::kSmod: return wide_.Divide(inst.op, pair(0), pair(1));
      case Op::kIneg: return wide_.Neg(pair(0));
      case Op::kIabs: return wide_.Abs(pair(0));
      case Op::kIsign: return wide_.Sign(pair(0));
      case Op::kAnd:
      case Op::kOr:
      case Op::kXor: return wide_.Bits(inst.op, pair(0), pair(1));
      case Op::kNot: return wide_.Not(pair(0));
      case Op::kShl: return wide_.Shl(pair(0), source(1));
      case Op::kUshr:
      case Op::kAshr: return wide_.Shr(inst.op, pair(0), source(1));
      case Op::kSelect: return wide_.Select(source(0), pair(1), pair(2));
      case Op::kBitReverse: {
        const Wide a = pair(0);
        return {b_.BitReverse(a.hi), b_.BitReverse(a.lo)};
      }
      case Op::kBitfieldInsert: return wide_.BitfieldInsert(pair(0), pair(1), source(2), source(3));
      case Op::kUbitfieldExtract:
      case Op::kSbitfieldExtract:
        return wide_.BitfieldExtract(inst.op == Op::kSbitfieldExtract, pair(0), source(1),
                                     source(2));
      default: return Chosen(id);
    }
  }

  // Minima, maxima, carries and conversions to 64 bits.
  Wide Chosen(InstId id) {
    const Op op = m_.inst(id).op;
    const ValueId first = m_.source(id, 0);
    const Type type = m_.value(first).type;
    const ValueId zero = b_.Int(0), one = b_.Int(1);
    switch (op) {
      case Op::kZext: return {Word(op, first), zero};
      case Op::kSext: {
        const ValueId low = Word(op, first);
        return {low, b_.Ashr(low, b_.Int(31))};
      }
      case Op::kBitcast: return {b_.F64Low(first), b_.F64High(first)};
      case Op::kF2i:
      case Op::kF2u:
        if (type == Type::kF64) return wide_.FromDouble(op == Op::kF2i, first);
        return wide_.FromFloat(
            op == Op::kF2i, type == Type::kF16 ? b_.Convert(Op::kF2f, first, Type::kF32) : first);
      default: break;
    }
    const Wide a = Halves(first), b = Halves(m_.source(id, 1));
    switch (op) {
      case Op::kImin: return wide_.Select(wide_.Less(Op::kSlt, a, b), a, b);
      case Op::kImax: return wide_.Select(wide_.Less(Op::kSlt, a, b), b, a);
      case Op::kUmin: return wide_.Select(wide_.Less(Op::kUlt, a, b), a, b);
      case Op::kUmax: return wide_.Select(wide_.Less(Op::kUlt, a, b), b, a);
      case Op::kUaddCarry:
        return {b_.Select(wide_.Less(Op::kUlt, wide_.Add(a, b), a), one, zero), zero};
      case Op::kUsubBorrow: return {b_.Select(wide_.Less(Op::kUlt, a, b), one, zero), zero};
      default: Unexpected(id); return a;
    }
  }

  // The value in 32 bits, extended as the op requires.
  ValueId Word(Op op, ValueId v) {
    return m_.value(v).type == Type::kI32 ? v : b_.Convert(op, v, Type::kI32);
  }

  ValueId NarrowResult(InstId id) {
    const Inst inst = m_.inst(id);
    const Wide a = Halves(m_.source(id, 0));
    const Type type = m_.value(m_.result(id)).type;
    const auto second = [&] { return Halves(m_.source(id, 1)); };
    switch (inst.op) {
      case Op::kIeq: return wide_.Equal(a, second());
      case Op::kIne: return b_.Not(wide_.Equal(a, second()));
      case Op::kUlt: return wide_.Less(Op::kUlt, a, second());
      case Op::kSlt: return wide_.Less(Op::kSlt, a, second());
      case Op::kUge: return b_.Not(wide_.Less(Op::kUlt, a, second()));
      case Op::kSge: return b_.Not(wide_.Less(Op::kSlt, a, second()));
      case Op::kTrunc: return type == Type::kI32 ? a.lo : b_.Convert(Op::kTrunc, a.lo, type);
      case Op::kBitCount: return b_.Iadd(b_.BitCount(a.lo), b_.BitCount(a.hi));
      case Op::kFindLsb: return wide_.FindLsb(a);
      case Op::kFindUmsb: return wide_.FindUmsb(a);
      case Op::kFindSmsb: return wide_.FindSmsb(a);
      case Op::kBitcast: return b_.PackF64(a.lo, a.hi);
      case Op::kI2f:
      case Op::kU2f: {
        if (type == Type::kF64) return wide_.ToDouble(inst.op == Op::kI2f, a);
        // Halfs by way of a float: an integer with more bits than that is infinite as a half
        // anyway.
        const ValueId f = wide_.ToFloat(inst.op == Op::kI2f, a);
        return type == Type::kF16 ? b_.Convert(Op::kF2f, f, type) : f;
      }
      default: Unexpected(id); return a.lo;
    }
  }

  Module& m_;
  mir::Builder b_;
  WideInt wide_;
  mir::Replacements replace_;
  std::vector<Wide> halves_;  // by value
  absl::Status status_ = absl::OkStatus();
  bool lowered_ = false;
};

}  // namespace

absl::StatusOr<bool> LowerInt64(Module& module, PassContext&) {
  if (!mir::HasValuesOf(module, Type::kI64)) return false;
  return Lowering(module).Run();
}

}  // namespace kiln::mid
