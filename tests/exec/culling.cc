#include "tests/exec/culling.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace kiln::exec {

uint32_t CullingRequest::word() const {
  const auto precision = static_cast<uint32_t>(std::countr_zero(samples)) - 8;
  return bits == 0 ? 0 : bits | precision << 24;
}

absl::StatusOr<CulledRun> SimulateCulled(const Variant& v, const sim::scene::Dispatch& dispatch,
                                         const CullingRequest& request, bool opposite) {
  CulledRun run = {dispatch, {}};
  sim::rdna2::Options options;
  options.contract = true;
  options.opposite = opposite;
  options.ngg_culling = request.word();
  const float half = 0.5f * kViewportPixels * static_cast<float>(request.samples);
  options.ngg_viewport = {half, half, half, half};
  options.primitives = &run.primitives;
  const auto stats = sim::rdna2::Run(v.code, v.launch, options, run.dispatch);
  if (!stats.ok()) return stats.status();
  return run;
}

size_t CoveredSamples(const Corners& corners, const CullingRequest& request) {
  sim::scene::FragmentInputs inputs;
  inputs.width = inputs.height = kViewportPixels;
  inputs.samples = request.samples;
  inputs.raster.depth_clamp = true;
  inputs.raster.cull_front = (request.bits & CullingRequest::kFront) != 0;
  inputs.raster.cull_back = (request.bits & CullingRequest::kBack) != 0;
  inputs.raster.front_is_clockwise = (request.bits & CullingRequest::kFrontIsCcw) == 0;
  sim::scene::Triangle triangle;
  triangle.position = corners;
  if (!sim::scene::Rasterise({&triangle, 1}, inputs).ok()) return SIZE_MAX;
  size_t samples = 0;
  for (const sim::scene::Quad& quad : inputs.quads) {
    for (const uint32_t coverage : quad.coverage) {
      samples += static_cast<size_t>(std::popcount(coverage));
    }
  }
  return samples;
}

bool MustBeCulled(const Corners& corners, const CullingRequest& request) {
  std::array<double, 3> x{}, y{};
  for (size_t i = 0; i < 3; ++i) {
    if (!(corners[i][3] > 0x1p-10f)) return false;
    x[i] = double{corners[i][0]} / corners[i][3];
    y[i] = double{corners[i][1]} / corners[i][3];
    // Differences of larger numbers say nothing about the area.
    if (!(std::abs(x[i]) < 1000 && std::abs(y[i]) < 1000)) return false;
  }
  for (const auto& at : {x, y}) {
    const auto [low, high] = std::ranges::minmax(at);
    if (low > 1.001 || high < -1.001) return true;
  }
  const double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  if (std::abs(area) < 1) return false;
  const bool front = (area < 0) == ((request.bits & CullingRequest::kFrontIsCcw) != 0);
  return (request.bits & (front ? CullingRequest::kFront : CullingRequest::kBack)) != 0;
}

std::string CullingFault(const CulledRun& run, const CullingRequest& request, bool all,
                         const std::function<JudgedVertex(uint32_t)>& vertex,
                         CullingCounts* counts) {
  for (const sim::rdna2::DrawnPrimitive& p : run.primitives) {
    Corners corners;
    uint32_t outside = ~0u;
    for (size_t i = 0; i < 3; ++i) {
      const JudgedVertex v = vertex(p.runs[i]);
      corners[i] = v.position;
      outside &= v.outside;
    }
    ++counts->primitives;
    if (p.exported) {
      if (all && (outside != 0 || MustBeCulled(corners, request))) {
        return absl::StrCat("the primitive of run ", p.runs[0], " is not left out");
      }
      continue;
    }
    ++counts->left_out;
    if (outside != 0) {
      ++counts->outside;
      continue;
    }
    if (const size_t samples = CoveredSamples(corners, request); samples != 0) {
      return absl::StrCat("the primitive of run ", p.runs[0], " is left out and covers ", samples,
                          " samples");
    }
  }
  return "";
}

}  // namespace kiln::exec
