#include "core/front/spirv/spirv_image_types.h"

#include <iterator>

#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

// Image formats by their SPIR-V numbers.
constexpr mir::ImageFormat kImageFormats[] = {
    mir::ImageFormat::kUnknown,  mir::ImageFormat::kRgba32f,     mir::ImageFormat::kRgba16f,
    mir::ImageFormat::kR32f,     mir::ImageFormat::kRgba8,       mir::ImageFormat::kRgba8Snorm,
    mir::ImageFormat::kRg32f,    mir::ImageFormat::kRg16f,       mir::ImageFormat::kR11g11b10f,
    mir::ImageFormat::kR16f,     mir::ImageFormat::kRgba16,      mir::ImageFormat::kRgb10a2,
    mir::ImageFormat::kRg16,     mir::ImageFormat::kRg8,         mir::ImageFormat::kR16,
    mir::ImageFormat::kR8,       mir::ImageFormat::kRgba16Snorm, mir::ImageFormat::kRg16Snorm,
    mir::ImageFormat::kRg8Snorm, mir::ImageFormat::kR16Snorm,    mir::ImageFormat::kR8Snorm,
    mir::ImageFormat::kRgba32i,  mir::ImageFormat::kRgba16i,     mir::ImageFormat::kRgba8i,
    mir::ImageFormat::kR32i,     mir::ImageFormat::kRg32i,       mir::ImageFormat::kRg16i,
    mir::ImageFormat::kRg8i,     mir::ImageFormat::kR16i,        mir::ImageFormat::kR8i,
    mir::ImageFormat::kRgba32ui, mir::ImageFormat::kRgba16ui,    mir::ImageFormat::kRgba8ui,
    mir::ImageFormat::kR32ui,    mir::ImageFormat::kRgb10a2ui,   mir::ImageFormat::kRg32ui,
    mir::ImageFormat::kRg16ui,   mir::ImageFormat::kRg8ui,       mir::ImageFormat::kR16ui,
    mir::ImageFormat::kR8ui,     mir::ImageFormat::kRg32ui,      mir::ImageFormat::kRg32i,
};
// The last two are R64ui and R64i, whose texels are those of two integers of 32 bits.
constexpr uint32_t kFirstWideFormat = 40;
static_assert(std::size(kImageFormats) == kFirstWideFormat + 2);

bool ImageDimOf(spv::Dim dim, mir::ImageDim* out) {
  switch (dim) {
    case spv::Dim::Dim1D: *out = mir::ImageDim::k1D; return true;
    case spv::Dim::Dim2D: *out = mir::ImageDim::k2D; return true;
    case spv::Dim::Dim3D: *out = mir::ImageDim::k3D; return true;
    case spv::Dim::Cube: *out = mir::ImageDim::kCube; return true;
    case spv::Dim::Buffer: *out = mir::ImageDim::kBuffer; return true;
    case spv::Dim::SubpassData: *out = mir::ImageDim::k2D; return true;
    default: return false;
  }
}

absl::Status MakeSampledImage(const SpirvModule& m, const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kSampledImage;
  type.element = inst.operand(2);
  const SpirvType* image = m.Type(type.element);
  if (image == nullptr || image->kind != SpirvType::kImage) {
    return Invalid("sampled-image type of an id that is not an image type", inst.result);
  }
  type.image = image->image;
  type.wide_texels = image->wide_texels;
  type.image_unsupported = image->image_unsupported;
  if (type.image_unsupported.empty() && (image->storage_image || image->input_attachment)) {
    type.image_unsupported = "images";
  }
  return absl::OkStatus();
}

absl::Status MakeImage(const SpirvModule& m, const SpirvInst& inst, SpirvType& type) {
  type.kind = SpirvType::kImage;
  const SpirvType* component = m.Type(inst.operand(2));
  if (component == nullptr) return Invalid("sampled type of an image is not a type", inst.result);
  const uint32_t sampled = inst.operand(7);
  const uint32_t format = inst.operand(8);
  type.input_attachment = static_cast<spv::Dim>(inst.operand(3)) == spv::Dim::SubpassData;
  type.storage_image = sampled == 2 && !type.input_attachment;
  // An attachment has the layer of the fragment that reads it.
  type.image.arrayed = inst.operand(5) != 0 || type.input_attachment;
  type.image.multisampled = inst.operand(6) != 0;
  const bool is_int = component->kind == SpirvType::kInt;
  type.image.component = !is_int                ? mir::ComponentType::kFloat
                         : component->is_signed ? mir::ComponentType::kSint
                                                : mir::ComponentType::kUint;
  if (!ImageDimOf(static_cast<spv::Dim>(inst.operand(3)), &type.image.dim) ||
      (sampled != 1 && sampled != 2) || format >= std::size(kImageFormats) ||
      (!is_int && component->kind != SpirvType::kFloat)) {
    type.image_unsupported = "images";
    return absl::OkStatus();
  }
  type.wide_texels = is_int && component->width == 64;
  const bool wide_format = format >= kFirstWideFormat;
  if (component->width != 32 && !type.wide_texels) type.image_unsupported = "images";
  if (format != 0 && wide_format != type.wide_texels) type.image_unsupported = "images";
  const mir::ImageDim dim = type.image.dim;
  const bool layered = dim == mir::ImageDim::k3D || dim == mir::ImageDim::kBuffer;
  if (layered && type.image.arrayed)
    return Invalid("arrayed image of a dimension without layers", inst.result);
  if (type.image.multisampled && dim != mir::ImageDim::k2D) {
    return Invalid("multisampled image is not 2D", inst.result);
  }
  // The format of a sampled image has no meaning.
  if (type.storage_image) type.image.format = kImageFormats[format];
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeImageType(const SpirvModule& module, const SpirvInst& inst, SpirvType& type) {
  type.unsupported = "image_values";
  if (inst.op == spv::Op::OpTypeSampledImage) return MakeSampledImage(module, inst, type);
  if (inst.op == spv::Op::OpTypeImage) return MakeImage(module, inst, type);
  type.kind = SpirvType::kSampler;
  return absl::OkStatus();
}

}  // namespace kiln::front
