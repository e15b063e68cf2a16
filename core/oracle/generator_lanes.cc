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
  const InstId ballot = b_.EmitInst(Op::kBallot, {b_.Bool(true)}, kFourInts);
  const ValueId on = b_.And(b_.Ushr(m_.result(ballot, 0), lane), b_.Int(1));
  const ValueId zero = b_.Constant(type, 0);
  DefineTyped(b_.Select(b_.Ine(on, b_.Int(0)), read, zero));
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
  DefineTyped(m_.result(b_.EmitInst(scan, {v}, {type}, static_cast<uint32_t>(op), cluster)));
}

bool Generator::Combines(ReduceOp op, Type type) {
  const bool is_float = op >= ReduceOp::kFadd;
  const bool bits = op == ReduceOp::kAnd || op == ReduceOp::kOr || op == ReduceOp::kXor;
  return is_float == IsFloat(type) && (type != Type::kBool || bits);
}

}  // namespace kiln::oracle::random_modules
