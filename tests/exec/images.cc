#include "tests/exec/images.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/strings/str_format.h"
#include "core/oracle/texel_format.h"

namespace kiln::exec {
namespace {

mir::ImageFormat FormatFor(const mir::ImageInfo& info) {
  if (info.format != mir::ImageFormat::kUnknown) return info.format;
  switch (info.component) {
    case mir::ComponentType::kSint: return mir::ImageFormat::kRgba32i;
    case mir::ComponentType::kUint: return mir::ImageFormat::kRgba32ui;
    default: return mir::ImageFormat::kRgba32f;
  }
}

// Floats are positive eighths, so that filters cancel nothing, and integers are small.
oracle::Texel RandomTexel(const oracle::TexelFormat& format, std::mt19937& rng) {
  oracle::Texel t;
  for (uint32_t& c : t) {
    const auto number = static_cast<float>(1 + rng() % 64) / 8;
    c = format.IsInteger() ? rng() % 128 : std::bit_cast<uint32_t>(number);
  }
  return t;
}

oracle::BoundImage MakeImage(const mir::Resource& r, uint32_t element, uint32_t max_samples,
                             std::mt19937& rng) {
  oracle::BoundImage image;
  image.set = r.set;
  image.binding = r.binding;
  image.element = element;
  image.format = FormatFor(r.image);
  image.dim = r.image.dim;
  image.arrayed = r.image.arrayed;
  image.width = 8 + element;
  if (image.dim == mir::ImageDim::kBuffer) image.width = 40;
  if (image.dim == mir::ImageDim::k2D || image.dim == mir::ImageDim::k3D) image.height = 4;
  if (image.dim == mir::ImageDim::kCube) image.height = image.width;
  if (image.dim == mir::ImageDim::k3D) image.depth = 4;
  image.layers = image.arrayed && r.binding % 8 != 0 ? 3 : 1;
  if (image.dim == mir::ImageDim::kCube) image.layers = image.layers == 1 ? 6 : 12;
  const bool sampled = r.kind == mir::ResourceKind::kSampledImage ||
                       r.kind == mir::ResourceKind::kCombinedImageSampler;
  image.levels = sampled && !r.image.multisampled ? 2 : 1;
  if (r.image.multisampled) image.samples = std::min(4u << (r.binding % 3), max_samples);
  const oracle::TexelFormat& format = oracle::FormatOf(image.format);
  image.bytes.resize(image.Texels() * format.Bytes());
  for (uint64_t i = 0; i < image.Texels(); ++i) image.Write(i, RandomTexel(format, rng));
  return image;
}

oracle::BoundSampler MakeSampler(const mir::Resource& r, uint32_t element, std::mt19937& rng) {
  oracle::BoundSampler s;
  s.set = r.set;
  s.binding = r.binding;
  s.element = element;
  s.linear = rng() % 2;
  s.linear_mips = rng() % 2;
  s.address = static_cast<oracle::AddressMode>(rng() % 4);
  s.border = static_cast<oracle::BorderColor>(rng() % 3);
  s.compare = oracle::CompareFunction::kLessEqual;
  return s;
}

uint32_t Distance(uint32_t a, uint32_t b) {
  const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
  if (std::isnan(x) && std::isnan(y)) return 0;
  return a > b ? a - b : b - a;
}

}  // namespace

void AddImages(const mir::Module& m, std::mt19937& rng, oracle::LaunchInputs& in,
               uint32_t max_samples) {
  for (const mir::Resource& r : m.resources) {
    for (uint32_t i = 0; i < r.count; ++i) {
      const uint32_t element = r.element + i;
      if (mir::HasImage(r.kind)) {
        in.images.push_back(MakeImage(r, element, max_samples, rng));
      }
      if (r.kind == mir::ResourceKind::kSampler ||
          r.kind == mir::ResourceKind::kCombinedImageSampler) {
        in.samplers.push_back(MakeSampler(r, element, rng));
      }
    }
  }
}

void Translate(const oracle::LaunchInputs& in, sim::scene::Dispatch& dispatch) {
  for (const oracle::BoundImage& i : in.images) {
    sim::scene::ClientImage image;
    image.where = {i.set, i.binding, i.element};
    image.format = *sim::scene::TexelFormatNamed(oracle::FormatOf(i.format).name);
    image.dim = static_cast<sim::scene::ImageDim>(i.dim);
    image.arrayed = i.arrayed;
    image.width = i.width;
    image.height = i.height;
    image.depth = i.depth;
    image.layers = i.layers;
    image.levels = i.levels;
    image.samples = i.samples;
    image.texels = i.bytes;
    dispatch.images.push_back(std::move(image));
  }
  for (const oracle::BoundSampler& s : in.samplers) {
    sim::scene::ClientSampler sampler;
    sampler.where = {s.set, s.binding, s.element};
    sampler.mag_linear = sampler.min_linear = s.linear;
    sampler.linear_mips = s.linear_mips;
    sampler.address.fill(static_cast<sim::scene::AddressMode>(s.address));
    sampler.border = static_cast<sim::scene::BorderColor>(s.border);
    sampler.compare = static_cast<sim::scene::CompareFunction>(*s.compare);
    dispatch.samplers.push_back(sampler);
  }
}

std::string ImageDifferences(const oracle::LaunchInputs& want, const sim::scene::Dispatch& got,
                             uint32_t ulp) {
  for (size_t i = 0; i < want.images.size(); ++i) {
    const oracle::BoundImage& image = want.images[i];
    const oracle::TexelFormat& format = oracle::FormatOf(image.format);
    for (uint64_t t = 0; t < image.Texels(); ++t) {
      const size_t at = t * format.Bytes();
      const oracle::Texel a = oracle::DecodeTexel(format, image.bytes.data() + at);
      const oracle::Texel b = oracle::DecodeTexel(format, got.images[i].texels.data() + at);
      for (int c = 0; c < 4; ++c) {
        if (a[c] == b[c] || (!format.IsInteger() && Distance(a[c], b[c]) <= ulp)) continue;
        return absl::StrFormat("image %d texel %d component %d: want %08x, got %08x", i, t, c, a[c],
                               b[c]);
      }
    }
  }
  return "";
}

}  // namespace kiln::exec
