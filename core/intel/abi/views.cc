#include "core/intel/abi/views.h"

#include "core/base/cause.h"

namespace kiln::intel {

std::optional<uint32_t> Views::first_without_gaps() const {
  const auto first = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t low = mask >> first;
  if ((low & (low + 1)) != 0) return std::nullopt;
  return first;
}

uint64_t Views::numbers() const {
  uint64_t numbers = 0;
  uint32_t n = 0;
  for (uint32_t view = 0; view < kMaxViews; ++view) {
    if ((mask >> view & 1) != 0) numbers |= uint64_t{view} << 4 * n++;
  }
  return numbers;
}

absl::Status CheckViews(const Views& views) {
  if (views.mask >> kMaxViews == 0) return absl::OkStatus();
  const auto last = static_cast<uint32_t>(std::bit_width(views.mask)) - 1;
  return Unsupported("too_many_views", {"last view drawn", last, kMaxViews - 1});
}

}  // namespace kiln::intel
