// Operations between lanes of random modules; values of inactive lanes are not used.
#include "core/oracle/generator.h"

#include <iterator>

namespace kiln::oracle::random_modules {

void Generator::LaneOperation() {
  switch (random_.Below(5)) {
    case 0: return Vote();
    case 1: return LaneRead();
    default: return ScanOrReduce();
  }
}

void Generator::Vote() {
  const ValueId vote = Pick(Type::kBool);
  switch (random_.Below(4)) {
    case 0: return Define(b_.Emit(Op::kSubgroupElect, {}));
    case 1: return Define(b_.Emit(Op::kSubgroupAny, {vote}));
    case 2: return Define(b_.Emit(Op::kSubgroupAll, {vote}));
    default: return DefineResults(b_.EmitInst(Op::kBallot, {vote}, kFourInts));
  }
}

// Uses 0 if the lane read from is inactive.
void Generator::LaneRead() {
  const ValueId v = PickTyped(AnyType());
  const Type type = m_.value(v).type;
  const ValueId me = b_.SubgroupInvocation();
  const auto other = [&](Op op, ValueId lane) { return b_.Emit(op, {me, lane}); };
  ValueId lane, read;
  const uint32_t quad = random_.Below(4);
  switch (random_.Below(6)) {
    case 0: return DefineTyped(b_.Emit(Op::kReadFirst, {v}));
    case 1: return DefineTyped(b_.Emit(Op::kReadLane, {v, b_.Emit(Op::kReadFirst, {me})}));
    case 2:
      lane = b_.Or(b_.And(me, b_.Int(~3u)), b_.Int(quad));
      read = b_.Emit(Op::kQuadBroadcast, {v}, quad);
      break;
    case 3:
      lane = other(Op::kXor, b_.Int(quad | 1));
      read = b_.Emit(Op::kQuadSwap, {v}, quad | 1);
      break;
    case 4:
      lane = InSubgroup(other(Op::kXor, b_.Int(1u << random_.Below(5))));
      read = b_.Emit(Op::kShuffle, {v, lane});
      break;
    default:
      lane = InSubgroup(other(random_.OneIn(2) ? Op::kIadd : Op::kIsub, Pick(Type::kI32)));
      read = b_.Emit(Op::kShuffle, {v, lane});
      break;
  }
  DefineTyped(b_.Select(IsActive(lane), read, b_.Constant(type, 0)));
}

// Tests the lane's bit of a ballot, whose dwords have 32 lanes each; subgroups have at most 64.
ValueId Generator::IsActive(ValueId lane) {
  const InstId ballot = b_.EmitInst(Op::kBallot, {b_.Bool(true)}, kFourInts);
  const ValueId low = b_.Ieq(b_.And(lane, b_.Int(32)), b_.Int(0));
  const ValueId lanes = b_.Select(low, m_.result(ballot, 0), m_.result(ballot, 1));
  const ValueId on = b_.And(b_.Ushr(lanes, b_.And(lane, b_.Int(31))), b_.Int(1));
  return b_.Ine(on, b_.Int(0));
}

ValueId Generator::InSubgroup(ValueId lane) {
  return b_.And(lane, b_.Isub(b_.Emit(Op::kSubgroupSize, {}), b_.Int(1)));
}

// Exclusive minima and maxima of floats are left out: where all lower lanes have NaN, it is not
// specified whether the identity is the result.
void Generator::ScanOrReduce() {
  constexpr Op kScans[] = {Op::kReduce, Op::kReduce, Op::kInclusiveScan, Op::kExclusiveScan};
  const ValueId v = PickTyped(AnyType());
  const Type type = m_.value(v).type;
  const Op scan = kScans[random_.Below(std::size(kScans))];
  ReduceOp op;
  do {
    op = static_cast<ReduceOp>(random_.Below(static_cast<uint32_t>(ReduceOp::kFmax) + 1));
  } while (!Combines(op, type) || (scan == Op::kExclusiveScan && IsFloat(type) &&
                                   (op == ReduceOp::kFmin || op == ReduceOp::kFmax)));
  uint32_t cluster = 0;
  if (scan == Op::kReduce && random_.OneIn(2)) cluster = 2u << random_.Below(5);
  const ValueId combined = options_.defined_only ? InAnyOrder(op, v) : v;
  DefineTyped(m_.result(b_.EmitInst(scan, {combined}, {type}, static_cast<uint32_t>(op), cluster)));
}

// Returns a value whose sums and products over lanes are exact in any order of association, which
// SPIR-V leaves open: numbers below 16 for sums; for products 1 and -1.
ValueId Generator::InAnyOrder(ReduceOp op, ValueId v) {
  const Type type = m_.value(v).type;
  if (op == ReduceOp::kFadd) {
    return b_.Convert(Op::kU2f, b_.And(Pick(Type::kI32), b_.Int(15)), type);
  }
  if (op != ReduceOp::kFmul) return v;
  const bool half = type == Type::kF16;
  const ValueId one = b_.Constant(type, half ? 0x3c00 : 0x3f800000);
  const ValueId minus_one = b_.Constant(type, half ? 0xbc00 : 0xbf800000);
  return b_.Select(b_.Flt(v, b_.Constant(type, 0)), minus_one, one);
}

bool Generator::Combines(ReduceOp op, Type type) {
  const bool is_float = op >= ReduceOp::kFadd;
  const bool bits = op == ReduceOp::kAnd || op == ReduceOp::kOr || op == ReduceOp::kXor;
  return is_float == IsFloat(type) && (type != Type::kBool || bits);
}

}  // namespace kiln::oracle::random_modules
