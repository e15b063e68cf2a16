#include "core/oracle/interp_texel.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/float_bits.h"

namespace kiln::oracle {
namespace {

using mir::ComponentType;
using mir::ImageDim;
using mir::ImageFormat;
using mir::ImageInfo;
using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::Resource;
using mir::TexelOp;
using mir::TexelSources;
using mir::TexelSourcesOf;

}  // namespace

absl::Status CheckBound(const Resource& resource, const BoundImage& image) {
  const ImageInfo& info = resource.image;
  const auto fail = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("interpreter: the descriptor bound to ",
                                                   resource.set, ".", resource.binding,
                                                   " has another ", what));
  };
  if (image.dim != info.dim || image.arrayed != info.arrayed) return fail("dimension");
  if (image.format == ImageFormat::kUnknown) return fail("format");
  const TexelFormat& format = FormatOf(image.format);
  if (format.IsInteger() != (info.component != ComponentType::kFloat))
    return fail("component type");
  if (info.format != ImageFormat::kUnknown && info.format != image.format) return fail("format");
  if (info.multisampled != (image.samples > 1)) return fail("number of samples");
  if (image.dim == ImageDim::kCube && image.layers % 6 != 0) return fail("number of faces");
  if (image.levels == 0 || image.layers == 0 || image.samples == 0 || image.width == 0 ||
      image.height == 0 || image.depth == 0 ||
      image.bytes.size() != image.Texels() * static_cast<uint64_t>(format.Bytes())) {
    return fail("size");
  }
  return absl::OkStatus();
}

Texel SampledTexel(const Module& module, InstId id, absl::Span<const uint32_t> sources,
                   const BoundImage& image, const BoundSampler& sampler,
                   const std::array<double, 4>& noise, const std::optional<TexelSlopes>& slopes) {
  const Inst& inst = module.inst(id);
  const TexelOp& texel = module.texel_ops[inst.imm1];
  const TexelSources s = TexelSourcesOf(module, id);
  const auto number = [&](int source) { return source < 0 ? 0.0f : AsFloat(sources[source]); };
  const int spatial = SpatialCount(image.dim);
  SamplePoint point;
  point.noise = noise;
  for (int k = 0; k < spatial; ++k) point.coordinates[k] = number(s.coordinates + k);
  if (s.num_coordinates > spatial) point.layer = number(s.coordinates + spatial);
  for (int k = 0; k < 3; ++k) {
    point.offset[k] = texel.offset[k];
    if (k < s.num_offsets) point.offset[k] += static_cast<int32_t>(sources[s.offsets + k]);
  }
  if (s.dref >= 0) point.reference = number(s.dref);
  if (inst.op == Op::kGather) return Gather(image, sampler, point, texel.component);

  float lod = number(s.lod);
  if (s.ddx >= 0) {
    std::array<float, 3> dx = {0, 0, 0}, dy = {0, 0, 0};
    for (int k = 0; k < spatial; ++k) {
      dx[k] = number(s.ddx + k);
      dy[k] = number(s.ddy + k);
    }
    lod = LodOfDerivatives(image, point.coordinates, dx, dy);
  }
  if (slopes.has_value()) {
    lod = LodOfDerivatives(image, point.coordinates, slopes->dx, slopes->dy);
  }
  if (inst.op == Op::kImageLod) {
    const std::array<float, 2> levels = QueryLod(image, sampler, lod);
    return {AsBits(levels[0]), AsBits(levels[1]), 0, 0};
  }
  lod += number(s.bias);
  point.min_lod = number(s.min_lod);
  return Sample(image, sampler, point, lod);
}

std::optional<uint64_t> NamedTexel(const Module& module, InstId id,
                                   absl::Span<const uint32_t> sources, const BoundImage& image) {
  const TexelSources s = TexelSourcesOf(module, id);
  const auto number = [&](int source) {
    return source < 0 ? int64_t{0} : int64_t{static_cast<int32_t>(sources[source])};
  };
  std::array<int64_t, 3> at = {0, 0, 0};
  int64_t layer = 0;
  // A cube's faces are the layers of a 2D storage image.
  const int spatial =
      std::min(s.num_coordinates, image.dim == ImageDim::kCube ? 2 : SpatialCount(image.dim));
  const TexelOp& texel = module.texel_ops[module.inst(id).imm1];
  for (int k = 0; k < spatial; ++k) at[k] = number(s.coordinates + k) + texel.offset[k];
  if (s.num_coordinates > spatial) layer = number(s.coordinates + spatial);
  return image.Find(number(s.lod), layer, at[0], at[1], at[2], number(s.sample));
}

Texel QueriedTexel(const Module& module, InstId id, absl::Span<const uint32_t> sources,
                   const BoundImage& image) {
  const Inst& inst = module.inst(id);
  if (inst.op == Op::kImageLevels) return {image.levels, 0, 0, 0};
  if (inst.op == Op::kImageSamples) return {image.samples, 0, 0, 0};
  const TexelSources s = TexelSourcesOf(module, id);
  const uint32_t level = s.lod < 0 ? 0 : sources[s.lod];
  if (level >= image.levels) return {0, 0, 0, 0};
  const std::array<uint32_t, 3> size = image.Size(level);
  Texel result = {size[0], size[1], size[2], 0};
  if (image.arrayed) {
    const uint32_t faces = image.dim == ImageDim::kCube ? 6 : 1;
    result[inst.num_results - 1] = image.layers / faces;
  }
  return result;
}

}  // namespace kiln::oracle
