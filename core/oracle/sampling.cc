#include "core/oracle/sampling.h"

#include <algorithm>
#include <cmath>

#include "core/base/float_bits.h"

namespace kiln::oracle {
namespace {

using mir::ImageDim;

// Converts to an integer, clamped to +-1e9; NaN gives 0.
int64_t ToInt(double x) { return x == x ? static_cast<int64_t>(std::clamp(x, -1e9, 1e9)) : 0; }

int64_t Modulo(int64_t a, int64_t n) { return (a % n + n) % n; }

// The texel of an axis; -1: the border.
int64_t Wrap(int64_t i, int64_t size, AddressMode mode) {
  switch (mode) {
    case AddressMode::kClamp: return std::clamp<int64_t>(i, 0, size - 1);
    case AddressMode::kRepeat: return Modulo(i, size);
    case AddressMode::kMirror: {
      const int64_t at = Modulo(i, 2 * size);
      return at < size ? at : 2 * size - 1 - at;
    }
    case AddressMode::kBorder: return i < 0 || i >= size ? -1 : i;
  }
  return 0;
}

bool Compares(CompareFunction f, float reference, float texel) {
  switch (f) {
    case CompareFunction::kNever: return false;
    case CompareFunction::kLess: return reference < texel;
    case CompareFunction::kEqual: return reference == texel;
    case CompareFunction::kLessEqual: return reference <= texel;
    case CompareFunction::kGreater: return reference > texel;
    case CompareFunction::kNotEqual: return reference != texel;
    case CompareFunction::kGreaterEqual: return reference >= texel;
    case CompareFunction::kAlways: return true;
  }
  return false;
}

// ---- Cubes ----

// The axes in space of a face's own coordinates (sc, tc), and of the face. Entries: axis + 1,
// negative if it points the other way. Source: Vulkan, "Cube Map Face Selection and
// Transformations".
struct Face {
  int s;
  int t;
  int axis;
};
constexpr Face kFaces[6] = {{-3, -2, 1}, {3, -2, -1}, {1, 3, 2},
                            {1, -3, -2}, {1, -2, 3},  {-1, -2, -3}};

template <class T>
T Component(const std::array<T, 3>& v, int axis) {
  return axis < 0 ? -v[-axis - 1] : v[axis - 1];
}

// The face that a direction points to; of equal components z has priority, then y.
int FaceOf(const std::array<float, 3>& d) {
  const float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  const int axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return 2 * axis + std::signbit(d[axis]);
}

// The derivative of a direction as one of the coordinates 0 to 1 on its face. Source: Vulkan, "Cube
// Map Derivative Transformation".
std::array<double, 3> OnFace(const std::array<float, 3>& direction, const std::array<float, 3>& d) {
  const Face& face = kFaces[FaceOf(direction)];
  const double axis = Component(direction, face.axis), d_axis = Component(d, face.axis);
  const auto along = [&](int side) {
    const double at = Component(direction, side), d_at = Component(d, side);
    return 0.5 * (axis * d_at - at * d_axis) / (axis * axis);
  };
  return {along(face.s), along(face.t), 0};
}

// The texel next to an edge of a face, on the adjoining face; nothing at a corner.
struct CubeTexel {
  int face;
  int64_t x;
  int64_t y;
};
std::optional<CubeTexel> Neighbour(int face, int64_t x, int64_t y, int64_t size) {
  const bool outside_x = x < 0 || x >= size, outside_y = y < 0 || y >= size;
  if (!outside_x && !outside_y) return CubeTexel{face, x, y};
  if (outside_x && outside_y) return std::nullopt;
  // In units in which the cube's edge has the length 2 * size: centres of texels are odd.
  const auto centre = [size](int64_t i) {
    return std::clamp<int64_t>(2 * i + 1 - size, -size, size);
  };
  std::array<int64_t, 3> d = {0, 0, 0};
  const auto set = [&d](int axis, int64_t value) {
    d[std::abs(axis) - 1] = axis < 0 ? -value : value;
  };
  set(kFaces[face].axis, size);
  set(kFaces[face].s, centre(x));
  set(kFaces[face].t, centre(y));
  const int joined = std::abs(outside_x ? kFaces[face].s : kFaces[face].t) - 1;
  const int other = 2 * joined + (d[joined] < 0);
  const auto texel = [size](int64_t c) { return std::clamp<int64_t>((c + size) / 2, 0, size - 1); };
  return CubeTexel{other, texel(Component(d, kFaces[other].s)),
                   texel(Component(d, kFaces[other].t))};
}

// ---- One level ----

class Level {
 public:
  Level(const BoundImage& image, const BoundSampler& sampler, const SamplePoint& point,
        uint32_t level)
      : image_(image), sampler_(sampler), point_(point), level_(level), size_(image.Size(level)) {
    axes_ = image.dim == ImageDim::kCube ? 2 : SpatialCount(image.dim);
    for (int k = 0; k < 3; ++k) at_[k] = point.coordinates[k];
    const int64_t cubes = image.dim == ImageDim::kCube ? 6 : 1;
    if (image.arrayed) {
      const int64_t last = static_cast<int64_t>(image.layers) / cubes - 1;
      layer_ = cubes * std::clamp<int64_t>(ToInt(std::nearbyint(point.layer)), 0, last);
    }
    if (image.dim == ImageDim::kCube) LookAtCube();
    for (int k = 0; k < axes_; ++k) {
      if (!sampler.unnormalized) at_[k] = at_[k] * static_cast<float>(size_[k]);
    }
  }

  Texel Nearest() const {
    std::array<int64_t, 3> i = {0, 0, 0};
    for (int k = 0; k < axes_; ++k) {
      i[k] = ToInt(std::floor(at_[k] + point_.noise[k])) + point_.offset[k];
    }
    return Compared(At(i).value_or(Texel{0, 0, 0, 0}));
  }

  // The weighted mean of the surrounding texels.
  std::array<double, 4> Linear() const {
    Footprint f = Around();
    std::array<double, 4> sum = {0, 0, 0, 0};
    for (int corner = 0; corner < 1 << axes_; ++corner) {
      double weight = 1;
      for (int k = 0; k < axes_; ++k) {
        weight *= (corner >> k & 1) != 0 ? f.fraction[k] : 1 - f.fraction[k];
      }
      for (int c = 0; c < 4; ++c) {
        // A texel of weight 0 does not count, even if it is infinite or NaN.
        if (weight != 0) sum[c] += weight * f.texels[corner][c];
      }
    }
    return sum;
  }

  Texel Gathered(int component) const {
    // (i0, j1), (i1, j1), (i1, j0), (i0, j0)
    constexpr int kCorners[4] = {2, 3, 1, 0};
    const Footprint f = Around();
    Texel result;
    for (int n = 0; n < 4; ++n) {
      result[n] = point_.reference.has_value()
                      ? AsBits(static_cast<float>(f.texels[kCorners[n]][0]))
                      : f.raw[kCorners[n]][component];
    }
    return result;
  }

 private:
  struct Footprint {
    std::array<double, 3> fraction = {0, 0, 0};
    std::array<std::array<double, 4>, 8> texels = {};  // compared, if there is a reference
    std::array<Texel, 8> raw = {};
  };

  void LookAtCube() {
    const std::array<float, 3> d = point_.coordinates;
    face_ = FaceOf(d);
    const float axis = std::fabs(Component(d, kFaces[face_].axis));
    at_[0] = 0.5f * (Component(d, kFaces[face_].s) / axis) + 0.5f;
    at_[1] = 0.5f * (Component(d, kFaces[face_].t) / axis) + 0.5f;
    at_[2] = 0;
  }

  // The border's color replaces only the components that the format has; the others are as in any
  // of its texels. Source: Vulkan, "Texel Replacement" and "Conversion to RGBA".
  Texel Border() const {
    const TexelFormat& format = FormatOf(image_.format);
    const uint32_t one = format.IsInteger() ? 1 : AsBits(1.0f);
    const uint32_t color = sampler_.border == BorderColor::kWhite ? one : 0;
    Texel border = {color, color, color, sampler_.border == BorderColor::kTransparent ? 0 : one};
    for (int c = 0; c < 4; ++c) {
      if (format.bits[c] == 0) border[c] = c == 3 ? one : 0;
    }
    return border;
  }

  // Returns nothing at the corner of a cube.
  std::optional<Texel> At(std::array<int64_t, 3> i) const {
    int64_t layer = layer_;
    if (image_.dim == ImageDim::kCube) {
      const std::optional<CubeTexel> t = Neighbour(face_, i[0], i[1], size_[0]);
      if (!t.has_value()) return std::nullopt;
      i = {t->x, t->y, 0};
      layer += t->face;
    }
    for (int k = 0; k < axes_; ++k) {
      i[k] = Wrap(i[k], size_[k], sampler_.address);
      if (i[k] < 0) return Border();
    }
    return image_.Read(*image_.Find(level_, layer, i[0], i[1], i[2], 0));
  }

  Texel Compared(const Texel& texel) const {
    if (!point_.reference.has_value()) return texel;
    const CompareFunction f = sampler_.compare.value_or(CompareFunction::kAlways);
    return {AsBits(Compares(f, *point_.reference, AsFloat(texel[0])) ? 1.0f : 0.0f), 0, 0, 0};
  }

  Footprint Around() const {
    Footprint f;
    std::array<int64_t, 3> base = {0, 0, 0};
    for (int k = 0; k < axes_; ++k) {
      const float lower = at_[k] - 0.5f;
      base[k] = ToInt(std::floor(lower)) + point_.offset[k];
      const double fraction = static_cast<double>(lower) - std::floor(lower);
      f.fraction[k] = std::clamp((fraction == fraction ? fraction : 0) + point_.noise[k], 0.0, 1.0);
    }
    int missing = -1;
    std::array<double, 4> sum = {0, 0, 0, 0};
    for (int corner = 0; corner < 1 << axes_; ++corner) {
      std::array<int64_t, 3> i = base;
      for (int k = 0; k < axes_; ++k) i[k] += corner >> k & 1;
      const std::optional<Texel> texel = At(i);
      if (!texel.has_value()) {
        missing = corner;
        continue;
      }
      f.raw[corner] = *texel;
      const Texel compared = Compared(*texel);
      for (int c = 0; c < 4; ++c) {
        f.texels[corner][c] = AsFloat(compared[c]);
        sum[c] += f.texels[corner][c];
      }
    }
    if (missing >= 0) FillCorner(missing, sum, &f);
    return f;
  }

  // Fills the missing fourth texel with the mean of the other three. Integers have no mean: one of
  // the others is used, of the target's choice ("Cube Map Edge Handling"); noise changes the
  // choice.
  void FillCorner(int missing, const std::array<double, 4>& sum, Footprint* f) const {
    for (int c = 0; c < 4; ++c) {
      f->texels[missing][c] = sum[c] / 3;
      f->raw[missing][c] = AsBits(static_cast<float>(sum[c] / 3));
    }
    if (!FormatOf(image_.format).IsInteger()) return;
    const int other = point_.noise[0] == 0 ? 1 : point_.noise[0] > 0 ? 2 : 3;
    f->raw[missing] = f->raw[missing ^ other];
  }

  const BoundImage& image_;
  const BoundSampler& sampler_;
  const SamplePoint& point_;
  const uint32_t level_;
  const std::array<uint32_t, 3> size_;
  int axes_ = 0;
  int face_ = 0;
  int64_t layer_ = 0;
  std::array<float, 3> at_ = {0, 0, 0};  // in texels
};

}  // namespace

// ---- Memory ----

std::array<uint32_t, 3> BoundImage::Size(uint32_t level) const {
  const auto at = [level](uint32_t x) { return level < 32 ? std::max(1u, x >> level) : 1u; };
  return {at(width), at(height), at(depth)};
}

uint64_t BoundImage::Texels() const {
  uint64_t count = 0;
  for (uint32_t level = 0; level < levels; ++level) {
    const std::array<uint32_t, 3> size = Size(level);
    count += uint64_t{size[0]} * size[1] * size[2] * layers * samples;
  }
  return count;
}

std::optional<uint64_t> BoundImage::Find(int64_t level, int64_t layer, int64_t x, int64_t y,
                                         int64_t z, int64_t sample) const {
  if (level < 0 || level >= levels || layer < 0 || layer >= layers || sample < 0 ||
      sample >= samples) {
    return std::nullopt;
  }
  uint64_t before = 0;
  for (uint32_t l = 0; l < level; ++l) {
    const std::array<uint32_t, 3> size = Size(l);
    before += uint64_t{size[0]} * size[1] * size[2] * layers;
  }
  const std::array<uint32_t, 3> size = Size(static_cast<uint32_t>(level));
  if (x < 0 || x >= size[0] || y < 0 || y >= size[1] || z < 0 || z >= size[2]) return std::nullopt;
  const uint64_t in_level =
      ((static_cast<uint64_t>(layer) * size[2] + z) * size[1] + y) * size[0] + x;
  return (before + in_level) * samples + sample;
}

Texel BoundImage::Outside() const {
  const TexelFormat& f = FormatOf(format);
  return {0, 0, 0, f.bits[3] != 0 ? 0 : f.IsInteger() ? 1 : AsBits(1.0f)};
}

Texel BoundImage::Read(uint64_t texel) const {
  const TexelFormat& f = FormatOf(format);
  return DecodeTexel(f, bytes.data() + texel * f.Bytes());
}

void BoundImage::Write(uint64_t texel, const Texel& value) {
  const TexelFormat& f = FormatOf(format);
  EncodeTexel(f, value, bytes.data() + texel * f.Bytes());
}

// ---- Filtering ----

float LodOfDerivatives(const BoundImage& image, const std::array<float, 3>& coordinates,
                       const std::array<float, 3>& dx, const std::array<float, 3>& dy) {
  const std::array<uint32_t, 3> size = image.Size(0);
  const bool cube = image.dim == ImageDim::kCube;
  double longest = 0;
  for (const auto& d : {dx, dy}) {
    const std::array<double, 3> on_image =
        cube ? OnFace(coordinates, d) : std::array<double, 3>{d[0], d[1], d[2]};
    double sum = 0;
    for (int k = 0; k < (cube ? 2 : SpatialCount(image.dim)); ++k) {
      sum += on_image[k] * size[k] * on_image[k] * size[k];
    }
    longest = std::max(longest, sum);
  }
  return static_cast<float>(0.5 * std::log2(longest));
}

std::array<float, 2> QueryLod(const BoundImage& image, const BoundSampler& sampler, float lod) {
  const float biased = lod + sampler.lod_bias;
  const float clamped = std::min(std::max(biased, sampler.min_lod), sampler.max_lod);
  const double d = clamped > 0 ? std::clamp<double>(clamped, 0, image.levels - 1) : 0;
  const double level = sampler.linear_mips ? d : std::max(std::ceil(d + 0.5) - 1, 0.0);
  return {static_cast<float>(level), biased};
}

Texel Sample(const BoundImage& image, const BoundSampler& sampler, const SamplePoint& point,
             float lod) {
  const bool integer = FormatOf(image.format).IsInteger();
  const float least = std::max(sampler.min_lod, point.min_lod);
  const float biased = std::min(std::max(lod + sampler.lod_bias, least), sampler.max_lod);
  const double last = image.levels - 1;
  // NaN gives level 0.
  const double d = biased > 0 ? std::clamp(biased + point.noise[3], 0.0, last) : 0;
  const bool blend = sampler.linear_mips && !integer && d != std::floor(d);
  const double lower = sampler.linear_mips ? std::floor(d) : std::max(std::ceil(d + 0.5) - 1, 0.0);
  const auto at_level = [&](double number) {
    const Level level(image, sampler, point, static_cast<uint32_t>(number));
    if (sampler.linear) return level.Linear();
    std::array<double, 4> value;
    const Texel texel = level.Nearest();
    for (int c = 0; c < 4; ++c) value[c] = AsFloat(texel[c]);
    return value;
  };
  if (!blend && (!sampler.linear || integer)) {
    return Level(image, sampler, point, static_cast<uint32_t>(lower)).Nearest();
  }
  std::array<double, 4> value = at_level(lower);
  if (blend) {
    const std::array<double, 4> next = at_level(lower + 1);
    for (int c = 0; c < 4; ++c) value[c] += (d - lower) * (next[c] - value[c]);
  }
  Texel result;
  for (int c = 0; c < 4; ++c) result[c] = AsBits(static_cast<float>(value[c]));
  return result;
}

Texel Gather(const BoundImage& image, const BoundSampler& sampler, const SamplePoint& point,
             int component) {
  return Level(image, sampler, point, 0).Gathered(component);
}

}  // namespace kiln::oracle
