// See texel.h. A format is a list of bit fields of one kind, from the lowest bit up; sRGB and small
// floats have their own codecs.
#include "core/sim/scene/texel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "core/base/float_bits.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::scene {
namespace {

enum class Kind : uint8_t { kUnorm, kSnorm, kUint, kSint, kFloat, kSrgb, kSmallFloat };

struct Row {
  TexelFormat format;
  std::string_view name;
  Kind kind;
  std::array<uint8_t, 4> bits;      // of the fields; 0: absent
  std::string_view order = "xyzw";  // the components that the fields hold
  uint8_t unused = 0;               // bits behind the last field
};

using F = TexelFormat;

// In the order of enum TexelFormat.
constexpr Row kRows[] = {
    {F::kR8, "r8", Kind::kUnorm, {8}},
    {F::kRg8, "rg8", Kind::kUnorm, {8, 8}},
    {F::kRgba8, "rgba8", Kind::kUnorm, {8, 8, 8, 8}},
    {F::kR8Snorm, "r8_snorm", Kind::kSnorm, {8}},
    {F::kRg8Snorm, "rg8_snorm", Kind::kSnorm, {8, 8}},
    {F::kRgba8Snorm, "rgba8_snorm", Kind::kSnorm, {8, 8, 8, 8}},
    {F::kRgba8Srgb, "rgba8_srgb", Kind::kSrgb, {8, 8, 8, 8}},
    {F::kBgra8, "bgra8", Kind::kUnorm, {8, 8, 8, 8}, "zyxw"},
    {F::kR16, "r16", Kind::kUnorm, {16}},
    {F::kRg16, "rg16", Kind::kUnorm, {16, 16}},
    {F::kRgba16, "rgba16", Kind::kUnorm, {16, 16, 16, 16}},
    {F::kR16Snorm, "r16_snorm", Kind::kSnorm, {16}},
    {F::kRg16Snorm, "rg16_snorm", Kind::kSnorm, {16, 16}},
    {F::kRgba16Snorm, "rgba16_snorm", Kind::kSnorm, {16, 16, 16, 16}},
    {F::kR8ui, "r8ui", Kind::kUint, {8}},
    {F::kRg8ui, "rg8ui", Kind::kUint, {8, 8}},
    {F::kRgba8ui, "rgba8ui", Kind::kUint, {8, 8, 8, 8}},
    {F::kR16ui, "r16ui", Kind::kUint, {16}},
    {F::kRg16ui, "rg16ui", Kind::kUint, {16, 16}},
    {F::kRgba16ui, "rgba16ui", Kind::kUint, {16, 16, 16, 16}},
    {F::kR32ui, "r32ui", Kind::kUint, {32}},
    {F::kRg32ui, "rg32ui", Kind::kUint, {32, 32}},
    {F::kRgba32ui, "rgba32ui", Kind::kUint, {32, 32, 32, 32}},
    {F::kR8i, "r8i", Kind::kSint, {8}},
    {F::kRg8i, "rg8i", Kind::kSint, {8, 8}},
    {F::kRgba8i, "rgba8i", Kind::kSint, {8, 8, 8, 8}},
    {F::kR16i, "r16i", Kind::kSint, {16}},
    {F::kRg16i, "rg16i", Kind::kSint, {16, 16}},
    {F::kRgba16i, "rgba16i", Kind::kSint, {16, 16, 16, 16}},
    {F::kR32i, "r32i", Kind::kSint, {32}},
    {F::kRg32i, "rg32i", Kind::kSint, {32, 32}},
    {F::kRgba32i, "rgba32i", Kind::kSint, {32, 32, 32, 32}},
    {F::kR16f, "r16f", Kind::kFloat, {16}},
    {F::kRg16f, "rg16f", Kind::kFloat, {16, 16}},
    {F::kRgba16f, "rgba16f", Kind::kFloat, {16, 16, 16, 16}},
    {F::kR32f, "r32f", Kind::kFloat, {32}},
    {F::kRg32f, "rg32f", Kind::kFloat, {32, 32}},
    {F::kRgba32f, "rgba32f", Kind::kFloat, {32, 32, 32, 32}},
    {F::kD32f, "d32f", Kind::kFloat, {32}},
    {F::kRgb10a2, "rgb10a2", Kind::kUnorm, {10, 10, 10, 2}},
    {F::kRgb10a2ui, "rgb10a2ui", Kind::kUint, {10, 10, 10, 2}},
    {F::kR11g11b10f, "r11g11b10f", Kind::kSmallFloat, {11, 11, 10}},
    {F::kR8Srgb, "r8_srgb", Kind::kSrgb, {8}},
    {F::kRg8Srgb, "rg8_srgb", Kind::kSrgb, {8, 8}},
    {F::kBgra8Snorm, "bgra8_snorm", Kind::kSnorm, {8, 8, 8, 8}, "zyxw"},
    {F::kBgra8Srgb, "bgra8_srgb", Kind::kSrgb, {8, 8, 8, 8}, "zyxw"},
    {F::kBgra8ui, "bgra8ui", Kind::kUint, {8, 8, 8, 8}, "zyxw"},
    {F::kBgra8i, "bgra8i", Kind::kSint, {8, 8, 8, 8}, "zyxw"},
    {F::kRgb8, "rgb8", Kind::kUnorm, {8, 8, 8}},
    {F::kRgb8Snorm, "rgb8_snorm", Kind::kSnorm, {8, 8, 8}},
    {F::kRgb8Srgb, "rgb8_srgb", Kind::kSrgb, {8, 8, 8}},
    {F::kRgb8ui, "rgb8ui", Kind::kUint, {8, 8, 8}},
    {F::kRgb8i, "rgb8i", Kind::kSint, {8, 8, 8}},
    {F::kBgr8, "bgr8", Kind::kUnorm, {8, 8, 8}, "zyx"},
    {F::kBgr8Snorm, "bgr8_snorm", Kind::kSnorm, {8, 8, 8}, "zyx"},
    {F::kBgr8Srgb, "bgr8_srgb", Kind::kSrgb, {8, 8, 8}, "zyx"},
    {F::kBgr8ui, "bgr8ui", Kind::kUint, {8, 8, 8}, "zyx"},
    {F::kBgr8i, "bgr8i", Kind::kSint, {8, 8, 8}, "zyx"},
    {F::kRgb16, "rgb16", Kind::kUnorm, {16, 16, 16}},
    {F::kRgb16Snorm, "rgb16_snorm", Kind::kSnorm, {16, 16, 16}},
    {F::kRgb16ui, "rgb16ui", Kind::kUint, {16, 16, 16}},
    {F::kRgb16i, "rgb16i", Kind::kSint, {16, 16, 16}},
    {F::kRgb16f, "rgb16f", Kind::kFloat, {16, 16, 16}},
    {F::kRgb32ui, "rgb32ui", Kind::kUint, {32, 32, 32}},
    {F::kRgb32i, "rgb32i", Kind::kSint, {32, 32, 32}},
    {F::kRgb32f, "rgb32f", Kind::kFloat, {32, 32, 32}},
    {F::kRgb10a2Snorm, "rgb10a2_snorm", Kind::kSnorm, {10, 10, 10, 2}},
    {F::kRgb10a2i, "rgb10a2i", Kind::kSint, {10, 10, 10, 2}},
    {F::kBgr10a2, "bgr10a2", Kind::kUnorm, {10, 10, 10, 2}, "zyxw"},
    {F::kBgr10a2Snorm, "bgr10a2_snorm", Kind::kSnorm, {10, 10, 10, 2}, "zyxw"},
    {F::kBgr10a2ui, "bgr10a2ui", Kind::kUint, {10, 10, 10, 2}, "zyxw"},
    {F::kBgr10a2i, "bgr10a2i", Kind::kSint, {10, 10, 10, 2}, "zyxw"},
    {F::kR4g4, "r4g4", Kind::kUnorm, {4, 4}, "yx"},
    {F::kR4g4b4a4, "r4g4b4a4", Kind::kUnorm, {4, 4, 4, 4}, "wzyx"},
    {F::kB4g4r4a4, "b4g4r4a4", Kind::kUnorm, {4, 4, 4, 4}, "wxyz"},
    {F::kR5g6b5, "r5g6b5", Kind::kUnorm, {5, 6, 5}, "zyx"},
    {F::kB5g6r5, "b5g6r5", Kind::kUnorm, {5, 6, 5}},
    {F::kR5g5b5a1, "r5g5b5a1", Kind::kUnorm, {1, 5, 5, 5}, "wzyx"},
    {F::kB5g5r5a1, "b5g5r5a1", Kind::kUnorm, {1, 5, 5, 5}, "wxyz"},
    {F::kA1r5g5b5, "a1r5g5b5", Kind::kUnorm, {5, 5, 5, 1}, "zyxw"},
    {F::kD16, "d16", Kind::kUnorm, {16}},
    {F::kD24, "d24", Kind::kUnorm, {24}, "xyzw", 8},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (static_cast<size_t>(kRows[i].format) != i) return false;
  }
  return true;
}
static_assert(InOrder());

const Row& RowOf(TexelFormat format) { return kRows[static_cast<int>(format)]; }

uint32_t Mask(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

int32_t SignExtend(uint32_t v, int bits) {
  return static_cast<int32_t>(v << (32 - bits)) >> (32 - bits);
}

// Returns the component that field i holds.
int ComponentOf(const Row& r, int i) {
  constexpr std::string_view kComponents = "xyzw";
  return static_cast<int>(kComponents.find(r.order[static_cast<size_t>(i)]));
}

double SrgbToLinear(double c) {
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double LinearToSrgb(double c) {
  return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

// Unsigned floats with 5 exponent bits: the upper bits of a positive half.
float SmallToFloat(uint32_t v, int bits) {
  return HalfToFloat(static_cast<uint16_t>(v << (15 - bits)));
}

uint32_t FloatToSmall(float v, int bits) {
  const int shift = 15 - bits;
  if (std::isnan(v)) return 0x7fffu >> shift;
  if (!(v > 0)) return 0;
  if (std::isinf(v)) return 0x7c00u >> shift;
  const uint16_t half = DoubleToHalf(v, Rounding::kZero);
  // Values that are too large become the largest finite number.
  return std::min<uint32_t>(half, 0x7bff) >> shift;
}

// Scaled, clamped and rounded to nearest even; NaN gives 0.
uint32_t Quantise(double v, double low, double scale) {
  if (std::isnan(v)) return 0;
  return static_cast<uint32_t>(
      static_cast<int32_t>(std::nearbyint(std::clamp(v, low, 1.0) * scale)));
}

uint32_t DecodeComponent(Kind kind, int index, uint32_t v, int bits) {
  switch (kind) {
    case Kind::kUnorm: return AsBits(static_cast<float>(double{v * 1.0} / Mask(bits)));
    case Kind::kSrgb: {
      const double c = v / 255.0;
      return AsBits(static_cast<float>(index == 3 ? c : SrgbToLinear(c)));
    }
    case Kind::kSnorm:
      return AsBits(static_cast<float>(
          std::max(-1.0, SignExtend(v, bits) / static_cast<double>(Mask(bits - 1)))));
    case Kind::kUint: return v;
    case Kind::kSint: return static_cast<uint32_t>(SignExtend(v, bits));
    case Kind::kFloat: return bits == 32 ? v : AsBits(HalfToFloat(static_cast<uint16_t>(v)));
    case Kind::kSmallFloat: return AsBits(SmallToFloat(v, bits));
  }
  return 0;
}

uint32_t EncodeComponent(Kind kind, int index, uint32_t v, int bits) {
  switch (kind) {
    case Kind::kUnorm: return Quantise(AsFloat(v), 0, Mask(bits));
    case Kind::kSrgb: {
      const double c = std::clamp<double>(std::isnan(AsFloat(v)) ? 0 : AsFloat(v), 0, 1);
      return Quantise(index == 3 ? c : LinearToSrgb(c), 0, 255);
    }
    case Kind::kSnorm: return Quantise(AsFloat(v), -1, Mask(bits - 1));
    case Kind::kUint: return std::min(v, Mask(bits));
    case Kind::kSint: {
      const int32_t top = static_cast<int32_t>(Mask(bits - 1));
      return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(v), -top - 1, top));
    }
    case Kind::kFloat: return bits == 32 ? v : DoubleToHalf(AsFloat(v), Rounding::kNearestEven);
    case Kind::kSmallFloat: return FloatToSmall(AsFloat(v), bits);
  }
  return 0;
}

// A texel's memory as 128 bits, so that fields need not be aligned to bytes.
struct Words {
  std::array<uint64_t, 2> w = {0, 0};
  uint32_t Get(int at, int bits) const {
    return static_cast<uint32_t>(w[at / 64] >> (at % 64)) & Mask(bits);
  }
  void Set(int at, int bits, uint32_t v) {
    uint64_t& word = w[at / 64];
    word &= ~(uint64_t{Mask(bits)} << (at % 64));
    word |= uint64_t{v & Mask(bits)} << (at % 64);
  }
};

}  // namespace

std::optional<TexelFormat> TexelFormatNamed(std::string_view name) {
  for (const Row& r : kRows) {
    if (r.name == name) return r.format;
  }
  return std::nullopt;
}

int TexelBytes(TexelFormat format) {
  int bits = RowOf(format).unused;
  for (int b : RowOf(format).bits) bits += b;
  return bits / 8;
}

int ComponentCount(TexelFormat format) {
  int count = 0;
  for (int bits : RowOf(format).bits) count += bits != 0;
  return count;
}

std::array<uint8_t, 4> ComponentOrder(TexelFormat format) {
  std::array<uint8_t, 4> order{};
  for (int i = 0; i < ComponentCount(format); ++i) {
    order[static_cast<size_t>(i)] = static_cast<uint8_t>(ComponentOf(RowOf(format), i));
  }
  return order;
}

bool IsIntegerFormat(TexelFormat format) {
  const Kind kind = RowOf(format).kind;
  return kind == Kind::kUint || kind == Kind::kSint;
}

bool IsNormalizedFormat(TexelFormat format) {
  const Kind kind = RowOf(format).kind;
  return kind == Kind::kUnorm || kind == Kind::kSnorm || kind == Kind::kSrgb;
}

bool IsSignedFormat(TexelFormat format) {
  const Kind kind = RowOf(format).kind;
  return kind == Kind::kSnorm || kind == Kind::kSint || kind == Kind::kFloat;
}

bool HasLogicOps(TexelFormat format) {
  const Kind kind = RowOf(format).kind;
  return kind != Kind::kFloat && kind != Kind::kSmallFloat && kind != Kind::kSrgb;
}

bool IsDepthFormat(TexelFormat format) {
  return format == F::kD16 || format == F::kD24 || format == F::kD32f;
}

Texel DecodeTexel(TexelFormat format, const uint8_t* bytes) {
  const Row& r = RowOf(format);
  Words words;
  std::memcpy(words.w.data(), bytes, TexelBytes(format));
  Texel t = {0, 0, 0, IsIntegerFormat(format) ? 1u : AsBits(1.0f)};
  int at = 0;
  for (int i = 0; i < 4 && r.bits[i] != 0; ++i) {
    const int c = ComponentOf(r, i);
    t[c] = DecodeComponent(r.kind, c, words.Get(at, r.bits[i]), r.bits[i]);
    at += r.bits[i];
  }
  return t;
}

void EncodeTexel(TexelFormat format, const Texel& texel, uint8_t* bytes) {
  std::memset(bytes, 0, TexelBytes(format));
  EncodeComponents(format, texel, 0xf, bytes);
}

void EncodeComponents(TexelFormat format, const Texel& texel, uint8_t mask, uint8_t* bytes) {
  const Row& r = RowOf(format);
  Words words;
  std::memcpy(words.w.data(), bytes, TexelBytes(format));
  int at = 0;
  for (int i = 0; i < 4 && r.bits[i] != 0; ++i) {
    const int c = ComponentOf(r, i);
    if ((mask >> c & 1) != 0) {
      words.Set(at, r.bits[i], EncodeComponent(r.kind, c, texel[c], r.bits[i]));
    }
    at += r.bits[i];
  }
  std::memcpy(bytes, words.w.data(), TexelBytes(format));
}

}  // namespace kiln::sim::scene
