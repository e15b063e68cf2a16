// The field table, built from fields.def at compile time.
#include "core/intel/isa/fields.h"

#include <cassert>
#include <initializer_list>

namespace kiln::intel::isa {
namespace {

constexpr FieldLayout MakeLayout(absl::string_view name, std::initializer_list<int> bits) {
  FieldLayout layout;
  layout.name = name;
  const int* p = bits.begin();
  for (; p != bits.end(); p += 2) {
    auto& piece = layout.piece[layout.pieces++];
    piece.high = static_cast<uint8_t>(p[0]);
    piece.low = static_cast<uint8_t>(p[1]);
    layout.width = static_cast<uint8_t>(layout.width + p[0] - p[1] + 1);
  }
  return layout;
}

#define NONE \
  {}
#define R(...) \
  { __VA_ARGS__ }

constexpr FieldLayout kLayouts[][3] = {
#define KILN_EU_FIELD(name, g75, g9, g12) \
  {MakeLayout(#name, g75), MakeLayout(#name, g9), MakeLayout(#name, g12)},
#include "core/intel/isa/fields.def"
#undef KILN_EU_FIELD
};

#undef NONE
#undef R

constexpr uint64_t Mask(int width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

}  // namespace

Word128 FromBytes(absl::Span<const uint8_t> bytes) {
  assert(bytes.size() >= 16);
  Word128 word;
  for (int i = 7; i >= 0; --i) {
    word.lo = word.lo << 8 | bytes[i];
    word.hi = word.hi << 8 | bytes[8 + i];
  }
  return word;
}

std::array<uint8_t, 16> ToBytes(const Word128& word) {
  std::array<uint8_t, 16> bytes;
  for (int i = 0; i < 8; ++i) {
    bytes[i] = static_cast<uint8_t>(word.lo >> (8 * i));
    bytes[8 + i] = static_cast<uint8_t>(word.hi >> (8 * i));
  }
  return bytes;
}

uint64_t GetBits(const Word128& word, int high, int low) {
  assert((high < 64) == (low < 64) && high >= low);
  const uint64_t half = low < 64 ? word.lo : word.hi;
  return half >> (low & 63) & Mask(high - low + 1);
}

void SetBits(Word128& word, int high, int low, uint64_t value) {
  assert((high < 64) == (low < 64) && high >= low);
  uint64_t& half = low < 64 ? word.lo : word.hi;
  const uint64_t mask = Mask(high - low + 1);
  assert((value & ~mask) == 0);
  half = (half & ~(mask << (low & 63))) | value << (low & 63);
}

const FieldLayout& Layout(Generation gen, Field field) {
  return kLayouts[static_cast<int>(field)][static_cast<int>(gen)];
}

uint64_t GetField(Generation gen, const Word128& word, Field field) {
  const FieldLayout& layout = Layout(gen, field);
  assert(layout.pieces > 0);
  uint64_t value = 0;
  for (int i = 0; i < layout.pieces; ++i) {
    const auto& piece = layout.piece[i];
    value = value << (piece.high - piece.low + 1) | GetBits(word, piece.high, piece.low);
  }
  return value;
}

void SetField(Generation gen, Word128& word, Field field, uint64_t value) {
  const FieldLayout& layout = Layout(gen, field);
  assert(layout.pieces > 0 && (value & ~Mask(layout.width)) == 0);
  for (int i = layout.pieces - 1; i >= 0; --i) {
    const auto& piece = layout.piece[i];
    const int width = piece.high - piece.low + 1;
    SetBits(word, piece.high, piece.low, value & Mask(width));
    value >>= width;
  }
}

}  // namespace kiln::intel::isa
