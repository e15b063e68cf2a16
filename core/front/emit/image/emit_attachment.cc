// Emits reads of input attachments: earlier output, read at the fragment's own position.
#include <vector>

#include "core/front/emit/emit.h"
#include "core/front/emit/image/image_emitter.h"
#include "core/front/state/descriptors.h"

namespace kiln::front {

bool ImageEmitter::IsAttachment(const ImageHandle& handle) const {
  uint32_t count = 0;
  return handle.image.variable != 0 &&
         DescriptorType(spirv(), handle.image.variable, &count).input_attachment;
}

// Emits a fetch at the fragment's position and layer (Vulkan, "Input Attachment Interface"). With
// multiview the layer rendered to is the view's, and the built-in Layer holds it.
bool ImageEmitter::EmitAttachmentRead(const SpirvInst& inst, const ImageHandle& handle,
                                      const ImageOperands& operands) {
  using mir::Op;
  uint32_t resource = 0;
  if (module().stage != mir::Stage::kFragment) {
    return Malformed("input attachment in a stage other than fragment", inst.result);
  }
  Leaves offset;
  if (!CheckImageOperands(inst, operands, mir::kTexelSample) ||
      !AccessedImage(handle.image, &resource, true) ||
      !Texels(inst.operand(4), 2, mir::Type::kI32, &offset)) {
    return false;
  }
  const bool multisampled = module().resources[resource].image.multisampled;
  if (multisampled != !operands.sample.empty()) return Malformed("sample", inst.result);
  Leaves sources;
  const mir::InstId place = LoadBuiltInInput(c_, mir::BuiltIn::kFragCoord, 0, 2);
  for (int i = 0; i < 2; ++i) {
    const ValueId texel = Convert(Op::kF2i, module().result(place, i), mir::Type::kI32);
    sources.push_back(Emit(Op::kIadd, {texel, offset[i]}));
  }
  sources.push_back(module().result(LoadBuiltInInput(c_, mir::BuiltIn::kLayer, 0, 1)));
  mir::TexelOp texel;
  if (multisampled) {
    if (operands.sample.size() != 1 || TypeOf(operands.sample[0]) != mir::Type::kI32) {
      return Malformed("sample index is not a 32-bit integer", inst.result);
    }
    texel.params |= mir::kTexelSample;
    sources.push_back(operands.sample[0]);
  }
  const std::vector<mir::Type> results(4, ComponentType(resource));
  return DefineTexel(inst,
                     EmitTexelOp(Op::kFetch, handle.image, resource, texel, sources, results, 0));
}

}  // namespace kiln::front
