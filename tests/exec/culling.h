// Runs of vertex programs of gfx1030 that cull, and judges of what they leave out.
//
// The judges know nothing of the tests in a program: whether a triangle can be seen is asked of the
// rasteriser of core/sim/scene; what must be left out is decided in doubles, for triangles that are
// far from every limit.
#ifndef KILN_TESTS_EXEC_CULLING_H_
#define KILN_TESTS_EXEC_CULLING_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/sim/rdna2/input_assembly.h"
#include "core/sim/rdna2/simulator.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/rasterise.h"
#include "core/target/compiled.h"

namespace kiln::exec {

inline constexpr uint32_t kViewportPixels = 16;  // in x and y

// A driver asks for faces and sizes to cull (core/amd/abi/vertex.h, CullingSetting).
struct CullingRequest {
  static constexpr uint32_t kFront = 1, kBack = 2, kFrontIsCcw = 4, kSmall = 8;
  uint32_t bits = 0;
  uint32_t samples = 1;  // of a pixel

  uint32_t word() const;
};

struct CulledRun {
  sim::scene::Dispatch dispatch;
  std::vector<sim::rdna2::DrawnPrimitive> primitives;
};

// Runs a draw of vertices in contract mode.
absl::StatusOr<CulledRun> SimulateCulled(const Variant& variant,
                                         const sim::scene::Dispatch& dispatch,
                                         const CullingRequest& request, bool opposite,
                                         const sim::rdna2::InputAssembly& assembly = {});

// Returns by run of the draw: it is a corner of a primitive that was exported.
std::vector<bool> NeededRuns(const CulledRun& run);

using Corners = std::array<sim::scene::ClipPosition, 3>;

// The facts of a vertex that the judges know.
struct JudgedVertex {
  sim::scene::ClipPosition position = {};  // in clip space
  uint32_t outside = 0;  // a bit for each distance, to clip or to cull by, that is negative
};

// Returns the number of samples that a triangle covers on the screen, of the faces that are drawn.
size_t CoveredSamples(const Corners& corners, const CullingRequest& request);

// Returns true for a triangle in front of the eye whose exact corners say that it is of a culled
// face, as programs decide it. The rasteriser snaps corners to its grid of 1/256 pixel first, after
// which a sliver may show the other face.
bool HasCulledFace(const Corners& corners, const CullingRequest& request);

// Returns true for a triangle that every reading of the rules culls: finite, in front, and far
// beyond one side, or of a culled face and not small.
bool MustBeCulled(const Corners& corners, const CullingRequest& request);

struct CullingCounts {
  int64_t primitives = 0, left_out = 0;
  int64_t outside = 0;  // of those left out: by a distance
};

// Returns "" or the fault of a run: a primitive that is left out though it covers samples and no
// distance is negative at all its vertices, or, with `all`, one that is not left out though it must
// be. `vertex`: of a run of the program.
std::string CullingFault(const CulledRun& run, const CullingRequest& request, bool all,
                         const std::function<JudgedVertex(uint32_t)>& vertex,
                         CullingCounts* counts);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_CULLING_H_
