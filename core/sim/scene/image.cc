// See image.h.
#include "core/sim/scene/image.h"

#include <algorithm>

namespace kiln::sim::scene {

std::array<uint32_t, 3> ClientImage::Size(uint32_t level) const {
  if (level >= 32) return {1, 1, 1};
  return {std::max(1u, width >> level), std::max(1u, height >> level),
          std::max(1u, depth >> level)};
}

uint64_t ClientImage::Bytes() const { return Offset(levels, 0, 0, 0, 0); }

uint64_t ClientImage::Offset(uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z,
                             uint32_t sample) const {
  uint64_t texel = 0;
  for (uint32_t l = 0; l < level; ++l) {
    const std::array<uint32_t, 3> s = Size(l);
    texel += uint64_t{s[0]} * s[1] * s[2] * layers;
  }
  const std::array<uint32_t, 3> s = Size(level);
  texel += ((uint64_t{layer} * s[2] + z) * s[1] + y) * s[0] + x;
  return (texel * samples + sample) * TexelBytes(format);
}

}  // namespace kiln::sim::scene
