// See image.h.
#include "core/sim/scene/image.h"

#include <algorithm>
#include <limits>

namespace kiln::sim::scene {
namespace {

constexpr uint64_t kMaxCount = std::numeric_limits<uint64_t>::max();

// Return the product or sum, or the largest number if that is too small.
uint64_t Product(uint64_t a, uint64_t b) { return a != 0 && b > kMaxCount / a ? kMaxCount : a * b; }
uint64_t Sum(uint64_t a, uint64_t b) { return b > kMaxCount - a ? kMaxCount : a + b; }

}  // namespace

std::array<uint32_t, 3> ClientImage::Size(uint32_t level) const {
  if (level >= 32) return {1, 1, 1};
  return {std::max(1u, width >> level), std::max(1u, height >> level),
          std::max(1u, depth >> level)};
}

uint64_t ClientImage::Bytes() const {
  uint64_t texels = 0;
  for (uint32_t l = 0; l < levels; ++l) {
    uint64_t level = layers;
    for (const uint32_t size : Size(l)) level = Product(level, size);
    texels = Sum(texels, level);
  }
  return Product(Product(texels, samples), static_cast<uint64_t>(TexelBytes(format)));
}

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
