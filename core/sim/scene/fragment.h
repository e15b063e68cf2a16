// A draw as fragment threads see it: the results of rasterisation for each quad of pixels and for
// each primitive, and the render targets that the threads write.
//
// A quad is 2x2 pixels, pixel p at (x + p % 2, y + p / 2). Values that vary over a primitive are
// functions of the position in the render target (pixels from the upper left corner, y down), so
// that each thread evaluates them where its payload asks: at the pixel's centre, a sample, or
// another point. fragment_output.h has the tests and blending.
#ifndef KILN_CORE_SIM_SCENE_FRAGMENT_H_
#define KILN_CORE_SIM_SCENE_FRAGMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/sim/scene/output_state.h"
#include "core/sim/scene/raster_state.h"
#include "core/sim/scene/texel.h"
#include "core/sim/scene/time_limit.h"

namespace kiln::sim::scene {

inline constexpr int kQuadPixels = 4;

// The values of one component of an input at the three vertices, as bits, from the vertex stage.
struct VertexValues {
  uint32_t location = 0;
  uint32_t component = 0;
  std::array<uint32_t, 3> bits{};
};

// The same for an attribute that is a built-in, named as in out::FragmentInput.
struct BuiltInValues {
  std::string attribute;
  uint32_t component = 0;
  std::array<uint32_t, 3> bits{};
};

// A point of the render target, in pixels.
struct Point {
  double x = 0, y = 0;
};

struct Primitive {
  uint32_t number = 0;    // in the draw: PrimitiveId
  uint32_t vertices = 3;  // of a line 2, of a point 1; the last one is repeated
  bool back_facing = false;
  uint32_t layer = 0;  // of the render target
  uint32_t viewport = 0;
  // Weight of vertex k at (x, y) without perspective, divided by its scale: weight[k][0] x +
  // weight[k][1] y + weight[k][2]. The scale is 1 or, of vertices that may lie at infinity or
  // behind the eye, w of clip space: weight and depth of such a vertex by themselves may have no
  // limit.
  std::array<std::array<double, 3>, 3> weight{};
  std::array<double, 3> scale = {1, 1, 1};
  std::array<double, 3> inverse_w = {1, 1, 1};  // scale / w of clip space at the vertices
  std::array<double, 3> depth{};                // at the vertices, after the viewport, times scale
  double depth_bias = 0;
  std::array<float, 2> depth_range = {0, 1};  // of the viewport: depth is clamped to it, if at all
  std::vector<VertexValues> values;
  std::vector<BuiltInValues> built_ins;  // other attributes: distances; PointCoord of points

  // Returns the weights of vertices 1 and 2.
  std::array<float, 2> Barycentrics(const Point& at, bool perspective) const;
  float Depth(const Point& at) const;  // biased
  float W(const Point& at) const;      // of clip space
};

struct Quad {
  uint32_t primitive = 0;  // index into FragmentInputs::primitives
  uint16_t x = 0, y = 0;   // upper left pixel
  // By pixel: the samples that the primitive covers, a bit each. At least one of the four is not 0.
  std::array<uint32_t, kQuadPixels> coverage{};
};

// A colour attachment of four 32-bit components a sample, floats or integers: as a texel of its
// format is decoded, or unconverted if it has none.
struct RenderTarget {
  uint32_t location = 0;
  std::vector<uint32_t> texels;  // component c of sample s of pixel (x, y): see FragmentInputs::At
  std::optional<TexelFormat> format = std::nullopt;
  std::optional<BlendState> blend = std::nullopt;
  uint8_t write_mask = 0xf;  // components, red in bit 0
  // The same in memory, in the format, if the target began as bytes: components that no fragment
  // writes keep their bits, of which a format may have several for one value. Else empty.
  std::vector<uint8_t> bytes = {};
};

struct FragmentInputs {
  uint32_t width = 0, height = 0;  // pixels
  // Layers of render targets and depth: each primitive is drawn to its own. In all results they are
  // one below the other (layer n has rows n * height to n * height + height - 1). With one layer a
  // primitive's layer number is only an input of the thread.
  uint32_t layers = 1;
  uint32_t samples = 1;  // of a pixel: 1, 2, 4, 8, 16
  std::vector<Primitive> primitives;
  std::vector<Quad> quads;  // in the order of drawing: those of a primitive are adjacent
  // The most of both that assembly and rasterisation may add; a draw of several views shares them.
  uint64_t max_primitives = uint64_t{1} << 21, max_quads = uint64_t{1} << 26;
  TimeLimit limit;  // of assembly, rasterisation and the run; by default none

  // 0, or a seed: barycentrics, depth and w that threads get deviate by up to 2^-22, each by
  // itself, as between two rasterisers. Results that depend on that are not defined by any source.
  uint32_t jitter = 0;

  RasterState raster;  // that `primitives` and `quads` are made with
  OutputState output;

  // Results; empty vectors are not filled.
  std::vector<RenderTarget> targets;
  std::vector<float> depth;           // by sample
  std::vector<uint8_t> depth_bytes;   // that depth began as, in its format; empty: it was cleared
  std::vector<uint8_t> stencil;       // by sample
  std::vector<uint32_t> sample_mask;  // by pixel: samples of the last fragment that wrote any
  std::vector<uint32_t> coverage;     // by pixel: samples written by any fragment

  // Returns the index of a sample into depth, and times 4 into texels; y continues through the
  // layers.
  size_t At(uint32_t x, uint32_t y, uint32_t sample) const {
    return (size_t{y} * width + x) * samples + sample;
  }
};

// Returns the positions of the samples in their pixel (the standard ones of Vulkan 1.3,
// "Multisampling"); empty for numbers other than 1, 2, 4, 8, 16.
absl::Span<const Point> SamplePositions(uint32_t samples);

// Returns the point of a pixel at which inputs with `centroid` are evaluated: of a partly covered
// pixel its first covered sample, else the centre. `coverage`: the primitive's samples without
// those that the sample mask and early tests have removed, as in lavapipe (Mesa 25.0.7,
// lp_bld_interp.c, calc_centroid_offsets); Vulkan 1.3, "Interpolation Decorations", only asks for a
// point inside the primitive, where what is left of its samples lies.
Point Centroid(uint32_t coverage, uint32_t samples);

// Returns a value as another rasteriser might deliver it at this point: see FragmentInputs::jitter.
// `which` is a number of the value.
float Jittered(const FragmentInputs& draw, float value, const Point& at, uint32_t which);

// Checks that results have the sizes of the draw, and that quads lie in it. InvalidArgument.
absl::Status CheckDraw(const FragmentInputs& draw);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_FRAGMENT_H_
