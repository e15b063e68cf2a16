// The bit range of each field of the 128-bit encoding, per generation. Encoder and decoder share it
// and know no bit numbers themselves.
//
// A field has up to five pieces of bits, most significant first (descriptors of sends are
// scattered). Lookups are O(1); getting or setting costs one step per piece.
#ifndef KILN_CORE_INTEL_ISA_FIELDS_H_
#define KILN_CORE_INTEL_ISA_FIELDS_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/intel/isa/columns.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// One full instruction as a 128-bit number; bytes are little endian.
struct Word128 {
  uint64_t lo = 0;
  uint64_t hi = 0;
  friend bool operator==(const Word128&, const Word128&) = default;
};

Word128 FromBytes(absl::Span<const uint8_t> bytes);  // 16 bytes
std::array<uint8_t, 16> ToBytes(const Word128& word);

constexpr uint64_t LowBits(int width) {
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

// Returns bits high..low of the word, both within one 64-bit half.
[[gnu::always_inline]] inline uint64_t GetBits(const Word128& word, int high, int low) {
  assert((high < 64) == (low < 64) && high >= low);
  const uint64_t half = low < 64 ? word.lo : word.hi;
  return half >> (low & 63) & LowBits(high - low + 1);
}
[[gnu::always_inline]] inline void SetBits(Word128& word, int high, int low, uint64_t value) {
  assert((high < 64) == (low < 64) && high >= low);
  uint64_t& half = low < 64 ? word.lo : word.hi;
  const uint64_t mask = LowBits(high - low + 1);
  assert((value & ~mask) == 0);
  half = (half & ~(mask << (low & 63))) | value << (low & 63);
}

enum class Field : uint8_t {
#define KILN_EU_FIELD(name, g75, g9, g12) k##name,
#include "core/intel/isa/fields.def"
#undef KILN_EU_FIELD
};

// The fields of source 0 and source 1 of the one- and two-source forms.
struct SourceFields {
  Field type, absolute, negate, is_imm, hstride, is_grf, subnr, nr, address_imm, address_sub,
      indirect, width, vstride;
};

inline constexpr SourceFields kSourceFields[2] = {
    {Field::kSrc0Type, Field::kSrc0Absolute, Field::kSrc0Negate, Field::kSrc0IsImm,
     Field::kSrc0Hstride, Field::kSrc0IsGrf, Field::kSrc0SubNr, Field::kSrc0Nr,
     Field::kSrc0AddressImm, Field::kSrc0AddressSub, Field::kSrc0Indirect, Field::kSrc0Width,
     Field::kSrc0Vstride},
    {Field::kSrc1Type, Field::kSrc1Absolute, Field::kSrc1Negate, Field::kSrc1IsImm,
     Field::kSrc1Hstride, Field::kSrc1IsGrf, Field::kSrc1SubNr, Field::kSrc1Nr,
     Field::kSrc1AddressImm, Field::kSrc1AddressSub, Field::kSrc1Indirect, Field::kSrc1Width,
     Field::kSrc1Vstride}};

inline constexpr int kMaxPieces = 5;

struct FieldLayout {
  absl::string_view name;
  Cell cell = Cell::kUnfilled;
  uint8_t pieces = 0;
  struct {
    uint8_t high = 0, low = 0;
  } piece[kMaxPieces];
  uint8_t width = 0;  // bits in all
};

namespace internal {

constexpr FieldLayout MakeLayout(absl::string_view name, std::initializer_list<int> bits) {
  FieldLayout layout;
  layout.name = name;
  layout.cell = Cell::kValue;
  const int* p = bits.begin();
  for (; p != bits.end(); p += 2) {
    auto& piece = layout.piece[layout.pieces++];
    piece.high = static_cast<uint8_t>(p[0]);
    piece.low = static_cast<uint8_t>(p[1]);
    layout.width = static_cast<uint8_t>(layout.width + p[0] - p[1] + 1);
  }
  return layout;
}

constexpr FieldLayout MakeLayout(absl::string_view name, Cell cell) {
  FieldLayout layout;
  layout.name = name;
  layout.cell = cell;
  return layout;
}

}  // namespace internal

#define ABSENT Cell::kAbsent
#define UNFILLED Cell::kUnfilled
#define R(...) \
  { __VA_ARGS__ }

inline constexpr FieldLayout kFieldLayouts[][kGenerationCount] = {
#define KILN_EU_FIELD(name, g75, g9, g12)                             \
  {internal::MakeLayout(#name, g75), internal::MakeLayout(#name, g9), \
   internal::MakeLayout(#name, g12)},
#include "core/intel/isa/fields.def"
#undef KILN_EU_FIELD
};

#undef R
#undef UNFILLED
#undef ABSENT

inline constexpr ColumnTable kFieldTable = {
    "field", std::size(kFieldLayouts), [](size_t row) { return kFieldLayouts[row][0].name; },
    [](Generation gen, size_t row) { return kFieldLayouts[row][Index(gen)].cell; }};

template <Generation gen>
constexpr const FieldLayout& Layout(Field field) {
  static_assert(IsFilled(kFieldTable, gen));
  return kFieldLayouts[static_cast<int>(field)][Index(gen)];
}

// Defined in the header, because most callers name the field, and all but a shift and a mask then
// folds away. A field that the generation lacks reads as 0.
template <Generation gen>
[[gnu::always_inline]] inline uint64_t GetField(const Word128& word, Field field) {
  const FieldLayout& layout = Layout<gen>(field);
  if (layout.pieces == 1) return GetBits(word, layout.piece[0].high, layout.piece[0].low);
  uint64_t value = 0;
  for (int i = 0; i < layout.pieces; ++i) {
    const auto& piece = layout.piece[i];
    value = value << (piece.high - piece.low + 1) | GetBits(word, piece.high, piece.low);
  }
  return value;
}

// The value must fit (asserted; the encoder checks before); in a field that the generation lacks it
// must be 0.
template <Generation gen>
[[gnu::always_inline]] inline void SetField(Word128& word, Field field, uint64_t value) {
  const FieldLayout& layout = Layout<gen>(field);
  assert((value & ~LowBits(layout.width)) == 0);
  if (layout.pieces == 1) {
    return SetBits(word, layout.piece[0].high, layout.piece[0].low, value);
  }
  for (int i = layout.pieces - 1; i >= 0; --i) {
    const auto& piece = layout.piece[i];
    const int width = piece.high - piece.low + 1;
    SetBits(word, piece.high, piece.low, value & LowBits(width));
    value >>= width;
  }
}

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_FIELDS_H_
