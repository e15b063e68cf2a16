// Converts words to and from bytes.
#include "core/intel/isa/fields.h"

#include <cassert>

namespace kiln::intel::isa {
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

}  // namespace kiln::intel::isa
