// Typed 32-bit indices.
//
// Every IR entity lives in a dense array and is named by its index. Distinct tag types keep a
// value from being used where an instruction is meant; the all-ones index means "none".
#ifndef KILN_CORE_BASE_IDS_H_
#define KILN_CORE_BASE_IDS_H_

#include <cstddef>
#include <cstdint>

namespace kiln {

template <class Tag>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffu;

  uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(size_t i) : index(static_cast<uint32_t>(i)) {}

  constexpr bool valid() const { return index != kNone; }
  constexpr explicit operator bool() const { return valid(); }

  friend constexpr bool operator==(Id a, Id b) { return a.index == b.index; }
  friend constexpr bool operator!=(Id a, Id b) { return a.index != b.index; }
  friend constexpr bool operator<(Id a, Id b) { return a.index < b.index; }
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_IDS_H_
