#include "tests/exec/culling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"

namespace kiln::exec {

uint32_t CullingRequest::word() const {
  const auto precision = static_cast<uint32_t>(std::countr_zero(samples)) - 8;
  return bits == 0 ? 0 : bits | precision << 24;
}

absl::StatusOr<CulledRun> SimulateCulled(const Variant& v, const sim::scene::Dispatch& dispatch,
                                         const CullingRequest& request, bool opposite,
                                         const sim::rdna2::InputAssembly& assembly) {
  CulledRun run = {dispatch, {}};
  sim::rdna2::Options options;
  options.contract = true;
  options.opposite = opposite;
  options.assembly = assembly;
  options.ngg_culling = request.word();
  const float half = 0.5f * kViewportPixels * static_cast<float>(request.samples);
  options.ngg_viewport = {half, half, half, half};
  options.primitives = &run.primitives;
  const auto stats = sim::rdna2::Run(v.code, v.launch, options, run.dispatch);
  if (!stats.ok()) return stats.status();
  return run;
}

std::vector<bool> NeededRuns(const CulledRun& run) {
  std::vector<bool> needed(run.dispatch.vertices->Runs());
  for (const sim::rdna2::DrawnPrimitive& p : run.primitives) {
    for (const uint32_t r : p.runs) needed[r] = needed[r] || p.exported;
  }
  return needed;
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

namespace {

// The corners of a triangle in normalized device coordinates, in doubles.
struct Projected {
  std::array<double, 3> x{}, y{};

  double TwiceArea() const { return (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]); }
};

// Returns nothing for a triangle that is not in front of the eye, with all its w above a limit.
std::optional<Projected> Project(const Corners& corners, float limit) {
  Projected p;
  for (size_t i = 0; i < 3; ++i) {
    if (!(corners[i][3] > limit)) return std::nullopt;
    p.x[i] = double{corners[i][0]} / corners[i][3];
    p.y[i] = double{corners[i][1]} / corners[i][3];
  }
  return p;
}

bool IsCulledFace(double twice_area, const CullingRequest& request) {
  const bool front = (twice_area < 0) == ((request.bits & CullingRequest::kFrontIsCcw) != 0);
  return (request.bits & (front ? CullingRequest::kFront : CullingRequest::kBack)) != 0;
}

}  // namespace

bool HasCulledFace(const Corners& corners, const CullingRequest& request) {
  const std::optional<Projected> p = Project(corners, 0);
  return p && p->TwiceArea() != 0 && IsCulledFace(p->TwiceArea(), request);
}

bool MustBeCulled(const Corners& corners, const CullingRequest& request) {
  const std::optional<Projected> p = Project(corners, 0x1p-10f);
  if (!p) return false;
  for (const auto& at : {p->x, p->y}) {
    // Differences of larger numbers say nothing about the area.
    if (!std::ranges::all_of(at, [](double v) { return std::abs(v) < 1000; })) return false;
  }
  for (const auto& at : {p->x, p->y}) {
    const auto [low, high] = std::ranges::minmax(at);
    if (low > 1.001 || high < -1.001) return true;
  }
  return std::abs(p->TwiceArea()) >= 1 && IsCulledFace(p->TwiceArea(), request);
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
