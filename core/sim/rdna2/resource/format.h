// Texel formats of descriptors and MTBUF instructions: their numbers, and what their channels hold.
//
// A channel is a bit field of the texel, X the lowest. Names and numbers: GFX10_FORMAT of Mesa's
// register database (amd/registers/gfx10-rsrc.json), whose names list fields from the highest down.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_FORMAT_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_FORMAT_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/scene/texel.h"

namespace kiln::sim::rdna2 {

// The number of a format that reads and writes the bits as scene does, if components are chosen by
// `order`: channel c is component order[c] of `texel`.
struct HardwareFormat {
  scene::TexelFormat texel = scene::TexelFormat::kRgba8;
  bool scaled = false;  // USCALED and SSCALED: integers that are delivered as floats
  std::array<uint8_t, 4> order = {0, 1, 2, 3};
  int channels = 4;

  bool integer() const { return !scaled && scene::IsIntegerFormat(texel); }
  int bytes() const { return scene::TexelBytes(texel); }
};

// Returns the format with this number; Unimplemented for numbers without a texel format of scene:
// block compression, shared exponents, video.
absl::StatusOr<HardwareFormat> FormatOf(uint32_t number);

// The fields of a descriptor with which the hardware reads texels of a format.
struct DescribedFormat {
  uint32_t number = 0;
  Select select{};
  uint8_t border_swizzle = 0;  // BC_SWIZZLE
};

// Returns the description that Mesa gives for a client's format: the number from its table of
// formats (amd/common/gfx10_format_table.py), DST_SEL as radv_compose_swizzle, BC_SWIZZLE as
// ac_border_color_swizzle. Unimplemented where Mesa has no number: three channels of 8 or 16 bits,
// and 4_4.
absl::StatusOr<DescribedFormat> DescribeFormat(scene::TexelFormat format);

// Reorders the components of a decoded or filtered texel of `format.texel` to its channels and
// applies DST_SEL. Components that DST_SEL sets to 1 are integers for integer formats.
scene::Texel Deliver(const HardwareFormat& format, const Select& select, const scene::Texel& texel);

// Decodes the texel at `bytes`; null: a texel outside, whose channels are all 0.
scene::Texel LoadTexel(const HardwareFormat& format, const Select& select, const uint8_t* bytes);

// Stores what a program gives as components x, y, z, w: a channel receives the first component that
// DST_SEL takes from it, or 0. InvalidArgument for scaled formats.
absl::Status StoreTexel(const HardwareFormat& format, const Select& select,
                        const scene::Texel& texel, uint8_t* bytes);

// Packs components into registers, two in each under d16: halves of float formats, the lower halves
// of integers. Returns the number of dwords; unused halves are 0.
int PackComponents(absl::Span<const uint32_t> components, bool d16, bool integer,
                   absl::Span<uint32_t> dwords);

// Reverses PackComponents: integers are extended by zeros or, where `negative`, by their sign.
void UnpackComponents(absl::Span<const uint32_t> dwords, bool d16, const HardwareFormat& format,
                      absl::Span<uint32_t> components);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_FORMAT_H_
