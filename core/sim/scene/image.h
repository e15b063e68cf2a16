// Images, texel buffers and samplers that the client binds.
//
// Texels are stored without gaps: level by level, layer by layer (six faces a cube), slice by
// slice, row by row, the samples of a texel together. A level's size is the base size shifted
// right, at least
// 1. The hardware's tilings are not part of a program's meaning.
#ifndef KILN_CORE_SIM_SCENE_IMAGE_H_
#define KILN_CORE_SIM_SCENE_IMAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/out/resources.h"
#include "core/sim/scene/compare.h"
#include "core/sim/scene/texel.h"

namespace kiln::sim::scene {

enum class ImageDim : uint8_t { k1d, k2d, k3d, kCube, kBuffer };

// Bytes of another resource of the dispatch: of Dispatch::buffers[index], or of images[index].
struct ByteWindow {
  bool of_image = false;
  size_t index = 0;  // of a resource that is no window itself
  uint64_t offset = 0, size = 0;
};

struct ClientImage {
  out::DescriptorRef where;
  // The null descriptor: a null surface, regardless of the other fields. All reads give 0: texels
  // (alpha too), sizes, levels and samples; writes are dropped. Sources: Mesa's null surface state
  // has a size of 1 that "shouldn't matter" (anv_device.c), and its lowerings of sizes rely on 0
  // from resinfo (nir_lower_tex.c, txs of a level; intel_nir_clamp_image_1d_2d_array_sizes.c). No
  // source says anything about sampleinfo and the level query.
  bool null_surface = false;
  TexelFormat format = TexelFormat::kRgba8;
  ImageDim dim = ImageDim::k2d;
  bool arrayed = false;
  uint32_t width = 1, height = 1, depth = 1;
  uint32_t layers = 1;  // cubes: faces
  uint32_t levels = 1;
  uint32_t samples = 1;
  std::vector<uint8_t> texels;       // read and written
  std::optional<ByteWindow> window;  // where the texels are instead (Dispatch, BytesOf)

  // Width, height and depth of a level.
  std::array<uint32_t, 3> Size(uint32_t level) const;
  // Bytes of all levels and samples; the largest number if they are more than that.
  uint64_t Bytes() const;
  // Byte offset of a texel that exists.
  uint64_t Offset(uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z,
                  uint32_t sample = 0) const;
};

enum class AddressMode : uint8_t { kClamp, kRepeat, kMirror, kBorder, kMirrorClamp };
enum class BorderColor : uint8_t { kTransparent, kBlack, kWhite };
struct ClientSampler {
  out::DescriptorRef where;
  bool mag_linear = false, min_linear = false;  // within a level, magnified and minified
  bool linear_mips = false;                     // between levels
  std::array<AddressMode, 3> address{};         // of u, v and w
  BorderColor border = BorderColor::kTransparent;
  std::optional<CompareFunction> compare;
  float min_lod = 0, max_lod = 1000, lod_bias = 0;
  bool unnormalized = false;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_IMAGE_H_
