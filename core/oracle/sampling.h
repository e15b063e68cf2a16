// Images and samplers of the interpreter: texels in memory, filtering.
//
// Texels are tightly packed: level by level, layer by layer (faces of a cube are layers), slice by
// slice, row by row, the samples of a texel together; a level's size is the base size halved each
// time, at least 1.
//
// Filtering is Vulkan's ("Texel Input Operations"), with weights that are not quantised: texel
// coordinates are products of single precision, everything after them is double precision, rounded
// once at the end. Cubes are seamless; the fourth texel at a corner is the mean of the other three.
// Half way between two levels the nearest one is the lower. Comparison comes before filtering.
// Targets quantise weights, coordinates and levels (today's to 8 bits of sub-texel precision);
// SamplePoint::noise reveals results that depend on that.
// A fetch outside the image gives 0, and 1 in an alpha that the format does not have (Vulkan's
// robustImageAccess2; without it either alpha is right).
#ifndef KILN_CORE_ORACLE_SAMPLING_H_
#define KILN_CORE_ORACLE_SAMPLING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mir/image.h"
#include "core/oracle/texel_format.h"

namespace kiln::oracle {

// The binding of an image or texel buffer.
struct BoundImage {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
  mir::ImageFormat format = mir::ImageFormat::kRgba8;
  mir::ImageDim dim = mir::ImageDim::k2D;
  bool arrayed = false;
  uint32_t width = 1, height = 1, depth = 1;
  uint32_t layers = 1;  // of cubes: six times their number
  uint32_t levels = 1;
  uint32_t samples = 1;
  std::vector<uint8_t> bytes = {};

  // Width, height and depth of a level.
  std::array<uint32_t, 3> Size(uint32_t level) const;
  // The number of texels of all levels, layers and samples.
  uint64_t Texels() const;
  // Returns the index of the texel in memory, or nothing if it is outside the image.
  std::optional<uint64_t> Find(int64_t level, int64_t layer, int64_t x, int64_t y, int64_t z,
                               int64_t sample) const;
  Texel Outside() const;
  Texel Read(uint64_t texel) const;
  void Write(uint64_t texel, const Texel& value);
};

enum class AddressMode : uint8_t { kClamp, kRepeat, kMirror, kBorder };
enum class BorderColor : uint8_t { kTransparent, kBlack, kWhite };
enum class CompareFunction : uint8_t {
  kNever,
  kLess,
  kEqual,
  kLessEqual,
  kGreater,
  kNotEqual,
  kGreaterEqual,
  kAlways,
};

struct BoundSampler {
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;
  bool linear = false;       // within a level
  bool linear_mips = false;  // between levels
  AddressMode address = AddressMode::kClamp;
  BorderColor border = BorderColor::kTransparent;
  std::optional<CompareFunction> compare = {};
  float min_lod = 0;
  float max_lod = 1000;
  float lod_bias = 0;
  bool unnormalized = false;
};

struct SamplePoint {
  std::array<float, 3> coordinates = {0, 0, 0};
  float layer = 0;  // rounded to nearest even and clamped
  std::array<int, 3> offset = {0, 0, 0};
  std::optional<float> reference = {};
  float min_lod = 0;                           // the shader's min LOD
  std::array<double, 4> noise = {0, 0, 0, 0};  // added to the coordinates in texels, to the level
};

// Returns the level of detail for derivatives of the coordinates, before bias and clamps; not
// anisotropic. Derivatives of a cube's direction are first transformed to those of the coordinates
// on its face.
float LodOfDerivatives(const BoundImage& image, const std::array<float, 3>& coordinates,
                       const std::array<float, 3>& dx, const std::array<float, 3>& dy);

// Returns a filtered sample; `lod` is the shader's. With a reference only the first component
// counts.
Texel Sample(const BoundImage& image, const BoundSampler& sampler, const SamplePoint& point,
             float lod);

// Returns the level that a sample with `lod` would read (between levels if these are blended), and
// the level before clamps (GLSL 4.60, 8.9.1 "Texture Query Functions", textureQueryLod; SPIR-V
// OpImageQueryLod).
std::array<float, 2> QueryLod(const BoundImage& image, const BoundSampler& sampler, float lod);

// Returns one component of the four texels that linear filtering of level 0 would blend, in the
// order of OpImageGather; with a reference, the results of the comparisons.
Texel Gather(const BoundImage& image, const BoundSampler& sampler, const SamplePoint& point,
             int component);

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_SAMPLING_H_
