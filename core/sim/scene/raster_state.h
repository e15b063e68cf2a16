// The state of rasterisation: viewport, facing, polygon mode, depth bias. Vulkan 1.3,
// "Rasterization" and "Controlling the Viewport".
#ifndef KILN_CORE_SIM_SCENE_RASTER_STATE_H_
#define KILN_CORE_SIM_SCENE_RASTER_STATE_H_

#include <cstdint>
#include <optional>

namespace kiln::sim::scene {

// In pixels; a negative height turns the picture over.
struct Viewport {
  float x = 0, y = 0, width = 0, height = 0;
  float min_depth = 0, max_depth = 1;
};

struct DepthBias {
  float constant = 0, clamp = 0, slope = 0;
};

enum class PolygonMode : uint8_t { kFill, kLine, kPoint };

struct RasterState {
  std::optional<Viewport> viewport;  // the whole render target, depth 0 to 1
  // Depth of the near and far plane does not clip; depth is clamped to the viewport's before tests.
  bool depth_clamp = false;
  PolygonMode polygon_mode = PolygonMode::kFill;
  bool cull_front = false, cull_back = false;
  bool front_is_clockwise = false;  // on the screen, y down
  float line_width = 1;             // pixels
  std::optional<DepthBias> depth_bias;
  // Bits of a fixed-point depth attachment, which decide the unit of DepthBias::constant; 0: 32-bit
  // floats.
  int depth_bits = 0;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_RASTER_STATE_H_
