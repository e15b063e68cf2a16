// Fragments of random modules that are not drawn: inputs, derivatives, kills, outputs anywhere.
#include "core/oracle/generator.h"

#include <iterator>
#include <vector>

namespace kiln::oracle::random_modules {

void Generator::DeclareInterface() {
  Interface smooth = {.components = 4, .type = Type::kF32};
  Interface number = {.location = 1, .type = Type::kI32, .interpolation = Interpolation::kFlat};
  Interface array = {.location = 2,
                     .components = 2,
                     .array = true,
                     .elements = 3,
                     .type = Type::kF32,
                     .interpolation = Interpolation::kNoPerspective,
                     .auxiliary = Auxiliary::kCentroid};
  m_.inputs = {smooth, number, array};
  Interface integer = {.location = 1, .type = Type::kI32};
  m_.outputs = {smooth, integer};
}

void Generator::WriteOutput() {
  if (random_.OneIn(2)) {
    b_.StoreOutput(kIntOutput, 0, {Pick(Type::kI32)});
  } else {
    const uint32_t first = random_.Below(4);
    std::vector<ValueId> values;
    for (uint32_t c = first; c < 4; ++c) values.push_back(Pick(Type::kF32));
    b_.StoreOutput(kColourOutput, first, values);
  }
}

void Generator::FragmentOperation(int depth) {
  switch (random_.Below(8)) {
    case 0: return Define(b_.HelperInvocation());
    case 1: return WriteOutput();
    case 2: return Kill(depth);
    case 3: return Define(Interpolated());
    case 4: {
      const ValueId element = b_.Urem(Pick(Type::kI32), b_.Int(3));
      return DefineResults(random_.OneIn(2) ? b_.LoadInput(kSmoothInput, 1, 1 + random_.Below(3))
                                            : b_.LoadInput(kArrayInput, 0, 2, element));
    }
    default: {
      const auto mode = static_cast<DerivativeMode>(random_.Below(3));
      const Op op = random_.OneIn(2) ? Op::kDdx : Op::kDdy;
      // Saturated, so that it is no NaN: the bits of a NaN depend on the order of operands.
      const ValueId v = b_.Emit(Op::kFsaturate, {Pick(Type::kF32)});
      return Define(b_.Derivative(op, v, mode));
    }
  }
}

// Kills few lanes, so that some are left; demotes more often than it ends them.
void Generator::Kill(int depth) {
  constexpr Op kKills[] = {Op::kDemote, Op::kDemote, Op::kDiscard, Op::kTerminate};
  const ValueId bits = b_.And(b_.Iadd(Pick(Type::kI32), lane_), b_.Int(7));
  const ValueId few = b_.Ieq(bits, b_.Int(random_.Below(8)));
  const ValueId condition = random_.OneIn(3) ? b_.And(few, Pick(Type::kBool)) : few;
  const Op op = kKills[random_.Below(depth == 0 ? 2 : 4)];
  if (random_.OneIn(2)) return b_.Kill(op, condition);
  KillInIf(op, condition);
}

// A kill as SPIR-V has it: in a side of an if that does nothing else, perhaps on a condition of its
// own; the side ends there or not.
void Generator::KillInIf(Op op, ValueId condition) {
  const size_t side = random_.Below(2);
  const InstId branch = b_.If(side == 0 ? condition : b_.Not(condition));
  const Builder::InsertionPoint outer = b_.insertion_point();
  b_.SetRegion(m_.inst(branch).regions[1 - side]);
  b_.Yield();
  b_.SetRegion(m_.inst(branch).regions[side]);
  const bool ends = op != Op::kDemote && random_.OneIn(2);
  b_.Kill(op, ends || random_.OneIn(2) ? b_.Bool(true) : b_.Ult(lane_, b_.Int(random_.Below(16))));
  ends ? b_.Unreachable() : b_.Yield();
  b_.SetInsertionPoint(outer);
}

ValueId Generator::Interpolated() {
  const auto at = static_cast<InterpolateAt>(random_.Below(3));
  std::vector<ValueId> sources;
  if (at == InterpolateAt::kSample) sources.push_back(b_.And(Pick(Type::kI32), b_.Int(3)));
  if (at == InterpolateAt::kOffset) {
    for (int i = 0; i < 2; ++i) {
      sources.push_back(b_.Fsub(b_.Emit(Op::kFsaturate, {Pick(Type::kF32)}), b_.Float(0.5f)));
    }
  }
  return m_.result(b_.EmitInst(Op::kInterpolate, sources, {Type::kF32}, kSmoothInput,
                               PackInterpolateAt(at, random_.Below(4))));
}

}  // namespace kiln::oracle::random_modules
