// Texel formats of images and texel buffers: converts bytes of memory to four 32-bit components and
// back.
//
// Decoded components are as the sampler and typed reads deliver them: floats for normalised and
// float formats, integers (sign extended where signed) for the others; absent components are 0,
// absent alpha is 1. When encoded, components are rounded to nearest even and clamped to the
// format's range (Vulkan 1.3, "Numeric Representation and Computation"); 11 and 10-bit floats are
// truncated, negative ones become 0, as that chapter allows. Names are those of the job format
// (tests/peer/README.md) and of GLSL's layout qualifiers: components of whole bytes in the order of
// memory, those of rgb10a2 and its like from the lowest bit up. Vulkan's packed formats of 8 and 16
// bits have Vulkan's names, from the highest bit down. d24 has eight unused high bits.
#ifndef KILN_CORE_SIM_SCENE_TEXEL_H_
#define KILN_CORE_SIM_SCENE_TEXEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln::sim::scene {

enum class TexelFormat : uint8_t {
  kR8,
  kRg8,
  kRgba8,
  kR8Snorm,
  kRg8Snorm,
  kRgba8Snorm,
  kRgba8Srgb,
  kBgra8,
  kR16,
  kRg16,
  kRgba16,
  kR16Snorm,
  kRg16Snorm,
  kRgba16Snorm,
  kR8ui,
  kRg8ui,
  kRgba8ui,
  kR16ui,
  kRg16ui,
  kRgba16ui,
  kR32ui,
  kRg32ui,
  kRgba32ui,
  kR8i,
  kRg8i,
  kRgba8i,
  kR16i,
  kRg16i,
  kRgba16i,
  kR32i,
  kRg32i,
  kRgba32i,
  kR16f,
  kRg16f,
  kRgba16f,
  kR32f,
  kRg32f,
  kRgba32f,
  kD32f,
  kRgb10a2,
  kRgb10a2ui,
  kR11g11b10f,
  kR8Srgb,
  kRg8Srgb,
  kBgra8Snorm,
  kBgra8Srgb,
  kBgra8ui,
  kBgra8i,
  kRgb8,
  kRgb8Snorm,
  kRgb8Srgb,
  kRgb8ui,
  kRgb8i,
  kBgr8,
  kBgr8Snorm,
  kBgr8Srgb,
  kBgr8ui,
  kBgr8i,
  kRgb16,
  kRgb16Snorm,
  kRgb16ui,
  kRgb16i,
  kRgb16f,
  kRgb32ui,
  kRgb32i,
  kRgb32f,
  kRgb10a2Snorm,
  kRgb10a2i,
  kBgr10a2,
  kBgr10a2Snorm,
  kBgr10a2ui,
  kBgr10a2i,
  kR4g4,
  kR4g4b4a4,
  kB4g4r4a4,
  kR5g6b5,
  kB5g6r5,
  kR5g5b5a1,
  kB5g5r5a1,
  kA1r5g5b5,
  kD16,
  kD24,
};

// Bits of four components: floats, or integers for integer formats.
using Texel = std::array<uint32_t, 4>;

std::optional<TexelFormat> TexelFormatNamed(std::string_view name);

int TexelBytes(TexelFormat format);

// Number of components that texels hold.
int ComponentCount(TexelFormat format);

// Returns the component that each bit field of a texel holds, lowest field first; elements behind
// ComponentCount are 0.
std::array<uint8_t, 4> ComponentOrder(TexelFormat format);

// Returns true if the components are integers.
bool IsIntegerFormat(TexelFormat format);

// Returns true if components are fixed-point numbers from 0 or -1 to 1, sRGB's among them.
bool IsNormalizedFormat(TexelFormat format);

// Returns true if components may be negative.
bool IsSignedFormat(TexelFormat format);

// Returns true if logical operations apply to a render target of the format: integers and
// normalised numbers, but neither floats nor sRGB (Vulkan 1.3, "Logical Operations").
bool HasLogicOps(TexelFormat format);

// Returns true if the format is that of a depth attachment.
bool IsDepthFormat(TexelFormat format);

// Decodes the texel at `bytes`, of which TexelBytes are read.
Texel DecodeTexel(TexelFormat format, const uint8_t* bytes);

// Bits of `bytes` that hold no component become 0.
void EncodeTexel(TexelFormat format, const Texel& texel, uint8_t* bytes);

// Encodes the components of a mask, red in bit 0; other bits of `bytes` stay as they are.
void EncodeComponents(TexelFormat format, const Texel& texel, uint8_t mask, uint8_t* bytes);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_TEXEL_H_
