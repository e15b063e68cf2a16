#include "core/front/state/pointer.h"

#include <algorithm>

namespace kiln::front {
namespace {

constexpr uint32_t kMaxAlign = 64;

}  // namespace

uint32_t LowBit(uint32_t x) { return x == 0 ? kMaxAlign : std::min(kMaxAlign, x & (0u - x)); }

uint32_t AlignmentOf(const Pointer& pointer, uint32_t offset, uint32_t bytes) {
  uint32_t known = std::min(pointer.dynamic.valid() ? pointer.align : kMaxAlign, LowBit(offset));
  if (pointer.space == Pointer::kPhysical) {
    // The alignment of the first byte as the access gives it; otherwise the one that Vulkan
    // requires of every element.
    const uint32_t first = pointer.given_align != 0 ? pointer.given_align : bytes;
    known = std::min({kMaxAlign, LowBit(first), LowBit(offset - pointer.offset)});
  }
  return known;
}

}  // namespace kiln::front
