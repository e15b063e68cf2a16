#include "core/oracle/example_images.h"

#include <utility>

namespace kiln::oracle {
namespace {

using mir::ComponentType;
using mir::ImageDim;
using mir::ImageFormat;
using mir::ImageInfo;
using mir::Module;
using mir::Resource;
using mir::ResourceKind;

BoundImage ImageFor(const Resource& r, uint32_t edge) {
  const ImageInfo& info = r.image;
  BoundImage image;
  image.set = r.set;
  image.binding = r.binding;
  image.element = r.element;
  image.dim = info.dim;
  image.arrayed = info.arrayed;
  image.format = info.format;
  if (image.format == ImageFormat::kUnknown) {
    image.format = info.component == ComponentType::kFloat  ? ImageFormat::kRgba8
                   : info.component == ComponentType::kUint ? ImageFormat::kR32ui
                                                            : ImageFormat::kR32i;
  }
  image.width = edge;
  if (SpatialCount(info.dim) > 1) image.height = edge;
  if (info.dim == ImageDim::k3D) image.depth = edge;
  image.layers = (info.dim == ImageDim::kCube ? 6 : 1) * (info.arrayed ? 2 : 1);
  const bool sampled =
      r.kind == ResourceKind::kSampledImage || r.kind == ResourceKind::kCombinedImageSampler;
  image.levels = sampled && !info.multisampled ? 2 : 1;
  image.samples = info.multisampled ? 2 : 1;
  const TexelFormat& format = FormatOf(image.format);
  image.bytes.resize(image.Texels() * static_cast<uint64_t>(format.Bytes()));
  uint32_t random = r.set * 77 + r.binding * 13 + r.element;
  for (uint64_t t = 0; t < image.Texels(); ++t) {
    Texel texel;
    for (uint32_t& x : texel) {
      random = random * 1664525 + 1013904223;  // Numerical Recipes
      // Floats from 0.5 to 2.
      x = format.IsInteger() ? random >> 29 : 0x3f000000u + (random >> 8) % 0x01000000u;
    }
    image.Write(t, texel);
  }
  return image;
}

}  // namespace

void BindExampleImages(const Module& module, uint32_t edge, LaunchInputs* inputs) {
  bool integers = false;
  for (const Resource& r : module.resources) {
    integers |= HasImage(r.kind) && r.image.component != ComponentType::kFloat;
  }
  for (const Resource& r : module.resources) {
    if (HasImage(r.kind)) inputs->images.push_back(ImageFor(r, edge));
    if (r.kind != ResourceKind::kSampler && r.kind != ResourceKind::kCombinedImageSampler) continue;
    BoundSampler sampler;
    sampler.set = r.set;
    sampler.binding = r.binding;
    sampler.element = r.element;
    sampler.linear = !integers;
    sampler.compare = CompareFunction::kLessEqual;
    inputs->samplers.push_back(sampler);
  }
}

}  // namespace kiln::oracle
