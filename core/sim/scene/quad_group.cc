// See quad_group.h.
#include "core/sim/scene/quad_group.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

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

const Primitive& QuadGroup::ShapeOf(int lane) const {
  const auto subspan = static_cast<size_t>(lane / kQuadPixels);
  if (subspan >= subspans.size()) return Shape();
  return draw->primitives[draw->quads[subspans[subspan].quad].primitive];
}

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

QuadRange QuadsOfPrimitive(const FragmentInputs& draw, size_t first) {
  size_t end = first;
  while (end < draw.quads.size() && draw.quads[end].primitive == draw.quads[first].primitive) ++end;
  return {first, end};
}

QuadRange QuadsOfPrimitives(const FragmentInputs& draw, size_t first) {
  QuadRange all = QuadsOfPrimitive(draw, first);
  const Primitive& shape = draw.primitives[draw.quads[first].primitive];
  std::set<std::pair<uint32_t, uint32_t>> places;
  const auto add = [&](const QuadRange& quads) {
    std::set<std::pair<uint32_t, uint32_t>> more = places;
    for (size_t q = quads.first; q < quads.end; ++q) {
      if (!more.emplace(draw.quads[q].x, draw.quads[q].y).second) return false;
    }
    places = std::move(more);
    return true;
  };
  // The quads of one primitive may be at one place: they have different samples.
  for (size_t q = all.first; q < all.end; ++q) places.emplace(draw.quads[q].x, draw.quads[q].y);
  while (all.end < draw.quads.size()) {
    const QuadRange next = QuadsOfPrimitive(draw, all.end);
    const Primitive& other = draw.primitives[draw.quads[next.first].primitive];
    if (other.layer != shape.layer || other.vertices != shape.vertices || !add(next)) break;
    all.end = next.end;
  }
  return all;
}

std::vector<QuadGroup> GroupQuads(uint32_t lanes, bool per_sample, bool opposite,
                                  const QuadRange& quads, FragmentInputs& draw) {
  const size_t most = lanes / kQuadPixels;
  std::vector<QuadGroup> groups;
  for (size_t q = quads.first; q < quads.end; ++q) {
    const Quad& quad = draw.quads[q];
    for (uint32_t s = 0; s < (per_sample ? draw.samples : 1); ++s) {
      const bool fits = !groups.empty() && groups.back().subspans.size() < most;
      if (!fits) groups.push_back({&draw, quad.primitive, per_sample, {}, 0, 0});
      groups.back().subspans.push_back({static_cast<uint32_t>(q), s});
      TurnOn(quad, groups.back());
    }
  }
  const auto empty = [](const QuadGroup& g) { return g.covered == 0; };
  groups.erase(std::remove_if(groups.begin(), groups.end(), empty), groups.end());
  if (opposite) std::reverse(groups.begin(), groups.end());
  return groups;
}

}  // namespace kiln::sim::scene
