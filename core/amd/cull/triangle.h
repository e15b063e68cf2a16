// Tests of whether a triangle can be seen, as MIR. Internal to this folder.
#ifndef KILN_CORE_AMD_CULL_TRIANGLE_H_
#define KILN_CORE_AMD_CULL_TRIANGLE_H_

#include <array>
#include <functional>

#include "core/mir/build.h"

namespace kiln::amd {

// A vertex as its primitives test it: x and y divided by w, and w.
struct Corner {
  mir::ValueId x, y, w;
  mir::ValueId outside;  // a bit for each distance that is negative; invalid: there are none
};

// The driver's request, the same for all lanes.
struct CullingState {
  mir::ValueId settings;                      // CullingSetting (core/amd/abi/vertex.h)
  std::array<mir::ValueId, 2> scale, offset;  // of the viewport: floats, in samples
};

// Emits the tests of a triangle and, for lanes that keep theirs, what `keep` emits. Returns a
// boolean, undefined for lanes that are off: the lane keeps it. Tests cull triangles that are
//
//   behind   no w is positive
//   clipped  a distance to clip or to cull by is negative in all corners
//   facing   its face is culled, or its area is 0; not if the area is no finite number
//   outside  all of x or all of y beyond one side of [-1, 1]; not if a w has a sign
//   small    no sample lies in its box; not if a w has a sign
//
// The area's sign is that of the projected corners; a w with a sign mirrors it once. Coordinates
// that are no numbers cull nothing.
// Source of the tests and their order: Mesa 25.0.7, ac_nir_cull.c.
mir::ValueId KeepTriangle(mir::Builder& b, const std::array<Corner, 3>& corners,
                          const CullingState& state, const std::function<void()>& keep);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_CULL_TRIANGLE_H_
