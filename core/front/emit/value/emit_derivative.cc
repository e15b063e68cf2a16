// Emits derivatives: differences within quads, of fragments or in compute shaders
// (SPV_KHR_compute_shader_derivatives).
//
// A quad is four consecutive lanes, 0 1 over 2 3. The launch arranges those of fragments. In a
// linear derivative group they are four consecutive invocations, as numbered anyway. In a group of
// quads they are 2x2 invocations of the workgroup: there the local id is computed from the lane
// accordingly, and the local index from the local id. Derivatives are MIR's (ddx, ddy; fwidth is
// the sum of their magnitudes), and so are implicit LODs (emit_sample.cc).
//
// Kiln chooses the order of quads within a workgroup: row by row, x first.
#include <algorithm>
#include <iterator>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/mir/stage.h"

namespace kiln::front {
namespace {

using mir::DerivativeMode;

struct Form {
  spv::Op op;
  bool x, y;  // both: the sum of their magnitudes
  DerivativeMode mode;
};
constexpr Form kForms[] = {
    {spv::Op::OpDPdx, true, false, DerivativeMode::kAny},
    {spv::Op::OpDPdxFine, true, false, DerivativeMode::kFine},
    {spv::Op::OpDPdxCoarse, true, false, DerivativeMode::kCoarse},
    {spv::Op::OpDPdy, false, true, DerivativeMode::kAny},
    {spv::Op::OpDPdyFine, false, true, DerivativeMode::kFine},
    {spv::Op::OpDPdyCoarse, false, true, DerivativeMode::kCoarse},
    {spv::Op::OpFwidth, true, true, DerivativeMode::kAny},
    {spv::Op::OpFwidthFine, true, true, DerivativeMode::kFine},
    {spv::Op::OpFwidthCoarse, true, true, DerivativeMode::kCoarse},
};

class DerivativeEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool EmitDerivative(const SpirvInst& inst, bool* handled);
  ValueId QuadLocalId(uint32_t component);
  ValueId LocalInvocationIndex();
};

}  // namespace

// Returns a component of the local id in a derivative group of quads.
ValueId DerivativeEmitter::QuadLocalId(uint32_t component) {
  using mir::Op;
  const auto& size = module().local_size;
  const uint32_t across = size[0] / 2, down = size[1] / 2;
  const ValueId lane = builder().LocalIndex();
  const ValueId quad = Emit(Op::kUshr, {lane, Int(2)});
  if (component == 2) return Emit(Op::kUdiv, {quad, Int(across * down)});
  const ValueId row = Emit(Op::kUdiv, {quad, Int(across)});
  const ValueId place =
      component == 0 ? Emit(Op::kUrem, {quad, Int(across)}) : Emit(Op::kUrem, {row, Int(down)});
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

bool DerivativeEmitter::EmitDerivative(const SpirvInst& inst, bool* handled) {
  using mir::Op;
  const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                  [&](const Form& f) { return f.op == inst.op; });
  *handled = form != std::end(kForms);
  if (!*handled) return true;
  if (!c_.HasQuads()) {
    return Malformed("derivative in a compute shader without a derivative group", inst.result);
  }
  Leaves operands;
  if (!GetFloats(inst.operand(3), &operands)) return false;
  Leaves leaves;
  const auto mode = static_cast<uint32_t>(form->mode);
  for (ValueId v : operands) {
    const ValueId dx = form->x ? Emit(Op::kDdx, {v}, mode) : ValueId();
    const ValueId dy = form->y ? Emit(Op::kDdy, {v}, mode) : ValueId();
    leaves.push_back(!form->y   ? dx
                     : !form->x ? dy
                                : Emit(Op::kFadd, {Emit(Op::kFabs, {dx}), Emit(Op::kFabs, {dy})}));
  }
  return ok() && Define(inst, leaves);
}

bool EmitDerivative(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return DerivativeEmitter(c).EmitDerivative(inst, handled);
}

ValueId QuadLocalId(ImportContext& c, uint32_t component) {
  return DerivativeEmitter(c).QuadLocalId(component);
}

ValueId LocalInvocationIndex(ImportContext& c) {
  return DerivativeEmitter(c).LocalInvocationIndex();
}

}  // namespace kiln::front
