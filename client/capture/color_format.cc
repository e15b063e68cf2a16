// The numeric type of colour formats: see color_format.h.
#include "client/capture/color_format.h"

#include <algorithm>
#include <iterator>

namespace kiln::client {
namespace {

using kiln::v1::ColorAttachment;

// Vulkan specification, VkFormat: the UINT formats of the core; the SINT format of the same layout
// is the next number. Depth, stencil and compressed formats are no colour attachments.
constexpr uint32_t kUnsigned[] = {13, 20, 27, 34,  41,  48,  55,  62,  68,  74, 81,
                                  88, 95, 98, 101, 104, 107, 110, 113, 116, 119};
constexpr uint32_t kFirstColor = 1;   // VK_FORMAT_R4G4_UNORM_PACK8
constexpr uint32_t kLastColor = 123;  // VK_FORMAT_E5B9G9R9_UFLOAT_PACK32

// Formats of extensions that may be colour attachments; all of them are normalised. Those of
// VK_KHR_sampler_ycbcr_conversion with one plane, R10X6 to R12X4G12X4B12X4A12X4;
// VK_EXT_4444_formats; VK_KHR_maintenance5.
constexpr uint32_t kNormalized[] = {1000156007, 1000156008, 1000156009, 1000156017, 1000156018,
                                    1000156019, 1000340000, 1000340001, 1000470000, 1000470001};

}  // namespace

std::optional<ColorAttachment::NumericType> TypeOfFormat(uint32_t format) {
  const auto has = [](const auto& list, uint32_t number) {
    return std::find(std::begin(list), std::end(list), number) != std::end(list);
  };
  if (has(kNormalized, format)) return ColorAttachment::FLOAT;
  if (format < kFirstColor || format > kLastColor) return std::nullopt;
  if (has(kUnsigned, format)) return ColorAttachment::UINT;
  return has(kUnsigned, format - 1) ? ColorAttachment::SINT : ColorAttachment::FLOAT;
}

}  // namespace kiln::client
