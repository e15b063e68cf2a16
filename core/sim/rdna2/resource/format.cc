// See format.h.
#include "core/sim/rdna2/resource/format.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/base/float_bits.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::rdna2 {
namespace {

using F = scene::TexelFormat;

struct Row {
  uint32_t number;
  F texel;
  bool scaled = false;
};

// Ascending by number.
constexpr Row kRows[] = {
    {1, F::kR8},
    {2, F::kR8Snorm},
    {3, F::kR8ui, true},
    {4, F::kR8i, true},
    {5, F::kR8ui},
    {6, F::kR8i},
    {7, F::kR16},
    {8, F::kR16Snorm},
    {9, F::kR16ui, true},
    {10, F::kR16i, true},
    {11, F::kR16ui},
    {12, F::kR16i},
    {13, F::kR16f},
    {14, F::kRg8},
    {15, F::kRg8Snorm},
    {16, F::kRg8ui, true},
    {17, F::kRg8i, true},
    {18, F::kRg8ui},
    {19, F::kRg8i},
    {20, F::kR32ui},
    {21, F::kR32i},
    {22, F::kR32f},
    {23, F::kRg16},
    {24, F::kRg16Snorm},
    {25, F::kRg16ui, true},
    {26, F::kRg16i, true},
    {27, F::kRg16ui},
    {28, F::kRg16i},
    {29, F::kRg16f},
    {36, F::kR11g11b10f},
    {50, F::kRgb10a2},
    {51, F::kRgb10a2Snorm},
    {52, F::kRgb10a2ui, true},
    {53, F::kRgb10a2i, true},
    {54, F::kRgb10a2ui},
    {55, F::kRgb10a2i},
    {56, F::kRgba8},
    {57, F::kRgba8Snorm},
    {58, F::kRgba8ui, true},
    {59, F::kRgba8i, true},
    {60, F::kRgba8ui},
    {61, F::kRgba8i},
    {62, F::kRg32ui},
    {63, F::kRg32i},
    {64, F::kRg32f},
    {65, F::kRgba16},
    {66, F::kRgba16Snorm},
    {67, F::kRgba16ui, true},
    {68, F::kRgba16i, true},
    {69, F::kRgba16ui},
    {70, F::kRgba16i},
    {71, F::kRgba16f},
    {72, F::kRgb32ui},
    {73, F::kRgb32i},
    {74, F::kRgb32f},
    {75, F::kRgba32ui},
    {76, F::kRgba32i},
    {77, F::kRgba32f},
    {128, F::kR8Srgb},
    {129, F::kRg8Srgb},
    {130, F::kRgba8Srgb},
    {133, F::kB5g6r5},    // 5_6_5
    {134, F::kA1r5g5b5},  // 1_5_5_5
    {135, F::kB5g5r5a1},  // 5_5_5_1
    {136, F::kB4g4r4a4},  // 4_4_4_4
    {137, F::kR4g4},      // 4_4
    {141, F::kD24},       // 8_24
};

// Client's formats whose fields are those of another format with a number, in another order.
struct Alias {
  F client, same_fields;
};
constexpr Alias kAliases[] = {
    {F::kBgra8, F::kRgba8},
    {F::kBgra8Snorm, F::kRgba8Snorm},
    {F::kBgra8Srgb, F::kRgba8Srgb},
    {F::kBgra8ui, F::kRgba8ui},
    {F::kBgra8i, F::kRgba8i},
    {F::kBgr10a2, F::kRgb10a2},
    {F::kBgr10a2Snorm, F::kRgb10a2Snorm},
    {F::kBgr10a2ui, F::kRgb10a2ui},
    {F::kBgr10a2i, F::kRgb10a2i},
    {F::kR5g6b5, F::kB5g6r5},
    {F::kR4g4b4a4, F::kB4g4r4a4},
    {F::kR5g5b5a1, F::kB5g5r5a1},
    {F::kD32f, F::kR32f},
    {F::kD16, F::kR16},
};

uint32_t One(const HardwareFormat& f) { return f.integer() ? 1 : AsBits(1.0f); }

// BC_SWIZZLE of ac_border_color_swizzle, by the channel that DST_SEL gives each component.
uint8_t BorderSwizzle(const Select& select) {
  constexpr uint8_t kX = kSelectX, kY = kSelectX + 1;
  enum : uint8_t { kXyzw, kXwyz, kWzyx, kWxyz, kZyxw, kYxwz };
  if (select[3] == kX) return select[2] == kY ? kWzyx : kWxyz;
  if (select[0] == kX) return select[1] == kY ? kXyzw : kXwyz;
  if (select[1] == kX) return kYxwz;
  if (select[2] == kX) return kZyxw;
  return kXyzw;
}

}  // namespace

absl::StatusOr<HardwareFormat> FormatOf(uint32_t number) {
  for (const Row& row : kRows) {
    if (row.number != number) continue;
    HardwareFormat format{row.texel, row.scaled, scene::ComponentOrder(row.texel),
                          scene::ComponentCount(row.texel)};
    for (int c = format.channels; c < 4; ++c) {
      format.order[static_cast<size_t>(c)] = static_cast<uint8_t>(c);
    }
    return format;
  }
  return absl::UnimplementedError(
      absl::StrFormat("format %d of a descriptor or instruction is not simulated", number));
}

absl::StatusOr<DescribedFormat> DescribeFormat(F format) {
  F same_fields = format;
  for (const Alias& a : kAliases) {
    if (a.client == format) same_fields = a.same_fields;
  }
  const Row* row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.texel == same_fields && !r.scaled; });
  if (row == std::end(kRows) || format == F::kR4g4) {
    return absl::UnimplementedError("the driver has no descriptor for this texel format");
  }
  DescribedFormat described;
  described.number = row->number;
  described.select = {kSelect0, kSelect0, kSelect0, kSelect1};
  const std::array<uint8_t, 4> order = scene::ComponentOrder(format);
  for (size_t c = 0; c < static_cast<size_t>(scene::ComponentCount(format)); ++c) {
    described.select[order[c]] = static_cast<uint8_t>(kSelectX + c);
  }
  described.border_swizzle = BorderSwizzle(described.select);
  return described;
}

scene::Texel Deliver(const HardwareFormat& format, const Select& select,
                     const scene::Texel& texel) {
  scene::Texel result{};
  for (size_t k = 0; k < 4; ++k) {
    if (select[k] >= kSelectX) {
      result[k] = texel[format.order[select[k] - kSelectX]];
    } else if (select[k] == kSelect1) {
      result[k] = One(format);
    }
  }
  return result;
}

scene::Texel LoadTexel(const HardwareFormat& format, const Select& select, const uint8_t* bytes) {
  scene::Texel texel{};
  if (bytes != nullptr) texel = scene::DecodeTexel(format.texel, bytes);
  if (format.scaled) {
    const bool negative = scene::IsSignedFormat(format.texel);
    for (uint32_t& c : texel) {
      c = AsBits(negative ? static_cast<float>(static_cast<int32_t>(c)) : static_cast<float>(c));
    }
  }
  return Deliver(format, select, texel);
}

absl::Status StoreTexel(const HardwareFormat& format, const Select& select,
                        const scene::Texel& texel, uint8_t* bytes) {
  if (format.scaled) return absl::InvalidArgumentError("a store in a scaled format");
  scene::Texel reordered{};
  for (size_t c = 0; c < static_cast<size_t>(format.channels); ++c) {
    for (size_t k = 4; k-- > 0;) {
      if (select[k] == kSelectX + c) reordered[format.order[c]] = texel[k];
    }
  }
  scene::EncodeTexel(format.texel, reordered, bytes);
  return absl::OkStatus();
}

int PackComponents(absl::Span<const uint32_t> components, bool d16, bool integer,
                   absl::Span<uint32_t> dwords) {
  if (!d16) {
    std::copy(components.begin(), components.end(), dwords.begin());
    return static_cast<int>(components.size());
  }
  const size_t count = (components.size() + 1) / 2;
  std::fill_n(dwords.begin(), count, 0);
  for (size_t i = 0; i < components.size(); ++i) {
    const uint32_t half =
        integer ? components[i] & 0xffff
                : scene::DoubleToHalf(AsFloat(components[i]), scene::Rounding::kNearestEven);
    dwords[i / 2] |= half << 16 * (i % 2);
  }
  return static_cast<int>(count);
}

void UnpackComponents(absl::Span<const uint32_t> dwords, bool d16, const HardwareFormat& format,
                      absl::Span<uint32_t> components) {
  for (size_t i = 0; i < components.size(); ++i) {
    if (!d16) {
      components[i] = dwords[i];
      continue;
    }
    const auto half = static_cast<uint16_t>(dwords[i / 2] >> 16 * (i % 2));
    if (!format.integer()) {
      components[i] = AsBits(scene::HalfToFloat(half));
    } else if (scene::IsSignedFormat(format.texel)) {
      components[i] = static_cast<uint32_t>(static_cast<int16_t>(half));
    } else {
      components[i] = half;
    }
  }
}

}  // namespace kiln::sim::rdna2
