// Texture filtering: returns the texels at a coordinate of an image, as seen through a sampler.
//
// Follows Vulkan 1.3, "Image Sampling" (texel coordinates, wrapping, cube faces, level selection,
// comparison), which the hardware's sampler implements. Weights are exact floats; the hardware
// keeps 8 fractional bits of a texel coordinate, so linear results may differ by 1/256 of the
// difference between neighbouring texels. Linear cube filtering crosses edges to the neighbouring
// face; the missing texel at a corner is the average of the other three. No anisotropy.
#ifndef KILN_CORE_SIM_SCENE_FILTER_H_
#define KILN_CORE_SIM_SCENE_FILTER_H_

#include <array>
#include <cstdint>

#include "core/sim/scene/image.h"
#include "core/sim/scene/texel.h"

namespace kiln::sim::scene {

// A view of image bytes with the shape of `image`. Owns neither.
struct ImageView {
  const ClientImage* image = nullptr;
  uint8_t* texels = nullptr;
  TexelFormat format = TexelFormat::kRgba8;  // may differ from the image's, same size
  bool storage = false;  // a cube's surface is an array of faces; false: of cubes
};

struct SamplePoint {
  std::array<float, 3> uvw = {0, 0, 0};  // normalised unless the sampler says otherwise
  float layer = 0;                       // array index: layer, or cube
  std::array<int, 3> offset = {0, 0, 0};
  float lod = 0;      // before the sampler's bias and clamps
  float min_lod = 0;  // of the message; applied after the bias
  float reference = 0;
};

// Returns the filtered texel; with `compare`, component 0 is the share of texels that pass.
Texel SampleImage(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at,
                  bool compare);

// Returns component `component` of the four texels of the linear footprint in level 0: (0,1),
// (1,1), (1,0), (0,0); with `compare`, 1 for each that passes, else 0.
Texel GatherImage(const ImageView& view, const ClientSampler& sampler, const SamplePoint& at,
                  int component, bool compare);

// Integer coordinates of a texel; as many of x, y, z as the dimension has.
struct TexelIndex {
  int x = 0, y = 0, z = 0, layer = 0, level = 0, sample = 0;
};

// Returns true if the image has that texel.
bool HasTexel(const ClientImage& image, const TexelIndex& at);

// Returns the texel; outside the image zeros, with alpha 1 if the format has none
// (robustImageAccess2, which Mesa's driver offers).
Texel FetchTexel(const ImageView& view, const TexelIndex& at);

// Returns the LOD for derivatives of the normalised coordinates. Not for cubes.
float LodOfDerivatives(const ClientImage& image, const std::array<float, 3>& dx,
                       const std::array<float, 3>& dy);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_FILTER_H_
