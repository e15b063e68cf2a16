// See fragment.h.
#include "core/sim/scene/fragment.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kiln::sim::scene {
namespace {

double WeightAt(const Primitive& p, int vertex, const Point& at) {
  const std::array<double, 3>& w = p.weight[vertex];
  return w[0] * at.x + w[1] * at.y + w[2];
}

constexpr Point Sixteenths(int x, int y) { return {x / 16.0, y / 16.0}; }

constexpr Point kOne[] = {Sixteenths(8, 8)};
constexpr Point kTwo[] = {Sixteenths(12, 12), Sixteenths(4, 4)};
constexpr Point kFour[] = {Sixteenths(6, 2), Sixteenths(14, 6), Sixteenths(2, 10),
                           Sixteenths(10, 14)};
constexpr Point kEight[] = {Sixteenths(9, 5),   Sixteenths(7, 11), Sixteenths(13, 9),
                            Sixteenths(5, 3),   Sixteenths(3, 13), Sixteenths(1, 7),
                            Sixteenths(11, 15), Sixteenths(15, 1)};
constexpr Point kSixteen[] = {
    Sixteenths(9, 9),  Sixteenths(7, 5),   Sixteenths(5, 10),  Sixteenths(12, 7),
    Sixteenths(3, 6),  Sixteenths(10, 13), Sixteenths(13, 11), Sixteenths(11, 3),
    Sixteenths(6, 14), Sixteenths(8, 1),   Sixteenths(4, 2),   Sixteenths(2, 12),
    Sixteenths(0, 8),  Sixteenths(15, 4),  Sixteenths(14, 15), Sixteenths(1, 0)};

}  // namespace

absl::Span<const Point> SamplePositions(uint32_t samples) {
  switch (samples) {
    case 1: return kOne;
    case 2: return kTwo;
    case 4: return kFour;
    case 8: return kEight;
    case 16: return kSixteen;
    default: return {};
  }
}

std::array<float, 2> Primitive::Barycentrics(const Point& at, bool perspective) const {
  std::array<double, 3> v{};
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    v[k] = WeightAt(*this, k, at) * (perspective ? inverse_w[k] : scale[k]);
    sum += v[k];
  }
  return {static_cast<float>(v[1] / sum), static_cast<float>(v[2] / sum)};
}

float Primitive::Depth(const Point& at) const {
  double z = depth_bias;
  for (int k = 0; k < 3; ++k) z += WeightAt(*this, k, at) * depth[k];
  return static_cast<float>(z);
}

float Primitive::W(const Point& at) const {
  double inverse = 0;
  for (int k = 0; k < 3; ++k) inverse += WeightAt(*this, k, at) * inverse_w[k];
  return static_cast<float>(1 / inverse);
}

Point Centroid(uint32_t coverage, uint32_t samples) {
  if (coverage == 0 || coverage == (1u << samples) - 1) return {0.5, 0.5};
  return SamplePositions(samples)[static_cast<size_t>(std::countr_zero(coverage))];
}

float Jittered(const FragmentInputs& draw, float value, const Point& at, uint32_t which) {
  if (draw.jitter == 0) return value;
  uint32_t h = draw.jitter * 0x9e3779b9u + which;
  for (const uint32_t k : {static_cast<uint32_t>(at.x * 16), static_cast<uint32_t>(at.y * 16)}) {
    h = (h ^ k) * 0x85ebca6bu;
    h ^= h >> 15;
  }
  const float part = static_cast<float>(h & 0xffff) / 0x7fff - 1;  // -1 to 1
  return value + part * 0x1p-22f * std::max(1.0f, std::fabs(value));
}

absl::Status CheckDraw(const FragmentInputs& draw) {
  const size_t pixels = size_t{draw.width} * draw.height * draw.layers;
  const size_t samples = pixels * draw.samples;
  const auto kept = [](size_t size, size_t want) { return size == 0 || size == want; };
  bool good = !SamplePositions(draw.samples).empty() && kept(draw.depth.size(), samples) &&
              kept(draw.stencil.size(), samples) && kept(draw.sample_mask.size(), pixels) &&
              kept(draw.coverage.size(), pixels);
  for (const RenderTarget& t : draw.targets) {
    const auto size = static_cast<size_t>(t.format ? TexelBytes(*t.format) : 0);
    good &= t.texels.size() == 4 * samples && kept(t.bytes.size(), samples * size);
  }
  for (const Primitive& p : draw.primitives) good &= draw.layers == 1 || p.layer < draw.layers;
  for (const Quad& q : draw.quads) {
    good &= q.primitive < draw.primitives.size() && (q.x | q.y) % 2 == 0 && q.x < draw.width &&
            q.y < draw.height;
    for (int p = 0; p < kQuadPixels && good; ++p) {
      const bool inside = uint32_t{q.x} + p % 2 < draw.width && uint32_t{q.y} + p / 2 < draw.height;
      good &= q.coverage[p] >> draw.samples == 0 && (inside || q.coverage[p] == 0);
    }
  }
  return good ? absl::OkStatus() : absl::InvalidArgumentError("draw: sizes do not fit together");
}

}  // namespace kiln::sim::scene
