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
#include <optional>

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
  // For a cube whose uvw[0] and uvw[1] are a point of this face, 0 to 1, instead of a direction.
  std::optional<int> face;
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

// Returns the direction of a point of a cube's face, s and t from 0 to 1 and beyond: on the cube
// from -1 to 1, in the plane of the face (Vulkan 1.3, "Cube Map Face Selection").
std::array<float, 3> CubeDirection(int face, float s, float t);

// Returns a direction's point in the plane of the cube's face that `reference` hits, which extends
// beyond the face's edges. The face is 1 wide; the axes are those of the cube, so that derivatives
// of such points have the right lengths. Component 2 is 0.
std::array<float, 3> ProjectOnFace(const std::array<float, 3>& direction,
                                   const std::array<float, 3>& reference);

// Returns the LOD for derivatives of the normalised coordinates; for cubes, of points in the plane
// of a face.
float LodOfDerivatives(const ClientImage& image, const std::array<float, 3>& dx,
                       const std::array<float, 3>& dy);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_FILTER_H_
