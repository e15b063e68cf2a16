// Clipping in clip space: what of a polygon or line lies in front of the eye and near the screen.
//
// Only planes that keep coordinates finite clip polygons: w >= 0 and a guard band around the
// viewport, which leaves no other corner at w = 0 than the eye. Lines are clipped by the viewport
// itself, since their width may reach beyond it. The depth planes and the client's distances are
// tested for each sample instead (rasterise.h), which gives the same region. Vulkan 1.3, "Primitive
// Clipping".
#ifndef KILN_CORE_SIM_SCENE_CLIP_H_
#define KILN_CORE_SIM_SCENE_CLIP_H_

#include <array>
#include <vector>

#include "absl/types/span.h"

namespace kiln::sim::scene {

// x, y and w of clip space, or of the screen in pixels times w.
using Homogeneous = std::array<double, 3>;

// Returns the part of a convex polygon with w >= 0 and |x|, |y| <= `limit` * w; empty if there is
// none. Two corners are a line.
std::vector<Homogeneous> Clip(absl::Span<const Homogeneous> corners, double limit);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_CLIP_H_
