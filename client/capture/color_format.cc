// The numeric type and precision of colour formats: see color_format.h.
#include "client/capture/color_format.h"

#include <algorithm>

#include "absl/types/span.h"

namespace kiln::client {
namespace {

using kiln::v1::ColorAttachment;

// Vulkan specification, VkFormat: the UINT formats of the core; the SINT format of the same layout
// is the next number. Depth, stencil and compressed formats are no colour attachments.
constexpr uint32_t kUnsigned[] = {13, 20, 27, 34,  41,  48,  55,  62,  68,  74, 81,
                                  88, 95, 98, 101, 104, 107, 110, 113, 116, 119};
constexpr uint32_t kFirstColor = 1;   // VK_FORMAT_R4G4_UNORM_PACK8
constexpr uint32_t kLastColor = 123;  // VK_FORMAT_E5B9G9R9_UFLOAT_PACK32

// The last formats whose components have up to 10 bits, and up to 16. From kFirst16 on, seven
// formats of each layout follow one another: UNORM, SNORM, USCALED, SSCALED, UINT, SINT, SFLOAT.
constexpr uint32_t kLastOf10 = 69;  // VK_FORMAT_A2B10G10R10_SINT_PACK32
constexpr uint32_t kFirst16 = 70, kLast16 = 97, kOfLayout = 7;
constexpr uint32_t kSmallFloats = 122;  // VK_FORMAT_B10G11R11_UFLOAT_PACK32, then E5B9G9R9

// VK_EXT_4444_formats; VK_KHR_maintenance5: up to 8 bits.
constexpr uint32_t kSmallNormalized[] = {1000340000, 1000340001, 1000470000, 1000470001};

// Formats of extensions that may be colour attachments; all of them are normalised. Those of
// VK_KHR_sampler_ycbcr_conversion with one plane, R10X6 to R12X4G12X4B12X4A12X4;
// VK_EXT_4444_formats; VK_KHR_maintenance5.
constexpr uint32_t kNormalized[] = {1000156007, 1000156008, 1000156009, 1000156017, 1000156018,
                                    1000156019, 1000340000, 1000340001, 1000470000, 1000470001};

bool Has(absl::Span<const uint32_t> list, uint32_t number) {
  return std::find(list.begin(), list.end(), number) != list.end();
}

}  // namespace

std::optional<ColorAttachment::NumericType> TypeOfFormat(uint32_t format) {
  if (Has(kNormalized, format)) return ColorAttachment::FLOAT;
  if (format < kFirstColor || format > kLastColor) return std::nullopt;
  if (Has(kUnsigned, format)) return ColorAttachment::UINT;
  return Has(kUnsigned, format - 1) ? ColorAttachment::SINT : ColorAttachment::FLOAT;
}

// Half floats have 11 significant bits. Where 16-bit normalised components are blended, Mesa 25.0.7
// passes 32 bits (ac_choose_spi_color_formats).
ColorAttachment::Precision PrecisionOfFormat(uint32_t format, bool blended) {
  const auto type = TypeOfFormat(format);
  if (!type.has_value()) return ColorAttachment::BITS_32;
  if (format <= kLastOf10) {
    return *type == ColorAttachment::FLOAT ? ColorAttachment::FLOAT_16 : ColorAttachment::INT_16;
  }
  if (format >= kSmallFloats && format <= kLastColor) return ColorAttachment::FLOAT_16;
  if (Has(kSmallNormalized, format)) return ColorAttachment::FLOAT_16;
  if (format < kFirst16 || format > kLast16) return ColorAttachment::BITS_32;
  switch ((format - kFirst16) % kOfLayout) {
    case 0: return blended ? ColorAttachment::BITS_32 : ColorAttachment::UNORM_16;
    case 1: return blended ? ColorAttachment::BITS_32 : ColorAttachment::SNORM_16;
    case 4:
    case 5: return ColorAttachment::INT_16;
    case 6: return ColorAttachment::FLOAT_16;
    default: return ColorAttachment::BITS_32;
  }
}

}  // namespace kiln::client
