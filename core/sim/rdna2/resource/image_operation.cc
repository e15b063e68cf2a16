// See image_operation.h.
#include "core/sim/rdna2/resource/image_operation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/amd/isa/operands.h"
#include "core/base/float_bits.h"
#include "core/sim/rdna2/resource/atomic.h"
#include "core/sim/rdna2/resource/sampler_state.h"

namespace kiln::sim::rdna2 {
namespace isa = ::kiln::amd::isa;
namespace {

using Quad = std::array<absl::Span<const uint32_t>, 4>;

bool IsMultisampled(ImageType t) { return t == ImageType::k2dMsaa || t == ImageType::k2dMsaaArray; }
bool IsMultisampled(AddressDim d) {
  return d == AddressDim::k2dMsaa || d == AddressDim::k2dMsaaArray;
}
bool IsLayered(ImageType t) {
  return t == ImageType::kCube || t == ImageType::k1dArray || t == ImageType::k2dArray ||
         t == ImageType::k2dMsaaArray;
}
bool IsArray(AddressDim d) {
  return d == AddressDim::k1dArray || d == AddressDim::k2dArray || d == AddressDim::k2dMsaaArray;
}

scene::ImageDim DimOf(ImageType t) {
  switch (t) {
    case ImageType::k1d:
    case ImageType::k1dArray: return scene::ImageDim::k1d;
    case ImageType::k3d: return scene::ImageDim::k3d;
    case ImageType::kCube: return scene::ImageDim::kCube;
    default: return scene::ImageDim::k2d;
  }
}

// An array of one layer has the type of an image without layers (radv_tex_dim), so both may be
// addressed either way.
bool Fits(AddressDim dim, ImageType type) {
  switch (dim) {
    case AddressDim::k1d:
    case AddressDim::k1dArray: return type == ImageType::k1d || type == ImageType::k1dArray;
    case AddressDim::k2d:
    case AddressDim::k2dArray: return type == ImageType::k2d || type == ImageType::k2dArray;
    case AddressDim::k3d: return type == ImageType::k3d;
    case AddressDim::kCube: return type == ImageType::kCube;
    default: return IsMultisampled(type);
  }
}

// The shape that a T# describes. Sizes are at least 1.
scene::ClientImage ShapeOf(const ImageResource& r, const HardwareFormat& format, AddressDim dim) {
  const auto type = static_cast<ImageType>(r.type);
  scene::ClientImage shape;
  shape.format = format.texel;
  shape.dim = DimOf(type);
  shape.arrayed = IsArray(dim) || dim == AddressDim::kCube;
  shape.width = uint32_t{r.width} + 1;
  shape.height = uint32_t{r.height} + 1;
  if (type == ImageType::k3d) shape.depth = uint32_t{r.depth} + 1;
  if (IsLayered(type)) shape.layers = uint32_t{r.depth} + 1;
  (IsMultisampled(type) ? shape.samples : shape.levels) =
      IsMultisampled(type) ? 1u << r.last_level : uint32_t{r.last_level} + 1;
  return shape;
}

// Returns true if the texels of `image` lie as those of `shape` do.
bool SameLayout(const scene::ClientImage& image, const scene::ClientImage& shape) {
  const bool faces = image.dim == scene::ImageDim::kCube && shape.dim == scene::ImageDim::k2d;
  return (image.dim == shape.dim || faces) && image.width == shape.width &&
         image.height == shape.height && image.depth == shape.depth &&
         image.layers == shape.layers && image.levels == shape.levels &&
         image.samples == shape.samples &&
         scene::TexelBytes(image.format) == scene::TexelBytes(shape.format);
}

absl::Status CheckWhole(const ImageResource& r) {
  constexpr uint32_t kCompressionEnable = 1 << 21;  // of word 6
  if (r.base_level != 0 || r.base_array != 0 || r.array_pitch != 0) {
    return absl::UnimplementedError("a T# of some levels, layers or slices of an image");
  }
  if (r.min_lod != 0) return absl::UnimplementedError("a T# with a lower limit of levels");
  if ((r.metadata[0] & kCompressionEnable) != 0) {
    return absl::UnimplementedError("a T# of a compressed image");
  }
  for (uint8_t s : r.select) {
    if (s == 2 || s == 3) return absl::InvalidArgumentError("a reserved DST_SEL in a T#");
  }
  return absl::OkStatus();
}

// A cube's third coordinate is 8 * cube + face, the others are 1 to 2 on the face
// (ac_nir_lower_tex.c, prepare_cube_coords).
struct CubePoint {
  int cube = 0, face = 0;
  float s = 0, t = 0;
};

absl::StatusOr<CubePoint> CubePointOf(const ImageAddress& at) {
  const float id = std::nearbyint(AsFloat(at.coordinates[2]));
  CubePoint p;
  p.s = AsFloat(at.coordinates[0]) - 1;
  p.t = AsFloat(at.coordinates[1]) - 1;
  if (!std::isfinite(id)) return p;
  p.cube = static_cast<int>(std::floor(std::clamp(id, -0x1p20f, 0x1p20f) / 8));
  p.face = static_cast<int>(std::clamp(id, -0x1p20f, 0x1p20f)) - 8 * p.cube;
  if (p.face < 6) return p;
  return absl::InvalidArgumentError(
      absl::StrFormat("a cube's third coordinate %g, which names no face", id));
}

}  // namespace

absl::StatusOr<ImageOperation> ImageOperation::Make(const isa::Instruction& inst,
                                                    const ImageWords& image,
                                                    const SamplerWords& sampler,
                                                    const BoundTexels& bound) {
  const absl::StatusOr<ImageOpcode> opcode = ImageOpcodeOf(inst.op);
  if (!opcode.ok()) return opcode.status();
  ImageOperation o;
  o.inst_ = inst;
  o.opcode_ = *opcode;
  o.resource_ = DecodeImage(image);
  o.null_ = image == ImageWords{};
  if (absl::Status s = o.CheckInstruction(); !s.ok()) return s;
  if (o.null_) return o;
  if (absl::Status s = o.PrepareShape(bound); !s.ok()) return s;
  if (absl::Status s = o.CheckTexels(); !s.ok()) return s;
  if (o.opcode_.samples()) {
    if (absl::Status s = o.PrepareSampler(sampler); !s.ok()) return s;
  }
  return o;
}

absl::Status ImageOperation::CheckInstruction() const {
  if (inst_.r128) return absl::UnimplementedError("a T# of 128 bits");
  if (inst_.dmask == 0) return absl::InvalidArgumentError("an image instruction with dmask 0");
  const bool texel = opcode_.integer() && opcode_.action != ImageAction::kGetSize;
  if (texel && !inst_.unnormalised) {
    return absl::InvalidArgumentError("a load, store or atomic of an image without unrm");
  }
  if (opcode_.action == ImageAction::kGather && !std::has_single_bit(inst_.dmask)) {
    return absl::InvalidArgumentError("a gather of several components");
  }
  if (opcode_.action == ImageAction::kAtomic) {
    if (AtomicBits() == 0) return absl::InvalidArgumentError("an image atomic with this dmask");
    if (inst_.tfe || inst_.lwe) return absl::UnimplementedError("an image atomic with tfe or lwe");
  }
  return absl::OkStatus();
}

// 32 or 64 by the registers of data, of which a comparison takes twice as many; 0: neither.
int ImageOperation::AtomicBits() const {
  const std::optional<AtomicOp> op = AtomicOpOf(inst_.op);
  const bool two = op == AtomicOp::kCompareSwap || op == AtomicOp::kFloatCompareSwap;
  if (inst_.dmask == (two ? 0x3 : 0x1)) return 32;
  return inst_.dmask == (two ? 0xf : 0x3) ? 64 : 0;
}

absl::Status ImageOperation::PrepareShape(const BoundTexels& bound) {
  if (!resource_.IsImage()) return absl::InvalidArgumentError("a T# whose TYPE is no image's");
  if (bound.image == nullptr) {
    return absl::NotFoundError(absl::StrFormat("no image lies at the T#'s 0x%x", resource_.base));
  }
  const absl::StatusOr<HardwareFormat> format = FormatOf(resource_.format);
  if (!format.ok()) return format.status();
  format_ = *format;
  if (absl::Status s = CheckWhole(resource_); !s.ok()) return s;
  const auto dim = static_cast<AddressDim>(inst_.dim & 7);
  if (!Fits(dim, static_cast<ImageType>(resource_.type))) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "an image instruction of dimension %d with a T# of type %d", inst_.dim, resource_.type));
  }
  shape_ = ShapeOf(resource_, format_, dim);
  texels_ = bound.texels;
  if (SameLayout(*bound.image, shape_)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "a T# whose sizes or format are not those of the image at its base");
}

absl::Status ImageOperation::CheckTexels() const {
  if (format_.scaled) return absl::UnimplementedError("an image of a scaled format");
  if (opcode_.samples() && IsMultisampled(static_cast<AddressDim>(inst_.dim))) {
    return absl::InvalidArgumentError("a filtered image with several samples a texel");
  }
  if (opcode_.action != ImageAction::kAtomic) return absl::OkStatus();
  const bool single = 8 * format_.bytes() == AtomicBits() && format_.channels == AtomicBits() / 32;
  if (single && scene::TexelFormat::kR16f != format_.texel) return absl::OkStatus();
  return absl::InvalidArgumentError("an atomic on an image of a format that has none");
}

absl::Status ImageOperation::PrepareSampler(const SamplerWords& words) {
  const SamplerState state = DecodeSampler(words);
  absl::StatusOr<scene::ClientSampler> sampler = SamplerOf(state);
  if (!sampler.ok()) return sampler.status();
  sampler_ = *std::move(sampler);
  sampler_.unnormalized = sampler_.unnormalized || inst_.unnormalised;
  if (opcode_.action != ImageAction::kGather) return absl::OkStatus();
  // It would truncate the coordinate that linear filtering shifts by half a texel; programs clear
  // the bit before they gather (radv_nir_apply_pipeline_layout.c).
  if (state.trunc_coord) return absl::InvalidArgumentError("a gather through TRUNC_COORD");
  if (!opcode_.zero) return absl::UnimplementedError("a gather at a level that is not 0");
  return absl::OkStatus();
}

absl::StatusOr<ImageResult> ImageOperation::Read(absl::Span<const uint32_t> address,
                                                 const Quad& quad) const {
  if (null_) return Answer({}, true);
  const ImageAddress at = AddressOf(address);
  absl::StatusOr<scene::Texel> texel = scene::Texel{};
  bool integer = format_.integer();
  switch (opcode_.action) {
    case ImageAction::kLoad: {
      const absl::Span<uint8_t> bytes = TexelOf(address);
      texel = LoadTexel(format_, resource_.select, bytes.empty() ? nullptr : bytes.data());
      break;
    }
    case ImageAction::kSample: texel = Sample(at, quad); break;
    case ImageAction::kGather: texel = Gather(at); break;
    case ImageAction::kGetLod:
      texel = LodQuery(at, quad);
      integer = false;
      break;
    case ImageAction::kGetSize:
      texel = Size(at);
      integer = true;
      break;
    default: return absl::InternalError("a store or atomic is no read");
  }
  if (!texel.ok()) return texel.status();
  return Answer(*texel, integer && !opcode_.compare);
}

absl::Status ImageOperation::Store(absl::Span<const uint32_t> address,
                                   absl::Span<const uint32_t> data) const {
  const absl::Span<uint8_t> bytes = TexelOf(address);
  if (bytes.empty()) return absl::OkStatus();
  std::array<uint32_t, 4> components{};
  const auto count = static_cast<size_t>(std::popcount(inst_.dmask));
  UnpackComponents(data, inst_.d16, format_, absl::MakeSpan(components.data(), count));
  scene::Texel texel{};
  size_t next = 0;
  for (size_t k = 0; k < 4; ++k) {
    if ((inst_.dmask >> k & 1) != 0) texel[k] = components[next++];
  }
  return StoreTexel(format_, resource_.select, texel, bytes.data());
}

ImageResult ImageOperation::Atomic(absl::Span<const uint32_t> address,
                                   absl::Span<const uint32_t> data) const {
  const int bits = AtomicBits();
  const auto dwords = static_cast<size_t>(bits / 32);
  const auto operand = [&](size_t i) {
    if ((i + 1) * dwords > data.size()) return uint64_t{0};
    return data[i * dwords] | (bits == 64 ? uint64_t{data[i * dwords + 1]} << 32 : 0);
  };
  uint64_t old = 0;
  const absl::Span<uint8_t> bytes = TexelOf(address);
  if (!bytes.empty()) {
    std::memcpy(&old, bytes.data(), 4 * dwords);
    const uint64_t now = ApplyAtomic(*AtomicOpOf(inst_.op), bits, old, operand(0), operand(1));
    std::memcpy(bytes.data(), &now, 4 * dwords);
  }
  return {{static_cast<uint32_t>(old), static_cast<uint32_t>(old >> 32)}, bits / 32};
}

absl::Span<uint8_t> ImageOperation::TexelOf(absl::Span<const uint32_t> address) const {
  if (null_) return {};
  const scene::TexelIndex i = IndexOf(AddressOf(address));
  if (!scene::HasTexel(shape_, i)) return {};
  const uint64_t offset = shape_.Offset(
      static_cast<uint32_t>(i.level), static_cast<uint32_t>(i.layer), static_cast<uint32_t>(i.x),
      static_cast<uint32_t>(i.y), static_cast<uint32_t>(i.z), static_cast<uint32_t>(i.sample));
  return {texels_ + offset, static_cast<size_t>(format_.bytes())};
}

int ImageOperation::DataDwords() const {
  return isa::ImageDataDwords(inst_) - (inst_.tfe || inst_.lwe ? 1 : 0);
}

scene::TexelIndex ImageOperation::IndexOf(const ImageAddress& at) const {
  const auto dim = static_cast<AddressDim>(inst_.dim);
  const auto number = [&](size_t k) { return static_cast<int>(at.coordinates[k]); };
  scene::TexelIndex i;
  i.x = number(0);
  if (opcode_.level) i.level = static_cast<int>(at.level);
  if (dim == AddressDim::k1dArray) i.layer = number(1);
  if (dim == AddressDim::k1d || dim == AddressDim::k1dArray) return i;
  i.y = number(1);
  if (dim == AddressDim::k3d) i.z = number(2);
  if (dim == AddressDim::kCube || IsArray(dim)) i.layer = number(2);
  if (IsMultisampled(dim)) i.sample = number(IsArray(dim) ? 3 : 2);
  return i;
}

absl::StatusOr<scene::SamplePoint> ImageOperation::PointOf(const ImageAddress& at) const {
  const auto dim = static_cast<AddressDim>(inst_.dim);
  scene::SamplePoint p;
  p.offset = at.offset;
  p.reference = at.reference;
  if (dim == AddressDim::kCube) {
    const absl::StatusOr<CubePoint> cube = CubePointOf(at);
    if (!cube.ok()) return cube.status();
    p.uvw = {cube->s, cube->t, 0};
    p.face = cube->face;
    p.layer = static_cast<float>(cube->cube);
    return p;
  }
  const auto all = static_cast<size_t>(CoordinatesOf(dim));
  const size_t axes = all - (IsArray(dim) ? 1 : 0);
  for (size_t k = 0; k < axes; ++k) p.uvw[k] = AsFloat(at.coordinates[k]);
  if (IsArray(dim)) p.layer = AsFloat(at.coordinates[axes]);
  return p;
}

// Returns the level of detail before the sampler's bias and limits. The derivatives of a quad are
// those of its first lane, as far as sources tell; of a cube, those of the points in the plane of
// that lane's face.
absl::StatusOr<float> ImageOperation::LodOf(const ImageAddress& at, const Quad& quad) const {
  if (opcode_.level) return AsFloat(at.level);
  if (opcode_.zero) return 0.0f;
  std::array<float, 3> dx = at.dx, dy = at.dy;
  if (!opcode_.derivatives) {
    std::array<std::array<float, 3>, 3> points{};
    std::array<float, 3> reference{};
    for (size_t lane = 0; lane < 3; ++lane) {
      const absl::StatusOr<scene::SamplePoint> p = PointOf(AddressOf(quad[lane]));
      // No face: a lane that is off, with anything in its registers, since Sample() refuses one
      // that is on. Derivatives beside lanes that are off are undefined (SPIR-V,
      // OpImageSampleImplicitLod).
      if (!p.ok()) return at.bias;
      points[lane] = p->uvw;
      if (!p->face) continue;
      const std::array<float, 3> ray = scene::CubeDirection(*p->face, p->uvw[0], p->uvw[1]);
      if (lane == 0) reference = ray;
      points[lane] = scene::ProjectOnFace(ray, reference);
    }
    for (size_t k = 0; k < 3; ++k) {
      dx[k] = points[1][k] - points[0][k];
      dy[k] = points[2][k] - points[0][k];
    }
  }
  return scene::LodOfDerivatives(shape_, dx, dy) + at.bias;
}

absl::StatusOr<scene::Texel> ImageOperation::Sample(const ImageAddress& at,
                                                    const Quad& quad) const {
  absl::StatusOr<scene::SamplePoint> p = PointOf(at);
  if (!p.ok()) return p.status();
  const absl::StatusOr<float> lod = LodOf(at, quad);
  if (!lod.ok()) return lod.status();
  p->lod = *lod;
  if (opcode_.min_level) p->min_lod = AsFloat(at.level);
  return Deliver(format_, resource_.select,
                 scene::SampleImage(View(), sampler_, *p, opcode_.compare));
}

absl::StatusOr<scene::Texel> ImageOperation::Gather(const ImageAddress& at) const {
  const absl::StatusOr<scene::SamplePoint> p = PointOf(at);
  if (!p.ok()) return p.status();
  const uint8_t select = resource_.select[static_cast<size_t>(std::countr_zero(inst_.dmask))];
  if (select == kSelect0) return scene::Texel{};
  if (select == kSelect1) {
    scene::Texel ones;
    ones.fill(format_.integer() ? 1 : AsBits(1.0f));
    return ones;
  }
  return scene::GatherImage(View(), sampler_, *p, format_.order[select - kSelectX],
                            opcode_.compare);
}

// Component 0 is the level after all limits, component 1 before them.
absl::StatusOr<scene::Texel> ImageOperation::LodQuery(const ImageAddress& at,
                                                      const Quad& quad) const {
  const absl::StatusOr<float> raw = LodOf(at, quad);
  if (!raw.ok()) return raw.status();
  const float lod = *raw + sampler_.lod_bias;
  const float limited = std::min(std::max(lod, sampler_.min_lod), sampler_.max_lod);
  const float last = static_cast<float>(shape_.levels - 1);
  return scene::Texel{AsBits(std::min(std::max(limited, 0.0f), last)), AsBits(lod), 0, 0};
}

// Width, height, depth or layers, levels. Mesa has no use of it on gfx10 (ac_nir_lower_resinfo.c
// reads the T#). Sizes of a level that does not exist are 0.
scene::Texel ImageOperation::Size(const ImageAddress& at) const {
  if (at.level >= shape_.levels) return {0, 0, 0, shape_.levels};
  const std::array<uint32_t, 3> size = shape_.Size(at.level);
  const bool volume = shape_.dim == scene::ImageDim::k3d;
  return {size[0], size[1], volume ? size[2] : shape_.layers, shape_.levels};
}

ImageResult ImageOperation::Answer(const scene::Texel& texel, bool integer) const {
  std::array<uint32_t, 4> components{};
  size_t count = 0;
  for (size_t k = 0; k < 4; ++k) {
    const bool wanted = opcode_.action == ImageAction::kGather || (inst_.dmask >> k & 1) != 0;
    if (wanted) components[count++] = texel[k];
  }
  ImageResult result;
  result.count = PackComponents(absl::MakeConstSpan(components.data(), count), inst_.d16, integer,
                                absl::MakeSpan(result.dwords));
  return result;
}

}  // namespace kiln::sim::rdna2
