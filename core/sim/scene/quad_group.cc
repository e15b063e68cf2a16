// See quad_group.h.
#include "core/sim/scene/quad_group.h"

#include <algorithm>
#include <cstddef>

namespace kiln::sim::scene {
namespace {

// Turns on the lanes of the group's last quad.
void TurnOn(const Quad& quad, QuadGroup& group) {
  const size_t first_lane = kQuadPixels * (group.subspans.size() - 1);
  const uint32_t sample = group.subspans.back().sample;
  for (size_t p = 0; p < kQuadPixels; ++p) {
    const bool on =
        group.per_sample ? (quad.coverage[p] >> sample & 1) != 0 : quad.coverage[p] != 0;
    if (!on) continue;
    group.covered |= uint64_t{1} << (first_lane + p);
    group.quads |= uint64_t{0xf} << first_lane;
  }
}

}  // namespace

Point QuadGroup::Corner(int lane) const {
  const Quad& quad = draw->quads[subspans[lane / kQuadPixels].quad];
  return {static_cast<double>(quad.x + lane % 2), static_cast<double>(quad.y + lane % 4 / 2)};
}

uint32_t QuadGroup::Coverage(int lane) const {
  return draw->quads[subspans[lane / kQuadPixels].quad].coverage[lane % kQuadPixels];
}

uint32_t QuadGroup::Samples(int lane) const {
  const uint32_t covered = Coverage(lane);
  return per_sample ? covered & 1u << subspans[lane / kQuadPixels].sample : covered;
}

Point QuadGroup::SamplePlace(int lane) const {
  return SamplePositions(draw->samples)[subspans[lane / kQuadPixels].sample];
}

std::vector<QuadGroup> GroupQuads(uint32_t lanes, bool per_sample, bool opposite,
                                  FragmentInputs& draw) {
  const size_t most = lanes / kQuadPixels;
  std::vector<QuadGroup> groups;
  size_t first_of_primitive = 0;
  const auto finish = [&] {
    const auto first = groups.begin() + static_cast<std::ptrdiff_t>(first_of_primitive);
    groups.erase(
        std::remove_if(first, groups.end(), [](const QuadGroup& g) { return g.covered == 0; }),
        groups.end());
    if (opposite) {
      std::reverse(groups.begin() + static_cast<std::ptrdiff_t>(first_of_primitive), groups.end());
    }
    first_of_primitive = groups.size();
  };
  for (uint32_t q = 0; q < draw.quads.size(); ++q) {
    const Quad& quad = draw.quads[q];
    if (q > 0 && draw.quads[q - 1].primitive != quad.primitive) finish();
    for (uint32_t s = 0; s < (per_sample ? draw.samples : 1); ++s) {
      const bool fits = groups.size() > first_of_primitive && groups.back().subspans.size() < most;
      if (!fits) groups.push_back({&draw, quad.primitive, per_sample, {}, 0, 0});
      groups.back().subspans.push_back({q, s});
      TurnOn(quad, groups.back());
    }
  }
  finish();
  return groups;
}

}  // namespace kiln::sim::scene
