// See filter.h.
#include "core/sim/scene/filter.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_bits.h"

namespace kiln::sim::scene {
namespace {

// Integer part of a coordinate, safe for every float.
int Floor(float v) {
  if (std::isnan(v)) return 0;
  return static_cast<int>(std::floor(std::clamp(v, -16777216.0f, 16777216.0f)));
}

float Fraction(float v) {
  const float f = v - std::floor(v);
  return f >= 0 && f < 1 ? f : 0;
}

int Modulo(int a, int n) { return (a % n + n) % n; }

// Texel index of a wrapped coordinate, -1: border.
int Wrap(AddressMode mode, int i, int size) {
  switch (mode) {
    case AddressMode::kClamp: return std::clamp(i, 0, size - 1);
    case AddressMode::kRepeat: return Modulo(i, size);
    case AddressMode::kMirror: {
      const int m = Modulo(i, 2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    case AddressMode::kBorder: return i < 0 || i >= size ? -1 : i;
    case AddressMode::kMirrorClamp: return std::clamp(i < 0 ? -1 - i : i, 0, size - 1);
  }
  return -1;
}

int Axes(ImageDim dim) {
  switch (dim) {
    case ImageDim::k1d:
    case ImageDim::kBuffer: return 1;
    case ImageDim::k3d: return 3;
    default: return 2;
  }
}

// One of six faces and coordinates 0 to 1 on it.
struct FacePoint {
  int face = 0;
  float s = 0, t = 0;
};

FacePoint OnFace(const std::array<float, 3>& r) {
  const float ax = std::fabs(r[0]), ay = std::fabs(r[1]), az = std::fabs(r[2]);
  float sc, tc, ma;
  FacePoint p;
  if (az >= ax && az >= ay) {
    p.face = r[2] < 0 ? 5 : 4;
    sc = r[2] < 0 ? -r[0] : r[0];
    tc = -r[1];
    ma = az;
  } else if (ay >= ax) {
    p.face = r[1] < 0 ? 3 : 2;
    sc = r[0];
    tc = r[1] < 0 ? -r[2] : r[2];
    ma = ay;
  } else {
    p.face = r[0] < 0 ? 1 : 0;
    sc = r[0] < 0 ? r[2] : -r[2];
    tc = -r[1];
    ma = ax;
  }
  p.s = 0.5f * (sc / ma + 1.0f);
  p.t = 0.5f * (tc / ma + 1.0f);
  return p;
}

// One texel of a footprint.
struct Tap {
  float weight = 0;
  Texel texel{};
};

// Compares a texel with the reference, which a fixed-point depth format clamps to its range (Vulkan
// 1.3, "Depth Compare Operation").
uint32_t Compared(const ClientSampler& s, TexelFormat format, float reference, uint32_t texel) {
  const CompareFunction f = s.compare.value_or(CompareFunction::kNever);
  if (IsNormalizedFormat(format) && !IsSignedFormat(format)) {
    reference = std::clamp(reference, 0.0f, 1.0f);
  }
  return AsBits(Passes(f, reference, AsFloat(texel)) ? 1.0f : 0.0f);
}

class Level {
 public:
  Level(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at, int level)
      : view_(view), sampler_(sampler), level_(level), size_(view.image->Size(level)) {
    const ClientImage& image = *view.image;
    std::array<float, 3> uvw = at.uvw;
    cube_ = image.dim == ImageDim::kCube;
    layer_ = image.arrayed ? RoundLayer(at.layer, image) : 0;
    if (cube_) {
      const FacePoint p = at.face ? FacePoint{*at.face, at.uvw[0], at.uvw[1]} : OnFace(at.uvw);
      uvw = {p.s, p.t, 0};
      layer_ = 6 * layer_ + p.face;
    }
    axes_ = Axes(image.dim);
    for (int a = 0; a < axes_; ++a) {
      const float scale = sampler.unnormalized ? 1.0f : static_cast<float>(size_[a]);
      where_[a] = uvw[a] * scale;
      offset_[a] = at.offset[a];
    }
  }

  // Collects the texels of the footprint with weights that add up to 1. Taps of two axes are in the
  // order (0,0), (1,0), (0,1), (1,1). With a comparison, component 0 says whether the texel passes.
  int Footprint(bool linear, bool compare, float reference, std::array<Tap, 8>& taps) const {
    std::array<int, 3> first{};
    std::array<float, 3> weight{};
    for (int a = 0; a < axes_; ++a) {
      const float w = linear ? where_[a] - 0.5f : where_[a];
      first[a] = Floor(w) + offset_[a];
      // The far edge of a face belongs to its last texel.
      if (cube_ && !linear) first[a] = std::clamp(first[a], 0, static_cast<int>(size_[a]) - 1);
      weight[a] = Fraction(w);
    }
    const int count = linear ? 1 << axes_ : 1;
    int corner = -1;
    for (int t = 0; t < count; ++t) {
      std::array<int, 3> i{};
      taps[t].weight = 1;
      for (int a = 0; a < axes_; ++a) {
        const bool upper = t >> a & 1;
        i[a] = first[a] + (upper ? 1 : 0);
        if (linear) taps[t].weight *= upper ? weight[a] : 1 - weight[a];
      }
      if (cube_ && Outside(i[0]) && Outside(i[1])) {
        corner = t;
      } else {
        const Texel texel = Fetch(i);
        taps[t].texel = compare ? Texel{Compared(sampler_, view_.format, reference, texel[0]), 0, 0,
                                        AsBits(1.0f)}
                                : texel;
      }
    }
    if (corner >= 0) FillCorner(corner, taps);
    return count;
  }

 private:
  static int RoundLayer(float layer, const ClientImage& image) {
    const int n = static_cast<int>(image.layers) / (image.dim == ImageDim::kCube ? 6 : 1);
    return std::clamp(Floor(std::nearbyint(layer)), 0, n - 1);
  }

  bool Outside(int i) const { return i < 0 || i >= static_cast<int>(size_[0]); }

  // Components that the format lacks have the values that they have in its texels (Vulkan 1.3,
  // "Conversion to RGBA").
  Texel Border() const {
    const uint32_t one = IsIntegerFormat(view_.format) ? 1 : AsBits(1.0f);
    Texel border = {0, 0, 0, sampler_.border == BorderColor::kTransparent ? 0 : one};
    if (sampler_.border == BorderColor::kWhite) border.fill(one);
    for (int k = ComponentCount(view_.format); k < 4; ++k) border[k] = k == 3 ? one : 0;
    return border;
  }

  Texel At(int layer, int x, int y, int z) const {
    return DecodeTexel(view_.format, view_.texels + view_.image->Offset(level_, layer, x, y, z));
  }

  Texel Fetch(const std::array<int, 3>& i) const {
    if (cube_) return FetchCube(i[0], i[1]);
    std::array<int, 3> w{};
    for (int a = 0; a < axes_; ++a) {
      w[a] = Wrap(sampler_.address[a], i[a], static_cast<int>(size_[a]));
      if (w[a] < 0) return Border();
    }
    return At(layer_, w[0], w[1], w[2]);
  }

  // Fetches a texel of a cube. Beyond an edge it is the texel of the neighbouring face in the
  // direction of its centre in the extended plane.
  Texel FetchCube(int x, int y) const {
    const int n = static_cast<int>(size_[0]);
    if (!Outside(x) && !Outside(y)) return At(layer_, x, y, 0);
    const int cube = layer_ / 6 * 6;
    const FacePoint p = OnFace(CubeDirection(layer_ % 6, (x + 0.5f) / n, (y + 0.5f) / n));
    return At(cube + p.face, std::clamp(Floor(p.s * n), 0, n - 1),
              std::clamp(Floor(p.t * n), 0, n - 1), 0);
  }

  // Fills the missing texel at a cube's corner. Integers can only be gathered and have no average,
  // so one of the three others is used.
  void FillCorner(int corner, std::array<Tap, 8>& taps) const {
    if (IsIntegerFormat(view_.format)) {
      taps[corner].texel = taps[corner ^ 1].texel;
      return;
    }
    for (int k = 0; k < 4; ++k) {
      float sum = 0;
      for (int t = 0; t < 4; ++t) sum += t == corner ? 0 : AsFloat(taps[t].texel[k]);
      taps[corner].texel[k] = AsBits(sum / 3);
    }
  }

  const ImageView& view_;
  const ClientSampler& sampler_;
  const int level_;
  const std::array<uint32_t, 3> size_;
  bool cube_ = false;
  int axes_ = 1;
  int layer_ = 0;
  std::array<float, 3> where_{};
  std::array<int, 3> offset_{};
};

// Integers are never filtered.
Texel FilterLevel(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at,
                  int level, bool linear, bool compare) {
  std::array<Tap, 8> taps;
  linear = linear && !IsIntegerFormat(view.format);
  const int count = Level(view, sampler, at, level).Footprint(linear, compare, at.reference, taps);
  if (count == 1) return taps[0].texel;
  Texel result;
  for (int k = 0; k < 4; ++k) {
    float sum = 0;
    for (int t = 0; t < count; ++t) {
      if (taps[t].weight != 0) sum += taps[t].weight * AsFloat(taps[t].texel[k]);
    }
    result[k] = AsBits(sum);
  }
  return result;
}

}  // namespace

// The inverse of OnFace.
std::array<float, 3> CubeDirection(int face, float s, float t) {
  const float sc = 2 * s - 1, tc = 2 * t - 1;
  switch (face) {
    case 0: return {1, -tc, -sc};
    case 1: return {-1, -tc, sc};
    case 2: return {sc, 1, tc};
    case 3: return {sc, -1, -tc};
    case 4: return {sc, -tc, 1};
    default: return {-sc, -tc, -1};
  }
}

std::array<float, 3> ProjectOnFace(const std::array<float, 3>& direction,
                                   const std::array<float, 3>& reference) {
  size_t major = 0;
  for (size_t k = 1; k < 3; ++k) {
    if (std::fabs(reference[k]) > std::fabs(reference[major])) major = k;
  }
  const float scale = 0.5f / std::fabs(direction[major]);
  return {direction[(major + 1) % 3] * scale, direction[(major + 2) % 3] * scale, 0};
}

Texel SampleImage(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at,
                  bool compare) {
  const float last = static_cast<float>(view.image->levels - 1);
  float lod = at.lod + sampler.lod_bias;
  if (std::isnan(lod)) lod = 0;
  lod = std::min(std::max(lod, std::max(sampler.min_lod, at.min_lod)), sampler.max_lod);
  // Vulkan 1.3, "Scale Factor Operation": an image is magnified up to a level of detail of 0.
  const bool linear = lod <= 0 ? sampler.mag_linear : sampler.min_linear;
  lod = std::clamp(lod, 0.0f, last);
  if (!sampler.linear_mips || IsIntegerFormat(view.format)) {
    const int level = static_cast<int>(std::ceil(lod + 0.5f)) - 1;
    return FilterLevel(view, sampler, at, std::clamp(level, 0, static_cast<int>(last)), linear,
                       compare);
  }
  const int low = static_cast<int>(lod);
  const float weight = lod - static_cast<float>(low);
  const Texel a = FilterLevel(view, sampler, at, low, linear, compare);
  if (weight == 0) return a;
  const Texel b = FilterLevel(view, sampler, at, low + 1, linear, compare);
  Texel result;
  for (int k = 0; k < 4; ++k) {
    result[k] = AsBits((1 - weight) * AsFloat(a[k]) + weight * AsFloat(b[k]));
  }
  return result;
}

Texel GatherImage(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at,
                  int component, bool compare) {
  std::array<Tap, 8> taps;
  Level(view, sampler, at, 0).Footprint(true, compare, at.reference, taps);
  static constexpr std::array<int, 4> kOrder = {2, 3, 1, 0};
  Texel result;
  for (int i = 0; i < 4; ++i) {
    const Texel& t = taps[kOrder[i]].texel;
    result[i] = t[compare ? 0 : component];
  }
  return result;
}

bool HasTexel(const ClientImage& image, const TexelIndex& at) {
  const auto inside = [](int i, uint32_t n) { return i >= 0 && static_cast<uint32_t>(i) < n; };
  if (!inside(at.level, image.levels)) return false;
  const std::array<uint32_t, 3> size = image.Size(at.level);
  return inside(at.x, size[0]) && inside(at.y, size[1]) && inside(at.z, size[2]) &&
         inside(at.layer, image.layers) && inside(at.sample, image.samples);
}

Texel FetchTexel(const ImageView& view, const TexelIndex& at) {
  static constexpr uint8_t kZeros[16] = {};
  const ClientImage& image = *view.image;
  if (!HasTexel(image, at)) return DecodeTexel(view.format, kZeros);
  return DecodeTexel(view.format,
                     view.texels + image.Offset(at.level, at.layer, at.x, at.y, at.z, at.sample));
}

float LodOfDerivatives(const ClientImage& image, const std::array<float, 3>& dx,
                       const std::array<float, 3>& dy) {
  float x2 = 0, y2 = 0;
  for (int a = 0; a < Axes(image.dim); ++a) {
    const auto scale = static_cast<float>(image.Size(0)[a]);
    x2 += dx[a] * scale * dx[a] * scale;
    y2 += dy[a] * scale * dy[a] * scale;
  }
  return std::log2(std::sqrt(std::max(x2, y2)));
}

}  // namespace kiln::sim::scene
