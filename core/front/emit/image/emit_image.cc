// Emits images without filtering: handles of images and samplers, fetches, storage images, texel
// pointers, queries. emit_sample.cc has instructions with a sampler, emit_attachment.cc input
// attachments.
//
// Loading an image or sampler emits no code: the id is bound to the descriptor until an instruction
// accesses a texel. Arrays, structs, phis and selects of images are refused ("image_values").
#include <algorithm>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/image/image_emitter.h"
#include "core/front/emit/resources.h"
#include "core/front/state/descriptors.h"

namespace kiln::front {
namespace {

bool Has(uint32_t mask, spv::ImageOperandsMask bit) {
  return (mask & static_cast<uint32_t>(bit)) != 0;
}

}  // namespace

bool ImageEmitter::EmitImage(const SpirvInst& inst, bool* handled) {
  *handled = true;
  SampleForm form;
  if (SampleFormOf(inst.op, &form)) return EmitSample(inst, form);
  switch (inst.op) {
    case spv::Op::OpSampledImage: return EmitSampledImage(inst);
    case spv::Op::OpImage: return EmitImageOf(inst);
    case spv::Op::OpImageFetch: return EmitFetch(inst);
    case spv::Op::OpImageRead: return EmitImageRead(inst);
    case spv::Op::OpImageWrite: return EmitImageWrite(inst);
    case spv::Op::OpImageQuerySizeLod:
    case spv::Op::OpImageQuerySize:
    case spv::Op::OpImageQueryLevels:
    case spv::Op::OpImageQuerySamples: return EmitImageQuery(inst);
    case spv::Op::OpImageQueryLod: return EmitQueryLod(inst);
    case spv::Op::OpImageTexelPointer: return EmitTexelPointer(inst);
    default: *handled = false; return true;
  }
}

// ---- Handles ----

bool ImageEmitter::LoadImage(const SpirvInst& inst, const Pointer& pointer) {
  const SpirvType& type = *spirv().Type(pointer.type);
  if (!type.IsImage()) {
    return type.unsupported.empty()
               ? Malformed("load of a whole array of images", inst.result)
               : Refuse(type.unsupported, "load from this variable", inst.result);
  }
  ImageHandle handle;
  (type.kind == SpirvType::kSampler ? handle.sampler : handle.image) = pointer;
  return DefineImage(inst, handle);
}

// Returns true if a sampled image may have this image type: its own, or one that differs only in
// properties that have no effect. glslang's type for a comparing sampler has another depth.
bool ImageEmitter::IsImageOf(const SpirvType& sampled, uint32_t image) const {
  if (sampled.kind != SpirvType::kSampledImage) return false;
  if (sampled.element == image) return true;
  const SpirvType& a = *spirv().Type(sampled.element);
  const SpirvType& b = *spirv().Type(image);
  return b.kind == SpirvType::kImage && a.image == b.image && a.storage_image == b.storage_image &&
         a.wide_texels == b.wide_texels && a.input_attachment == b.input_attachment &&
         a.image_unsupported == b.image_unsupported;
}

bool ImageEmitter::EmitSampledImage(const SpirvInst& inst) {
  ImageHandle image;
  ImageHandle sampler;
  if (!GetImage(inst.operand(3), &image) || !GetImage(inst.operand(4), &sampler)) return false;
  const SpirvType& type = *spirv().Type(inst.type);
  if (image.image.variable == 0 || sampler.sampler.variable == 0 || image.sampler.variable != 0 ||
      !IsImageOf(type, spirv().Def(inst.operand(3)).type)) {
    return Malformed("OpSampledImage of operands that are not an image and a sampler", inst.result);
  }
  return DefineImage(inst, {image.image, sampler.sampler});
}

bool ImageEmitter::EmitImageOf(const SpirvInst& inst) {
  ImageHandle handle;
  if (!GetImage(inst.operand(3), &handle)) return false;
  const SpirvType& from = *spirv().Type(spirv().Def(inst.operand(3)).type);
  if (from.kind != SpirvType::kSampledImage || from.element != inst.type) {
    return Malformed("OpImage of an operand that is not a sampled image", inst.result);
  }
  handle.sampler = Pointer();
  return DefineImage(inst, handle);
}

// ---- Operands ----

// Gets numbers of any width as 32 bits: coordinates, LODs, gradients, samples. Integers that do not
// fit become all ones, which is outside of every image.
bool ImageEmitter::GetNumbers(uint32_t id, Leaves* leaves) {
  uint32_t type_id = 0;
  if (!Get(id, leaves, &type_id)) return false;
  const SpirvType* type = spirv().Type(type_id);
  if (type->kind == SpirvType::kVector) type = spirv().Type(type->element);
  if (type->kind != SpirvType::kInt && type->kind != SpirvType::kFloat) {
    return Malformed("image operand is not a number", id);
  }
  for (ValueId& v : *leaves) {
    v = mir::IsFloat(TypeOf(v)) ? ConvertFloat(v, mir::Type::kF32) : ToIndex(v, type->is_signed);
  }
  return ok();
}

bool ImageEmitter::GetInts(uint32_t id, size_t count, Leaves* leaves) {
  uint32_t type_id = 0;
  if (!Get(id, leaves, &type_id)) return false;
  const SpirvType* type = spirv().Type(type_id);
  while (type->kind == SpirvType::kVector || type->kind == SpirvType::kArray) {
    type = spirv().Type(type->element);
  }
  for (ValueId& v : *leaves) {
    if (!mir::IsInt(TypeOf(v))) return Malformed("texel offset is not an integer", id);
    if (IsWideConstant(v)) return Malformed("texel offset exceeds 32 bits", id);
    v = ConvertInt(v, mir::Type::kI32, type->is_signed);
  }
  return count == 0 || leaves->size() == count || Malformed("wrong number of texel offsets", id);
}

// Reads the mask at word `first` and its operands.
bool ImageEmitter::GetImageOperands(const SpirvInst& inst, size_t first, ImageOperands* operands) {
  using Mask = spv::ImageOperandsMask;
  if (first >= inst.size()) return true;
  const uint32_t mask = inst.words[first];
  size_t next = first + 1;
  int offsets = 0;
  for (const Mask bit : {Mask::ConstOffset, Mask::Offset, Mask::ConstOffsets, Mask::Offsets}) {
    offsets += Has(mask, bit) ? 1 : 0;
  }
  if (offsets > 1) return Malformed("more than one texel offset", inst.result);
  const auto take = [&](Mask bit, uint16_t param, Leaves* leaves) {
    if (!Has(mask, bit)) return true;
    operands->params |= param;
    return GetNumbers(inst.operand(next++), leaves);
  };
  if (!take(Mask::Bias, mir::kTexelBias, &operands->bias) ||
      !take(Mask::Lod, mir::kTexelLod, &operands->lod) ||
      !take(Mask::Grad, mir::kTexelGrad, &operands->dx) ||
      (Has(mask, Mask::Grad) && !GetNumbers(inst.operand(next++), &operands->dy))) {
    return false;
  }
  for (const Mask bit : {Mask::ConstOffset, Mask::Offset}) {
    if (Has(mask, bit) && !GetInts(inst.operand(next++), 0, &operands->offset)) return false;
  }
  if (Has(mask, Mask::ConstOffsets) && !GetInts(inst.operand(next++), 8, &operands->offsets)) {
    return false;
  }
  if (!take(Mask::Sample, mir::kTexelSample, &operands->sample) ||
      !take(Mask::MinLod, mir::kTexelMinLod, &operands->min_lod)) {
    return false;
  }
  for (const Mask bit : {Mask::MakeTexelAvailable, Mask::MakeTexelVisible}) {
    if (!Has(mask, bit)) continue;
    operands->flags |= mir::kCoherent;
    ++next;  // the scope
  }
  // Non-private texels may be made available and visible by a barrier or atomic elsewhere.
  if (Has(mask, Mask::NonPrivateTexel)) operands->flags |= mir::kCoherent;
  if (Has(mask, Mask::VolatileTexel)) operands->flags |= mir::kVolatile;
  if (Has(mask, Mask::Offsets)) return GetInts(inst.operand(next++), 8, &operands->offsets);
  return true;
}

bool ImageEmitter::CheckImageOperands(const SpirvInst& inst, const ImageOperands& operands,
                                      uint16_t allowed) {
  if ((operands.params & ~allowed) == 0) return true;
  return Malformed("image operand is not allowed on this instruction", inst.result);
}

// Appends to the sources the first `count` components of a vector that may be longer.
bool ImageEmitter::Texels(uint32_t id, size_t count, mir::Type type, Leaves* sources) {
  Leaves leaves;
  if (!GetNumbers(id, &leaves)) return false;
  if (leaves.size() < count) return Malformed("too few coordinates", id);
  for (size_t i = 0; i < count; ++i) {
    if (TypeOf(leaves[i]) != type) return Malformed("coordinates of the wrong type", id);
    sources->push_back(leaves[i]);
  }
  return true;
}

// ---- Texel ops ----

bool ImageEmitter::AccessedImage(const Pointer& image, uint32_t* resource, bool attachment) {
  if (image.variable == 0)
    return Malformed("operand is a sampler, not an image", builder().spirv_id());
  uint32_t count = 0;
  const SpirvType& type = DescriptorType(spirv(), image.variable, &count);
  if (!type.image_unsupported.empty()) {
    return Refuse(type.image_unsupported, "image of this type", image.variable);
  }
  if (type.input_attachment != attachment) {
    return Malformed("input attachment used other than by OpImageRead", image.variable);
  }
  if (type.wide_texels) Need(mir::Need::kInt64Images, image.variable);
  return Resources(c_).Resource(image, resource);
}

bool ImageEmitter::HasWideTexels(const Pointer& image) const {
  uint32_t count = 0;
  return DescriptorType(spirv(), image.variable, &count).wide_texels;
}

mir::Type ImageEmitter::ComponentType(uint32_t resource) const {
  return module().resources[resource].image.component == mir::ComponentType::kFloat
             ? mir::Type::kF32
             : mir::Type::kI32;
}

// `sources` are those after the index of the image.
mir::InstId ImageEmitter::EmitTexelOp(mir::Op op, const Pointer& image, uint32_t resource,
                                      mir::TexelOp texel, absl::Span<const ValueId> sources,
                                      absl::Span<const mir::Type> results, uint8_t flags) {
  Leaves all = DescriptorSources(image);
  all.insert(all.end(), sources.begin(), sources.end());
  Charge(module().texel_ops.size() / 8);
  const bool pure = mir::Info(op).Has('P');
  const uint8_t memory = image.flags & (mir::kCoherent | mir::kVolatile);
  flags |= (image.flags & (mir::kIndexed | mir::kNonUniform)) | (pure ? 0 : memory);
  builder().set_flags(flags);
  const mir::InstId id =
      builder().EmitInst(op, all, results, resource, mir::AddTexelOp(module(), texel));
  builder().set_flags(0);
  return id;
}

// Binds the result to as many components as its type has. The first two of a texel that is one
// integer of 64 bits are its halves; the others are those that such a format lacks.
bool ImageEmitter::DefineTexel(const SpirvInst& inst, mir::InstId texel, bool counts) {
  const SpirvType* type = Supported(inst.type);
  if (type == nullptr) return false;
  Leaves leaves;
  ImageHandle handle;
  if (!counts && !GetImage(inst.operand(3), &handle)) return false;
  if (!counts && HasWideTexels(handle.image)) {
    Recut({module().result(texel, 0), module().result(texel, 1)}, mir::Type::kI64, &leaves);
    for (const uint64_t missing : {0, 0, 1}) {
      leaves.push_back(builder().Constant(mir::Type::kI64, missing));
    }
    leaves.resize(std::min<size_t>(type->leaves, leaves.size()));
    return ok() && Define(inst, leaves);
  }
  const uint32_t count = std::min<uint32_t>(type->leaves, module().inst(texel).num_results);
  for (uint32_t i = 0; i < count; ++i) {
    leaves.push_back(module().result(texel, static_cast<int>(i)));
    // Sizes and counts may be integers of any width.
    const mir::Type wanted = LeafTypes(inst.type)[i];
    if (counts && mir::IsInt(wanted)) leaves.back() = ConvertInt(leaves.back(), wanted, false);
  }
  return Define(inst, leaves);
}

bool ImageEmitter::EmitFetch(const SpirvInst& inst) {
  ImageHandle handle;
  ImageOperands operands;
  uint32_t resource = 0;
  if (!GetImage(inst.operand(3), &handle) || !GetImageOperands(inst, 5, &operands) ||
      !CheckImageOperands(inst, operands, mir::kTexelLod | mir::kTexelSample) ||
      !AccessedImage(handle.image, &resource)) {
    return false;
  }
  const mir::Resource& r = module().resources[resource];
  const mir::ImageInfo info = r.image;
  if (r.kind == mir::ResourceKind::kStorageImage ||
      r.kind == mir::ResourceKind::kStorageTexelBuffer || info.dim == mir::ImageDim::kCube) {
    return Malformed("fetch from an image that is not a sampled image", inst.result);
  }
  Leaves sources;
  const auto count = static_cast<size_t>(mir::CoordinateCount(info, true));
  if (!Texels(inst.operand(4), count, mir::Type::kI32, &sources)) return false;
  // Offsets need a header in a fetch; adding them costs no more.
  if (operands.offset.size() > count)
    return Malformed("wrong number of texel offsets", inst.result);
  for (size_t i = 0; i < operands.offset.size(); ++i) {
    sources[i] = Emit(mir::Op::kIadd, {sources[i], operands.offset[i]});
  }
  const bool levels = !info.multisampled && info.dim != mir::ImageDim::kBuffer;
  if (!levels) operands.lod.clear();
  if (info.multisampled != !operands.sample.empty())
    return Malformed("sample operand is missing, or the image is not multisampled", inst.result);
  mir::TexelOp texel;
  for (const auto& [param, leaves] :
       {std::pair(mir::kTexelLod, &operands.lod), std::pair(mir::kTexelSample, &operands.sample)}) {
    if (leaves->empty()) continue;
    if (leaves->size() != 1 || TypeOf((*leaves)[0]) != mir::Type::kI32) {
      return Malformed("LOD or sample index is not a 32-bit integer", inst.result);
    }
    texel.params |= param;
    sources.push_back((*leaves)[0]);
  }
  const std::vector<mir::Type> results(4, ComponentType(resource));
  return DefineTexel(
      inst, EmitTexelOp(mir::Op::kFetch, handle.image, resource, texel, sources, results, 0));
}

// ---- Storage images ----

bool ImageEmitter::StorageSources(const SpirvInst& inst, uint32_t coordinates, uint32_t resource,
                                  const ImageOperands& operands, mir::TexelOp* texel,
                                  Leaves* sources) {
  const mir::Resource& r = module().resources[resource];
  if (r.kind != mir::ResourceKind::kStorageImage &&
      r.kind != mir::ResourceKind::kStorageTexelBuffer) {
    return Malformed("read or write of an image that is not a storage image", inst.result);
  }
  const auto count = static_cast<size_t>(mir::CoordinateCount(r.image, false));
  if (!Texels(coordinates, count, mir::Type::kI32, sources)) return false;
  if (!operands.offset.empty()) return Malformed("texel offset on a storage image", inst.result);
  if (r.image.multisampled != !operands.sample.empty())
    return Malformed("sample operand is missing, or the image is not multisampled", inst.result);
  if (!r.image.multisampled) return true;
  if (operands.sample.size() != 1 || TypeOf(operands.sample[0]) != mir::Type::kI32) {
    return Malformed("sample index is not a 32-bit integer", inst.result);
  }
  texel->params |= mir::kTexelSample;
  sources->push_back(operands.sample[0]);
  return true;
}

// Checks the operands of a read or write of a storage image.
bool ImageEmitter::CheckStorageOperands(const SpirvInst& inst, const ImageOperands& operands) {
  if ((operands.params & mir::kTexelLod) != 0) {  // SPV_AMD_shader_image_load_store_lod
    return Refuse("images", "access to a storage image with an LOD", inst.result);
  }
  return CheckImageOperands(inst, operands, mir::kTexelSample);
}

bool ImageEmitter::EmitImageRead(const SpirvInst& inst) {
  ImageHandle handle;
  ImageOperands operands;
  uint32_t resource = 0;
  mir::TexelOp texel;
  Leaves sources;
  if (!GetImage(inst.operand(3), &handle) || !GetImageOperands(inst, 5, &operands)) return false;
  if (IsAttachment(handle)) return EmitAttachmentRead(inst, handle, operands);
  if (!CheckStorageOperands(inst, operands) || !AccessedImage(handle.image, &resource) ||
      !StorageSources(inst, inst.operand(4), resource, operands, &texel, &sources)) {
    return false;
  }
  const std::vector<mir::Type> results(4, ComponentType(resource));
  return DefineTexel(inst, EmitTexelOp(mir::Op::kImageLoad, handle.image, resource, texel, sources,
                                       results, operands.flags));
}

bool ImageEmitter::EmitImageWrite(const SpirvInst& inst) {
  ImageHandle handle;
  ImageOperands operands;
  uint32_t resource = 0;
  mir::TexelOp texel;
  Leaves sources;
  Leaves values;
  if (!GetImage(inst.operand(1), &handle) || !GetImageOperands(inst, 4, &operands) ||
      !CheckStorageOperands(inst, operands) || !AccessedImage(handle.image, &resource) ||
      !StorageSources(inst, inst.operand(2), resource, operands, &texel, &sources) ||
      !Get(inst.operand(3), &values)) {
    return false;
  }
  const mir::Type type = ComponentType(resource);
  if (values.empty() || values.size() > 4)
    return Malformed("texel has no or more than four components", inst.operand(3));
  if (HasWideTexels(handle.image)) {
    if (TypeOf(values[0]) != mir::Type::kI64)
      return Malformed("texel is not of the image's type", inst.operand(3));
    const ValueId whole = values[0];
    values.clear();
    Recut({whole}, mir::Type::kI32, &values);
  }
  values.resize(4, builder().Constant(type, 0));
  for (ValueId v : values) {
    if (TypeOf(v) != type) return Malformed("texel is not of the image's type", inst.operand(3));
    sources.push_back(v);
  }
  module().resources[resource].read_only = false;
  EmitTexelOp(mir::Op::kImageStore, handle.image, resource, texel, sources, {}, operands.flags);
  return ok();
}

// ---- Texel pointers and atomics ----

bool ImageEmitter::EmitTexelPointer(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  const SpirvType* image = spirv().Type(pointer.type);
  const SpirvType& type = *spirv().Type(inst.type);
  if (pointer.space != Pointer::kImage || image == nullptr || image->kind != SpirvType::kImage ||
      !image->storage_image || type.kind != SpirvType::kPointer) {
    return Malformed("OpImageTexelPointer into an image that is not a storage image", inst.result);
  }
  const uint32_t width = spirv().Type(type.element)->width;
  if (image->image_unsupported.empty() && width != (image->wide_texels ? 64 : 32)) {
    return Malformed("OpImageTexelPointer to another type than the image's", inst.result);
  }
  TexelPointer texel;
  texel.image = pointer;
  Leaves sources;
  const auto count = static_cast<size_t>(mir::CoordinateCount(image->image, false));
  if (!Texels(inst.operand(4), count, mir::Type::kI32, &sources)) return false;
  if (image->image.multisampled && !Texels(inst.operand(5), 1, mir::Type::kI32, &sources)) {
    return false;
  }
  texel.sources.assign(sources.begin(), sources.end());
  Pointer result;
  result.space = Pointer::kTexel;
  result.variable = pointer.variable;
  result.flags = pointer.flags;
  result.type = type.element;
  result.offset = c_.bindings.AddTexel(std::move(texel));
  return DefinePointer(inst, result);
}

// Operands and result are bits, also those of floats.
bool ImageEmitter::TexelAtomic(const Pointer& pointer, mir::AtomicOp op, bool is_float,
                               absl::Span<const ValueId> operands, ValueId* result) {
  const TexelPointer texel_pointer = c_.bindings.texel(pointer.offset);
  uint32_t resource = 0;
  if (!AccessedImage(texel_pointer.image, &resource)) return false;
  if (is_float && module().resources[resource].image.format != mir::ImageFormat::kR32f) {
    return Malformed("float atomic on an image whose format is not R32f", pointer.variable);
  }
  mir::TexelOp texel;
  texel.atomic = op;
  if (module().resources[resource].image.multisampled) texel.params |= mir::kTexelSample;
  Leaves sources(texel_pointer.sources.begin(), texel_pointer.sources.end());
  module().resources[resource].read_only = false;
  const mir::Type type = mir::Type::kI32;
  if (HasWideTexels(texel_pointer.image)) {
    const mir::ImageFormat format = module().resources[resource].image.format;
    if (format == mir::ImageFormat::kUnknown) {
      return Malformed("atomic of 64 bits on an image without a format", pointer.variable);
    }
    if (!operands.empty()) Recut(operands, type, &sources);
    const mir::InstId id = EmitTexelOp(mir::Op::kImageAtomic64, texel_pointer.image, resource,
                                       texel, sources, {{type, type}}, 0);
    Leaves whole;
    Recut({module().result(id, 0), module().result(id, 1)}, mir::Type::kI64, &whole);
    *result = whole[0];
    return ok();
  }
  sources.insert(sources.end(), operands.begin(), operands.end());
  const mir::InstId id = EmitTexelOp(mir::Op::kImageAtomic, texel_pointer.image, resource, texel,
                                     sources, absl::MakeConstSpan(&type, 1), 0);
  *result = module().result(id);
  return ok();
}

// ---- Queries ----

bool ImageEmitter::EmitImageQuery(const SpirvInst& inst) {
  ImageHandle handle;
  uint32_t resource = 0;
  if (!GetImage(inst.operand(3), &handle) || !AccessedImage(handle.image, &resource)) return false;
  const mir::ImageInfo info = module().resources[resource].image;
  mir::TexelOp texel;
  Leaves sources;
  mir::Op op = mir::Op::kImageSize;
  if (inst.op == spv::Op::OpImageQueryLevels) op = mir::Op::kImageLevels;
  if (inst.op == spv::Op::OpImageQuerySamples) op = mir::Op::kImageSamples;
  if (inst.op == spv::Op::OpImageQuerySizeLod) {
    if (!Texels(inst.operand(4), 1, mir::Type::kI32, &sources)) return false;
    const bool levels = !info.multisampled && info.dim != mir::ImageDim::kBuffer;
    if (levels) texel.params |= mir::kTexelLod;
    if (!levels) sources.clear();
  }
  const size_t count = op == mir::Op::kImageSize ? mir::SizeCount(info) : 1;
  const std::vector<mir::Type> results(count, mir::Type::kI32);
  return DefineTexel(inst, EmitTexelOp(op, handle.image, resource, texel, sources, results, 0),
                     true);
}

bool EmitImage(ImportContext& c, const SpirvInst& inst, bool* handled) {
  return ImageEmitter(c).EmitImage(inst, handled);
}

bool LoadImage(ImportContext& c, const SpirvInst& inst, const Pointer& pointer) {
  return ImageEmitter(c).LoadImage(inst, pointer);
}

bool TexelAtomic(ImportContext& c, const Pointer& pointer, mir::AtomicOp op, bool is_float,
                 absl::Span<const ValueId> operands, ValueId* result) {
  return ImageEmitter(c).TexelAtomic(pointer, op, is_float, operands, result);
}

}  // namespace kiln::front
