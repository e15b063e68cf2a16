// See fragment.h.
#include "core/sim/eu/fragment.h"

namespace kiln::sim::eu {
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

absl::Span<const Point> SamplePlaces(uint32_t samples) {
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
    v[k] = WeightAt(*this, k, at) * (perspective ? inverse_w[k] : 1);
    sum += v[k];
  }
  return {static_cast<float>(v[1] / sum), static_cast<float>(v[2] / sum)};
}

float Primitive::Depth(const Point& at) const {
  double z = 0;
  for (int k = 0; k < 3; ++k) z += WeightAt(*this, k, at) * depth[k];
  return static_cast<float>(z);
}

float Primitive::W(const Point& at) const {
  double inverse = 0;
  for (int k = 0; k < 3; ++k) inverse += WeightAt(*this, k, at) * inverse_w[k];
  return static_cast<float>(1 / inverse);
}

}  // namespace kiln::sim::eu
