#include <bit>
#include <cstdint>
#include <random>

#include "core/oracle/generate.h"
#include "core/sim/scene/rasterise.h"
#include "tests/exec/fragments.h"

namespace kiln::exec {
namespace {

using sim::scene::FragmentInputs;
using sim::scene::Triangle;
using sim::scene::VertexValues;

constexpr double kEdge = oracle::kDrawnEdge;

using ThreeCorners = std::array<std::array<double, 2>, 3>;

void Shuffle(std::mt19937& rng, ThreeCorners& corners) {
  for (uint32_t k = 2; k > 0; --k) std::swap(corners[k], corners[rng() % (k + 1)]);
}

// Returns a corner of a square of 8 or 16 pixels and its two neighbours, in quarters of a pixel:
// weights are then sums of a few powers of two.
ThreeCorners Corners(std::mt19937& rng) {
  const double x_length = (rng() % 2 != 0 ? 1 : -1) * (rng() % 2 != 0 ? kEdge : 2 * kEdge);
  const double y_length = (rng() % 2 != 0 ? 1 : -1) * (rng() % 2 != 0 ? kEdge : 2 * kEdge);
  const auto start = [&](double length) {
    const double inside = static_cast<double>(rng() % 32) / 4;  // 0 to below 8
    return length > 0 ? inside - kEdge / 2 : inside + kEdge / 2;
  };
  const double x = start(x_length), y = start(y_length);
  ThreeCorners corners = {{{x, y}, {x + x_length, y}, {x, y + y_length}}};
  Shuffle(rng, corners);
  return corners;
}

// Returns three corners of a quarter of the render target.
ThreeCorners CornersOfQuarter(std::mt19937& rng, uint32_t quarter) {
  const double length = kEdge / 2;
  const bool right = rng() % 2 != 0, low = rng() % 2 != 0;
  const double x = length * (quarter % 2 + (right ? 1 : 0));
  const double y = length * (quarter / 2 + (low ? 1 : 0));
  ThreeCorners corners = {
      {{x, y}, {right ? x - length : x + length, y}, {x, low ? y - length : y + length}}};
  Shuffle(rng, corners);
  return corners;
}

Triangle RandomTriangle(std::mt19937& rng, const mir::Module& module, const ThreeCorners& corners) {
  constexpr float kW[] = {0.5f, 1, 1, 2, 1.5f};
  const bool perspective = rng() % 2 != 0;
  Triangle t;
  for (size_t k = 0; k < 3; ++k) {
    const float w = perspective ? kW[rng() % std::size(kW)] : 1;
    const float z = static_cast<float>(rng() % 17) / 16;
    t.position[k] = {static_cast<float>(2 * corners[k][0] / kEdge - 1) * w,
                     static_cast<float>(2 * corners[k][1] / kEdge - 1) * w, z * w, w};
  }
  for (const mir::Interface& v : module.inputs) {
    if (v.builtin != mir::BuiltIn::kNone) continue;
    for (uint32_t n = 0; n < v.elements * v.components; ++n) {
      VertexValues values{v.location + n / v.components, v.component + n % v.components, {}};
      for (uint32_t& bits : values.bits) {
        const float number = (static_cast<float>(rng() % 512) - 256) / 64;
        bits = v.type == mir::Type::kF32 ? std::bit_cast<uint32_t>(number) : rng() >> rng() % 32;
      }
      t.values.push_back(values);
    }
  }
  return t;
}

// Rasterises triangles. Returns a draw without quads if none is covered.
FragmentInputs DrawOf(const std::vector<Triangle>& triangles, const mir::Module& module,
                      uint32_t samples) {
  FragmentInputs draw;
  draw.width = draw.height = oracle::kDrawnEdge;
  draw.samples = samples;
  if (!sim::scene::Rasterise(triangles, draw).ok()) draw.quads.clear();
  const size_t all = size_t{samples} * draw.width * draw.height;
  for (const mir::Interface& v : module.outputs) {
    if (v.builtin == mir::BuiltIn::kNone) {
      draw.targets.push_back({v.location, std::vector<uint32_t>(4 * all)});
    }
  }
  draw.depth.assign(all, 1.0f);
  return draw;
}

}  // namespace

FragmentInputs RandomDraw(uint64_t seed, const mir::Module& module, uint32_t samples) {
  std::mt19937 rng(static_cast<uint32_t>(seed) * 2654435761u + 17);
  FragmentInputs draw;
  while (draw.quads.empty()) {
    std::vector<Triangle> triangles;
    for (uint32_t n = 1 + rng() % 2; n > 0; --n) {
      const ThreeCorners corners = Corners(rng);
      triangles.push_back(RandomTriangle(rng, module, corners));
    }
    draw = DrawOf(triangles, module, samples);
  }
  return draw;
}

FragmentInputs RandomDrawOfQuarters(uint64_t seed, const mir::Module& module, uint32_t samples) {
  std::mt19937 rng(static_cast<uint32_t>(seed) * 2654435761u + 18);
  std::vector<Triangle> triangles;
  for (uint32_t quarter = 0; quarter < 4; ++quarter) {
    triangles.push_back(RandomTriangle(rng, module, CornersOfQuarter(rng, quarter)));
  }
  return DrawOf(triangles, module, samples);
}

}  // namespace kiln::exec
