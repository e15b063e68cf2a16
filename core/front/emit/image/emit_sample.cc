// Emits images with filtering: samples and gathers.
//
// Where derivatives are unavailable, in compute shaders without a derivative group, implicit LODs
// are LOD 0, plus the bias. Offsets may be chosen by value (VK_KHR_maintenance8 for those of
// samples). Projection divides here; a gather with four constant offsets becomes four gathers, each
// of which contributes its last component's texel. Sources: SPIR-V, "Image Instructions"; Vulkan,
// "Texel Gathering" and "Projection Operation".
#include "core/front/emit/emit.h"
#include "core/front/emit/image/image_emitter.h"
#include "core/front/emit/resources.h"

namespace kiln::front {
namespace {

// Index of the texel with the lower coordinates among the four that a gather returns.
constexpr int kLowerLeft = 3;

}  // namespace

bool ImageEmitter::SampleFormOf(spv::Op op, SampleForm* form) {
  switch (op) {
    case spv::Op::OpImageSampleImplicitLod: *form = {false, false, false, false, 5}; return true;
    case spv::Op::OpImageSampleExplicitLod: *form = {false, false, false, true, 5}; return true;
    case spv::Op::OpImageSampleDrefImplicitLod: *form = {true, false, false, false, 6}; return true;
    case spv::Op::OpImageSampleDrefExplicitLod: *form = {true, false, false, true, 6}; return true;
    case spv::Op::OpImageSampleProjImplicitLod: *form = {false, true, false, false, 5}; return true;
    case spv::Op::OpImageSampleProjExplicitLod: *form = {false, true, false, true, 5}; return true;
    case spv::Op::OpImageSampleProjDrefImplicitLod:
      *form = {true, true, false, false, 6};
      return true;
    case spv::Op::OpImageSampleProjDrefExplicitLod:
      *form = {true, true, false, true, 6};
      return true;
    case spv::Op::OpImageGather: *form = {false, false, true, false, 6}; return true;
    case spv::Op::OpImageDrefGather: *form = {true, false, true, false, 6}; return true;
    default: return false;
  }
}

// Gets coordinates and dref, divided if the form is projected.
bool ImageEmitter::SampleCoordinates(const SpirvInst& inst, const SampleForm& form,
                                     const mir::ImageInfo& info, Leaves* sources) {
  const auto count = static_cast<size_t>(mir::CoordinateCount(info, true));
  if (!Texels(inst.operand(4), count + form.projected, mir::Type::kF32, sources)) return false;
  const ValueId q = sources->back();
  if (form.projected) sources->pop_back();
  if (form.dref && !Texels(inst.operand(5), 1, mir::Type::kF32, sources)) return false;
  if (!form.projected) return true;
  for (ValueId& v : *sources) v = Emit(mir::Op::kFdiv, {v, q});
  return ok();
}

// Stores an offset in the op; returns false unless its components are constants that fit.
bool ImageEmitter::ConstantOffset(absl::Span<const ValueId> offset, mir::TexelOp* texel) const {
  for (size_t i = 0; i < offset.size() && i < texel->offset.size(); ++i) {
    uint32_t bits = 0;
    if (!IsConstant(offset[i], &bits)) return false;
    const auto x = static_cast<int32_t>(bits);
    if (x < INT8_MIN || x > INT8_MAX) return false;
    texel->offset[i] = static_cast<int8_t>(x);
  }
  return true;
}

bool ImageEmitter::SampledParts(const SpirvInst& inst, ImageHandle* handle, uint32_t* resource,
                                mir::TexelOp* texel, Leaves* sources) {
  if (!AccessedImage(handle->image, resource)) return false;
  const mir::Resource& r = module().resources[*resource];
  const bool combined = r.kind == mir::ResourceKind::kCombinedImageSampler;
  const bool sampled = combined || r.kind == mir::ResourceKind::kSampledImage;
  if (!sampled || r.image.multisampled || (!combined && handle->sampler.variable == 0)) {
    return Malformed("sample of an image that is multisampled or not combined with a sampler",
                     inst.result);
  }
  if (handle->sampler.variable == 0) return true;
  if (!Resources(c_).Resource(handle->sampler, &texel->sampler)) return false;
  *sources = DescriptorSources(handle->sampler);
  if (!sources->empty()) texel->params |= mir::kTexelSamplerIndex;
  handle->image.flags |= handle->sampler.flags & mir::kNonUniform;
  return true;
}

// Emits a query of the LOD that would be read, and of the one computed from the derivatives.
bool ImageEmitter::EmitQueryLod(const SpirvInst& inst) {
  ImageHandle handle;
  uint32_t resource = 0;
  mir::TexelOp texel;
  Leaves sources;
  if (!GetImage(inst.operand(3), &handle)) return false;
  if (module().stage == mir::Stage::kCompute) {
    return Refuse("derivatives", "OpImageQueryLod", inst.result);
  }
  if (!c_.HasQuads())
    return Malformed("OpImageQueryLod in a shader without derivatives", inst.result);
  if (!SampledParts(inst, &handle, &resource, &texel, &sources)) return false;
  const auto count = static_cast<size_t>(mir::SpatialCount(module().resources[resource].image.dim));
  if (!Texels(inst.operand(4), count, mir::Type::kF32, &sources)) return false;
  const std::vector<mir::Type> results(2, mir::Type::kF32);
  return DefineTexel(
      inst, EmitTexelOp(mir::Op::kImageLod, handle.image, resource, texel, sources, results, 0));
}

bool ImageEmitter::EmitSample(const SpirvInst& inst, const SampleForm& form) {
  ImageHandle handle;
  ImageOperands operands;
  uint32_t resource = 0;
  mir::TexelOp texel;
  Leaves sources;
  if (!GetImage(inst.operand(3), &handle) || !GetImageOperands(inst, form.operands, &operands) ||
      !SampledParts(inst, &handle, &resource, &texel, &sources)) {
    return false;
  }
  const mir::ImageInfo info = module().resources[resource].image;
  Leaves coordinates;
  if (!SampleCoordinates(inst, form, info, &coordinates)) return false;
  sources.insert(sources.end(), coordinates.begin(), coordinates.end());
  if (form.dref) texel.params |= mir::kTexelDref;
  const auto offsets = static_cast<size_t>(mir::OffsetCount(info.dim));
  if (!operands.offset.empty() && operands.offset.size() != offsets) {
    return Malformed("wrong number of texel offsets", inst.result);
  }
  if (form.gather) return EmitGather(inst, handle, resource, texel, operands, sources);

  const uint16_t allowed = form.explicit_lod ? mir::kTexelLod | mir::kTexelGrad | mir::kTexelMinLod
                                             : mir::kTexelBias | mir::kTexelMinLod;
  if (!CheckImageOperands(inst, operands, allowed)) return false;
  const uint16_t both = mir::kTexelLod | mir::kTexelGrad;
  if (form.explicit_lod && ((operands.params & both) == 0 || (operands.params & both) == both)) {
    return Malformed("explicit-LOD sample without exactly one of Lod and Grad", inst.result);
  }
  if ((operands.params & mir::kTexelLod) != 0 && (operands.params & mir::kTexelMinLod) != 0) {
    return Malformed("sample with both LOD and min LOD", inst.result);
  }
  for (ValueId v : operands.offset) {
    uint32_t bits = 0;
    if (IsConstant(v, &bits)) NeedTexelOffset(static_cast<int32_t>(bits), inst.result);
  }
  const bool chosen = !ConstantOffset(operands.offset, &texel);
  if (chosen) {
    texel.offset = {0, 0, 0};
    texel.params |= mir::kTexelOffsets;
  }
  texel.params |= operands.params;
  const auto spatial = static_cast<size_t>(mir::SpatialCount(info.dim));
  const auto add = [&](const Leaves& leaves, uint16_t param, size_t count) {
    if ((operands.params & param) == 0) return true;
    bool fits = leaves.size() == count;
    for (ValueId v : leaves) fits = fits && TypeOf(v) == mir::Type::kF32;
    sources.insert(sources.end(), leaves.begin(), leaves.end());
    return fits || Malformed("image operand is not a 32-bit float", inst.result);
  };
  if (!add(operands.bias, mir::kTexelBias, 1) || !add(operands.lod, mir::kTexelLod, 1) ||
      !add(operands.dx, mir::kTexelGrad, spatial) || !add(operands.dy, mir::kTexelGrad, spatial) ||
      !add(operands.min_lod, mir::kTexelMinLod, 1)) {
    return false;
  }
  if (chosen) sources.insert(sources.end(), operands.offset.begin(), operands.offset.end());
  const std::vector<mir::Type> results(form.dref ? 1 : 4,
                                       form.dref ? mir::Type::kF32 : ComponentType(resource));
  const bool implicit = !form.explicit_lod && c_.HasQuads();
  return DefineTexel(inst, EmitTexelOp(implicit ? mir::Op::kSampleImplicit : mir::Op::kSample,
                                       handle.image, resource, texel, sources, results, 0));
}

bool ImageEmitter::EmitGather(const SpirvInst& inst, const ImageHandle& handle, uint32_t resource,
                              mir::TexelOp texel, const ImageOperands& operands, Leaves sources) {
  if (!CheckImageOperands(inst, operands, 0)) return false;
  if (HasWideTexels(handle.image)) {
    return Refuse("images", "gather from an image of 64-bit integers", inst.result);
  }
  const bool dref = (texel.params & mir::kTexelDref) != 0;
  const mir::ImageDim dim = module().resources[resource].image.dim;
  if (dim != mir::ImageDim::k2D && dim != mir::ImageDim::kCube) {
    return Malformed("gather from an image that is neither 2D nor a cube", inst.result);
  }
  uint32_t component = 0;
  if (!dref && (!spirv().IntConstant(inst.operand(5), &component) || component > 3)) {
    return Malformed("component of a gather is not a constant from 0 to 3", inst.result);
  }
  texel.component = static_cast<uint8_t>(component);
  const std::vector<mir::Type> results(4, dref ? mir::Type::kF32 : ComponentType(resource));
  if (operands.offsets.empty()) {
    if (!ConstantOffset(operands.offset, &texel)) {
      texel.offset = {0, 0, 0};
      texel.params |= mir::kTexelOffsets;
      sources.insert(sources.end(), operands.offset.begin(), operands.offset.end());
    }
    return DefineTexel(
        inst, EmitTexelOp(mir::Op::kGather, handle.image, resource, texel, sources, results, 0));
  }
  if (dim != mir::ImageDim::k2D) return Malformed("texel offsets on a cube", inst.result);
  Leaves leaves;
  for (size_t i = 0; i < 4; ++i) {
    const auto offset = absl::MakeConstSpan(operands.offsets).subspan(2 * i, 2);
    if (!ConstantOffset(offset, &texel)) {
      return Refuse("images", "gather offsets that are not 8-bit constants", inst.result);
    }
    const mir::InstId id =
        EmitTexelOp(mir::Op::kGather, handle.image, resource, texel, sources, results, 0);
    leaves.push_back(module().result(id, kLowerLeft));
  }
  return Define(inst, leaves);
}

}  // namespace kiln::front
