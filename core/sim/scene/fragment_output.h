// Fragment operations: what render targets, depth and stencil keep of a fragment.
//
// Vulkan 1.3, "Fragment Operations": sample mask, depth bounds, stencil and depth test in this
// order, then blending, logical operation and write mask. With early tests (the execution mode
// EarlyFragmentTests) the tests come before the program runs.
#ifndef KILN_CORE_SIM_SCENE_FRAGMENT_OUTPUT_H_
#define KILN_CORE_SIM_SCENE_FRAGMENT_OUTPUT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/sim/scene/fragment.h"

namespace kiln::sim::scene {

// A pixel of a primitive: `corner` is its upper left.
struct FragmentPixel {
  const Primitive* shape = nullptr;
  Point corner;
};

// The values that a program exports for the tests.
struct FragmentTests {
  uint32_t samples = 0;            // those that are written, a bit each
  std::optional<float> depth;      // that the program computed; else the primitive's
  std::optional<uint8_t> stencil;  // instead of the state's reference
};

// Tests a fragment once, writes depth and stencil and returns the samples that pass.
uint32_t TestFragment(const FragmentPixel& at, const FragmentTests& tests, FragmentInputs& draw);

// Notes the samples that a fragment writes in the results `coverage` and `sample_mask`: those that
// pass the tests and that the program, with early tests after them, does not remove.
void NoteWritten(const FragmentPixel& at, uint32_t samples, FragmentInputs& draw);

// Removes the samples of quads first to end - 1 that the pipeline's sample mask excludes: a pixel
// without others is not shaded (Vulkan 1.3, "Sample Mask Test", comes before shading).
void MaskCoverage(size_t first, size_t end, FragmentInputs& draw);

// Tests quads first to end - 1, of one primitive, before their fragments are shaded: samples that
// fail are no longer covered.
void TestEarly(size_t first, size_t end, FragmentInputs& draw);

// The samples of the pixels of a quad.
using QuadCoverage = std::array<uint32_t, kQuadPixels>;

// The steps that come before the shading of a primitive's fragments.
struct BeforeShading {
  bool early_tests = false;  // the tests come before the program
  // The program's input mask has the samples after them (SPV_KHR_post_depth_coverage).
  bool post_depth_coverage = false;
};

// Masks quads first to end - 1, of one primitive, and tests them if that comes before shading.
// Returns the coverage that the program's input mask has, if the quads no longer have it; else
// empty.
std::vector<QuadCoverage> PrepareQuads(size_t first, size_t end, const BeforeShading& before,
                                       FragmentInputs& draw);

// Writes the colour of a fragment to these samples, blended. `second` is that of dual-source
// blending. A logical operation turns blending off; formats without logical operations (and targets
// without a format) take the colour as it is then (Vulkan 1.3, "Logical Operations").
void WriteColor(const FragmentPixel& at, uint32_t samples, const std::array<uint32_t, 4>& color,
                const std::array<uint32_t, 4>& second, const FragmentInputs& draw,
                RenderTarget& target);

// Returns the average of each pixel's samples, of integers the first sample's value: a target of
// one sample. Vulkan 1.3, "Resolve": the average is the driver's usual choice.
RenderTarget Resolve(const FragmentInputs& draw, const RenderTarget& target);

// Returns the texels of a target with a format in that format, sample by sample.
std::vector<uint8_t> TargetBytes(const RenderTarget& target);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_FRAGMENT_OUTPUT_H_
