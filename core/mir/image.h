// Images in MIR: the description of an image resource, and the parameters of the ops that access
// texels (sample, gather, fetch, image_load, image_store, image_atomic, image_size).
//
// A texel op names its image by imm0 (Module::resources) and everything else by imm1, an index into
// Module::texel_ops (made by AddTexelOp, which gives equal ones the same index). Its sources have
// this order; TexelOp::params says which groups are present:
//
//   index into an array of images, if the instruction has the flag kIndexed                  1 i32
//   index into an array of samplers, if kTexelSamplerIndex                                   1 i32
//   coordinates, the array layer last                          CoordinateCount; f32 with a sampler
//                                       (the layer too: rounded to nearest even; image_lod takes
//                                       none), else i32
//   dref, bias, lod                      1 f32 each, but lod is i32 in fetch and image_size (which
//                                        has no coordinates)
//   derivatives by x, then those by y                                       2 * SpatialCount f32
//   min_lod                                                                                 1 f32
//   sample                                                                                  1 i32
//   dynamic offsets                                                              SpatialCount i32
//   values: four of the image's component type (store), the operands of the atomic (i32; of
//           image_atomic64 pairs, low halves first)
//
// Results: four components (i32, or f32 where the image's components are floats); one f32 with a
// dref, but four in gather; one i32 in atomics (two in image_atomic64), image_levels and
// image_samples; SizeCount i32 in image_size; two f32 in image_lod. A sample without lod and
// derivatives takes level 0 (plus the bias); sample_implicit takes the derivatives of its
// coordinates within the quad.
#ifndef KILN_CORE_MIR_IMAGE_H_
#define KILN_CORE_MIR_IMAGE_H_

#include <array>
#include <cstdint>

namespace kiln::mir {

enum class AtomicOp : uint8_t;

enum class ImageDim : uint8_t { k1D, k2D, k3D, kCube, kBuffer };

// The type of the components that are read from or written to the image.
enum class ComponentType : uint8_t { kFloat, kSint, kUint };

// Formats of storage images: kUnknown, then the rows of formats.def.
enum class ImageFormat : uint8_t {
  kUnknown,
#define FORMAT(enumerator, ...) enumerator,
#include "core/mir/formats.def"
#undef FORMAT
};

struct ImageInfo {
  ImageDim dim = ImageDim::k2D;
  bool arrayed = false;
  bool multisampled = false;
  ComponentType component = ComponentType::kFloat;
  ImageFormat format = ImageFormat::kUnknown;  // of storage images and storage texel buffers
  friend bool operator==(const ImageInfo&, const ImageInfo&) = default;
};

// Number of coordinates within a layer, and of derivatives. A cube takes a direction.
constexpr int SpatialCount(ImageDim dim) {
  switch (dim) {
    case ImageDim::k1D:
    case ImageDim::kBuffer: return 1;
    case ImageDim::k2D: return 2;
    case ImageDim::k3D:
    case ImageDim::kCube: return 3;
  }
  return 0;
}

// Number of coordinates with the layer. Storage images take the faces of a cube as layers: x, y,
// face + 6 * layer.
constexpr int CoordinateCount(const ImageInfo& info, bool sampled) {
  if (info.dim == ImageDim::kCube && !sampled) return 3;
  return SpatialCount(info.dim) + info.arrayed;
}

// Number of results of image_size: a cube has two sizes; layers of an arrayed cube are cubes.
constexpr int SizeCount(const ImageInfo& info) {
  return (info.dim == ImageDim::kCube ? 2 : SpatialCount(info.dim)) + info.arrayed;
}

// Number of texel offsets, constant or dynamic; cubes have none.
constexpr int OffsetCount(ImageDim dim) { return dim == ImageDim::kCube ? 0 : SpatialCount(dim); }

enum TexelParam : uint16_t {
  kTexelSamplerIndex = 1,
  kTexelDref = 2,
  kTexelBias = 4,
  kTexelLod = 8,
  kTexelGrad = 16,
  kTexelMinLod = 32,
  kTexelSample = 64,
  kTexelOffsets = 128,
};
inline constexpr uint16_t kAllTexelParams = 255;

struct TexelOp {
  static constexpr uint32_t kNoSampler = ~uint32_t{0};

  // index of the resource; kNoSampler: none, or the combined one's own
  uint32_t sampler = kNoSampler;
  uint16_t params = 0;                       // TexelParam bits
  uint8_t component = 0;                     // the one that gather without dref returns
  AtomicOp atomic = AtomicOp{0};             // of image_atomic
  std::array<int8_t, 3> offset = {0, 0, 0};  // in texels
  friend bool operator==(const TexelOp&, const TexelOp&) = default;
};

// Positions of a texel op's sources: the first of each group, -1 if it is absent.
struct TexelSources {
  int image_index = -1;
  int sampler_index = -1;
  int coordinates = -1;
  int num_coordinates = 0;
  int dref = -1;
  int bias = -1;
  int lod = -1;
  int ddx = -1;
  int ddy = -1;
  int num_derivatives = 0;  // in each of the two
  int min_lod = -1;
  int sample = -1;
  int offsets = -1;
  int num_offsets = 0;
  int values = -1;
  int num_values = 0;
  int total = 0;
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_IMAGE_H_
