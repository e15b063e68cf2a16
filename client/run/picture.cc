// Pictures: see picture.h.
#include "client/run/picture.h"

#include <png.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace kiln::client::run {
namespace {

constexpr int kChannels = 4;

uint8_t Byte(double value) {
  if (!(value > 0)) return 0;  // NaN too
  return static_cast<uint8_t>(std::lround(std::min(value, 1.0) * 255));
}

std::vector<uint8_t> Bytes(const sim::scene::FragmentInputs& draw,
                           const sim::scene::RenderTarget& target) {
  std::vector<uint8_t> bytes;
  const uint32_t rows = draw.height * draw.layers;
  bytes.reserve(size_t{draw.width} * rows * kChannels);
  for (uint32_t y = 0; y < rows; ++y) {
    for (uint32_t x = 0; x < draw.width; ++x) {
      for (size_t c = 0; c < kChannels; ++c) {
        double sum = 0;
        for (uint32_t s = 0; s < draw.samples; ++s) {
          sum += std::bit_cast<float>(target.texels[kChannels * draw.At(x, y, s) + c]);
        }
        bytes.push_back(Byte(sum / draw.samples));
      }
    }
  }
  return bytes;
}

}  // namespace

absl::StatusOr<std::string> PngOf(const sim::scene::FragmentInputs& draw, uint32_t location) {
  const auto at = std::find_if(draw.targets.begin(), draw.targets.end(),
                               [&](const auto& t) { return t.location == location; });
  if (at == draw.targets.end()) {
    const auto name = [](std::string* out, const auto& t) { absl::StrAppend(out, t.location); };
    const std::string known = absl::StrJoin(draw.targets, ", ", name);
    return absl::InvalidArgumentError(
        absl::StrCat("the shader writes no colour to location ", location,
                     known.empty() ? "; it writes none" : absl::StrCat("; it writes ", known)));
  }
  if (at->format && IsIntegerFormat(*at->format)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the colours of location ", location,
                     " are integers; write them with \"out\" of \"targets\""));
  }
  const std::vector<uint8_t> bytes = Bytes(draw, *at);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = draw.width;
  image.height = draw.height * draw.layers;
  image.format = PNG_FORMAT_RGBA;
  std::string png;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  png.resize(size);
  if (png_image_write_to_memory(&image, png.data(), &size, 0, bytes.data(), 0, nullptr) == 0) {
    return absl::InternalError(absl::StrCat("libpng: ", image.message));
  }
  png.resize(size);
  return png;
}

}  // namespace kiln::client::run
