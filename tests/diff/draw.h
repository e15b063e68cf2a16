// Fragments of a draw in the interpreter: triangles and points become quads with helpers, in double
// precision.
//
// One sample a pixel, no culling, no clipping, depth always passes and is kept, triangles in order:
// the state of `run-peer exec` (tests/peer/README.md, "draw"), with views of multiview. Shares no
// code with the simulator's rasteriser.
//
// Sources: Vulkan specification, "Basic Point Rasterization" (a square around the vertex;
// PointCoord 0 to 1 from its left and upper edge on), "Basic Polygon Rasterization" (coverage by
// the pixel's centre, barycentrics, perspective, facing by the sign of the area), "Quad", "Built-In
// Variables".
#ifndef KILN_TESTS_DIFF_DRAW_H_
#define KILN_TESTS_DIFF_DRAW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/mir/mir.h"
#include "core/oracle/interp.h"
#include "nlohmann/json.hpp"

namespace kiln::diff {

struct Drawn {
  nlohmann::json colors;   // [{"location", "components", "hex"}]: four dwords a pixel, row by row
  nlohmann::json depth;    // {"hex"}: a dword a pixel
  nlohmann::json stencil;  // {"hex"}: a byte a pixel; null if the program writes none
  oracle::InterpStatistics statistics;  // sums of all primitives
};

// Pixels that a primitive does not cover, in quads in which it covers some.
enum class HelperPixels : uint8_t {
  kRun,
  // Only in modules with operations that need whole quads; in others an implementation may leave
  // them out (Vulkan 1.3, "Helper Invocations"), which operations between lanes show.
  kRunIfNeeded,
};

// Draws one primitive after another and writes the resources of `inputs` in place. InvalidArgument:
// a malformed draw. Unimplemented: lines, strips, distances that clip or cull something, several
// samples, inputs of other widths than 32 bits, built-ins that one sample of a triangle has not,
// interpolation at an offset with perspective.
absl::StatusOr<Drawn> Draw(const mir::Module& module, const nlohmann::json& draw,
                           oracle::LaunchInputs& inputs, const oracle::InterpLimits& limits,
                           HelperPixels helpers = HelperPixels::kRun);

}  // namespace kiln::diff

#endif  // KILN_TESTS_DIFF_DRAW_H_
