// Derivatives in compute shaders (SPV_KHR_compute_shader_derivatives): differences within quads.
//
// A quad is four consecutive lanes, 0 1 over 2 3. In a linear derivative group these are four
// consecutive invocations as they are numbered anyway. In a group of quads they are 2x2 invocations
// of the workgroup: there the local id is made from the lane so that it is so, and the local index
// from the local id. Coarse derivatives are fine ones, as SPIR-V lets them be. Implicit levels of
// detail become explicit derivatives of the coordinates.
//
// The order of quads within a workgroup is ours: row by row, x first.
#include "core/front/coverage.h"
#include "core/front/emit.h"
#include "core/front/inst_emitter.h"
#include "core/front/image_emitter.h"

namespace kiln::front {
namespace {

class DerivativeEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitDerivative(const SpirvInst& inst, bool* handled);
  void ImplicitDerivatives(absl::Span<const ValueId> coordinates, size_t spatial,
                           ImageOperands* operands);
  ValueId QuadLocalId(uint32_t component);
  ValueId LocalInvocationIndex();

 private:
  ValueId Derivative(ValueId v, uint32_t direction);
};

}  // namespace

// Component of the local id in a derivative group of quads.
ValueId DerivativeEmitter::QuadLocalId(uint32_t component) {
  using mir::Op;
  const auto& size = module().local_size;
  const uint32_t across = size[0] / 2, down = size[1] / 2;
  const ValueId lane = builder().LocalIndex();
  const ValueId quad = Emit(Op::kUshr, {lane, Int(2)});
  if (component == 2) return Emit(Op::kUdiv, {quad, Int(across * down)});
  const ValueId row = Emit(Op::kUdiv, {quad, Int(across)});
  const ValueId place = component == 0 ? Emit(Op::kUrem, {quad, Int(across)})
                                       : Emit(Op::kUrem, {row, Int(down)});
  const ValueId bit = component == 0 ? lane : Emit(Op::kUshr, {lane, Int(1)});
  return Emit(Op::kOr, {Emit(Op::kShl, {place, Int(1)}), Emit(Op::kAnd, {bit, Int(1)})});
}

ValueId DerivativeEmitter::LocalInvocationIndex() {
  using mir::Op;
  if (c_.derivative_group != DerivativeGroup::kQuads) return builder().LocalIndex();
  const auto& size = module().local_size;
  ValueId index = Emit(Op::kImul, {QuadLocalId(2), Int(size[1])});
  index = Emit(Op::kImul, {Emit(Op::kIadd, {index, QuadLocalId(1)}), Int(size[0])});
  return Emit(Op::kIadd, {index, QuadLocalId(0)});
}

// From the lane on the low side (left or top) of the quad to the one on the high side. `direction`:
// 1 along x, 2 along y.
ValueId DerivativeEmitter::Derivative(ValueId v, uint32_t direction) {
  using mir::Op;
  const mir::Type type = TypeOf(v);
  const ValueId here = ConvertFloat(v, mir::Type::kF32);
  const ValueId there = Emit(Op::kQuadSwap, {here}, direction);
  const ValueId side =
      Emit(Op::kAnd, {builder().Emit(Op::kSubgroupInvocation, {}), Int(direction)});
  const ValueId low = Emit(Op::kIeq, {side, Int(0)});
  const ValueId from = Emit(Op::kSelect, {low, here, there});
  const ValueId to = Emit(Op::kSelect, {low, there, here});
  return ConvertFloat(Emit(Op::kFsub, {to, from}), type);
}

bool DerivativeEmitter::EmitDerivative(const SpirvInst& inst, bool* handled) {
  using mir::Op;
  bool x = false, y = false;
  switch (inst.op) {
    case spv::Op::OpDPdx:
    case spv::Op::OpDPdxFine:
    case spv::Op::OpDPdxCoarse: x = true; break;
    case spv::Op::OpDPdy:
    case spv::Op::OpDPdyFine:
    case spv::Op::OpDPdyCoarse: y = true; break;
    case spv::Op::OpFwidth:
    case spv::Op::OpFwidthFine:
    case spv::Op::OpFwidthCoarse: x = y = true; break;
    default: *handled = false; return true;
  }
  *handled = true;
  if (c_.derivative_group == DerivativeGroup::kNone) {
    return Malformed("derivative without a derivative group", inst.result);
  }
  Leaves operands;
  if (!GetFloats(inst.operand(3), &operands)) return false;
  Leaves leaves;
  for (ValueId v : operands) {
    const ValueId dx = x ? Derivative(v, 1) : ValueId();
    const ValueId dy = y ? Derivative(v, 2) : ValueId();
    leaves.push_back(x && y ? Emit(Op::kFadd, {Emit(Op::kFabs, {dx}), Emit(Op::kFabs, {dy})})
                            : x ? dx : dy);
  }
  return ok() && Define(inst, leaves);
}

// Derivatives of the coordinates of a sample with an implicit level; a bias scales them.
void DerivativeEmitter::ImplicitDerivatives(absl::Span<const ValueId> coordinates, size_t spatial,
                                   ImageOperands* operands) {
  using mir::Op;
  ValueId scale;
  if ((operands->params & mir::kTexelBias) != 0 && operands->bias.size() == 1 &&
      TypeOf(operands->bias[0]) == mir::Type::kF32) {
    scale = Emit(Op::kFexp2, {operands->bias[0]});
    operands->bias.clear();
    operands->params &= static_cast<uint16_t>(~mir::kTexelBias);
  }
  operands->params |= mir::kTexelGrad;
  for (size_t i = 0; i < spatial; ++i) {
    for (uint32_t direction : {1u, 2u}) {
      ValueId d = Derivative(coordinates[i], direction);
      if (scale.valid()) d = Emit(Op::kFmul, {d, scale});
      (direction == 1 ? operands->dx : operands->dy).push_back(d);
    }
  }
}

bool EmitDerivative(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return DerivativeEmitter(c).EmitDerivative(inst, handled);
}

void ImplicitDerivatives(ImportContext& c, absl::Span<const ValueId> coordinates, size_t spatial,
                         ImageOperands* operands) {
  DerivativeEmitter(c).ImplicitDerivatives(coordinates, spatial, operands);
}

ValueId QuadLocalId(ImportContext& c, uint32_t component) {
  return DerivativeEmitter(c).QuadLocalId(component);
}

ValueId LocalInvocationIndex(ImportContext& c) {
  return DerivativeEmitter(c).LocalInvocationIndex();
}

}  // namespace kiln::front
