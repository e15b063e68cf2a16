#include "core/mid/lower/scan_int64.h"

#include <vector>

#include "absl/types/span.h"
#include "core/mir/reduce.h"

namespace kiln::mid {
namespace {

using mir::InstId;
using mir::Op;
using mir::ReduceOp;
using mir::RegionId;
using mir::Type;
using mir::ValueId;

constexpr Type kDword = Type::kI32;

class Scan64 {
 public:
  Scan64(WideInt& wide, mir::Builder& builder, const mir::Inst& scan)
      : wide_(wide), b_(builder), scan_(scan), op_(static_cast<ReduceOp>(scan.imm0)) {}

  Wide Run(Wide v) {
    switch (op_) {
      case ReduceOp::kAnd:
      case ReduceOp::kOr:
      case ReduceOp::kXor: return {Scan(op_, v.lo), Scan(op_, v.hi)};
      case ReduceOp::kIadd: return Sum(v);
      case ReduceOp::kImul: return LaneByLane(v);
      default: return scan_.op == Op::kReduce ? Extremum(v) : LaneByLane(v);
    }
  }

 private:
  // The same scan on 32 bits.
  ValueId Scan(ReduceOp op, ValueId v) {
    return b_.module().result(b_.EmitInst(scan_.op, {v}, absl::MakeConstSpan(&kDword, 1),
                                          static_cast<uint32_t>(op), scan_.imm1));
  }

  Wide Sum(Wide v) {
    constexpr uint32_t kBits = 25, kPart = (1u << kBits) - 1;
    const auto n = [&](uint32_t x) { return b_.Int(x); };
    const ValueId middle = b_.Or(b_.Ushr(v.lo, n(kBits)), b_.Shl(v.hi, n(32 - kBits)));
    const ValueId low = Scan(ReduceOp::kIadd, b_.And(v.lo, n(kPart)));
    const ValueId mid = Scan(ReduceOp::kIadd, b_.And(middle, n(kPart)));
    const ValueId high = Scan(ReduceOp::kIadd, b_.Ushr(v.hi, n(2 * kBits - 32)));
    const Wide upper = {b_.Shl(mid, n(kBits)),
                        b_.Iadd(b_.Ushr(mid, n(32 - kBits)), b_.Shl(high, n(2 * kBits - 32)))};
    return wide_.Add({low, n(0)}, upper);
  }

  Wide Extremum(Wide v) {
    const bool smallest = op_ == ReduceOp::kImin || op_ == ReduceOp::kUmin;
    const ReduceOp of_low = smallest ? ReduceOp::kUmin : ReduceOp::kUmax;
    const ValueId high = Scan(op_, v.hi);
    const ValueId loser = b_.Int(smallest ? ~0u : 0);
    const ValueId low = b_.Select(b_.Ieq(v.hi, high), v.lo, loser);
    return {Scan(of_low, low), high};
  }

  // ---- Lane by lane ----

  Wide Combine(Wide a, Wide b) {
    const bool is_signed = op_ == ReduceOp::kImin || op_ == ReduceOp::kImax;
    const ValueId less =
        op_ == ReduceOp::kImul ? ValueId() : wide_.Less(is_signed ? Op::kSlt : Op::kUlt, a, b);
    switch (op_) {
      case ReduceOp::kImul: return wide_.Mul(a, b);
      case ReduceOp::kImin:
      case ReduceOp::kUmin: return wide_.Select(less, a, b);
      default: return wide_.Select(less, b, a);
    }
  }

  // True if this lane's result includes the value of lane `from`.
  ValueId Takes(ValueId from) {
    const ValueId me = b_.SubgroupInvocation();
    switch (scan_.op) {
      case Op::kInclusiveScan: return b_.Uge(me, from);
      case Op::kExclusiveScan: return b_.Ult(from, me);
      default:
        if (scan_.imm1 == 0) return b_.Bool(true);
        return b_.Ult(b_.Xor(me, from), b_.Int(scan_.imm1));
    }
  }

  // The lowest lane whose bit is set; all ones if there is none.
  ValueId LowestLane(InstId ballot) {
    ValueId lane = b_.Int(~0u);
    for (int i = 3; i >= 0; --i) {
      const ValueId bits = b_.module().result(ballot, i);
      const ValueId here = b_.Iadd(b_.FindLsb(bits), b_.Int(static_cast<uint32_t>(32 * i)));
      lane = b_.Select(b_.Ine(bits, b_.Int(0)), here, lane);
    }
    return lane;
  }

  ValueId Read(ValueId v, ValueId lane) { return b_.Emit(Op::kReadLane, {v, lane}); }

  // The loop's parameters: the first lane not read yet, and the result so far.
  Wide LaneByLane(Wide v) {
    mir::Module& m = b_.module();
    const Wide identity = wide_.Constant(mir::IdentityOf(op_, Type::kI64));
    const InstId loop = b_.Loop({b_.Int(0), identity.lo, identity.hi});
    const mir::Builder::InsertionPoint outer = b_.insertion_point();
    const RegionId body = m.inst(loop).regions[0];
    const auto param = [&](int i) { return m.region(body).params[i]; };
    const Wide taken = {param(1), param(2)};
    b_.SetRegion(body);
    const ValueId left = b_.Uge(b_.SubgroupInvocation(), param(0));
    const Type four[] = {kDword, kDword, kDword, kDword};
    const ValueId lane = LowestLane(b_.EmitInst(Op::kBallot, {left}, four));
    const InstId test = b_.If(b_.Ieq(lane, b_.Int(~0u)));
    b_.SetRegion(m.inst(test).regions[0]);
    b_.Break({taken.lo, taken.hi});
    b_.SetRegion(m.inst(test).regions[1]);
    b_.Yield();
    b_.SetRegion(body);
    const Wide more = Combine(taken, {Read(v.lo, lane), Read(v.hi, lane)});
    const Wide next = wide_.Select(Takes(lane), more, taken);
    b_.Continue({b_.Iadd(lane, b_.Int(1)), next.lo, next.hi});
    b_.SetInsertionPoint(outer);
    mir::SetResults(m, loop, std::vector<Type>(2, kDword));
    return {m.result(loop, 0), m.result(loop, 1)};
  }

  WideInt& wide_;
  mir::Builder& b_;
  const mir::Inst scan_;
  const ReduceOp op_;
};

}  // namespace

Wide ScanInt64(WideInt& wide, mir::Builder& builder, const mir::Inst& scan, Wide value) {
  return Scan64(wide, builder, scan).Run(value);
}

}  // namespace kiln::mid
