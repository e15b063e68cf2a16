// The views of multiview: finds the view that an instance of the hardware is for.
//
// A draw has its instances once for each view, in ascending order of views. With n views, instance
// i of the hardware is instance i / n of the client, for the view that is number i % n of those in
// the mask (core/intel/ABI.md, "Views"). Programs divide by multiplying, which is exact for as many
// instances as Vulkan requires under multiview (maxMultiviewInstanceIndex, at least 2^27 - 1).
//
// Sources: Mesa 25.0.7, anv_nir_lower_multiview.c (instances times views), anv_physical_device.c
// (16 views); T. Granlund, P. Montgomery, "Division by Invariant Integers using Multiplication".
#ifndef KILN_CORE_INTEL_ABI_VIEWS_H_
#define KILN_CORE_INTEL_ABI_VIEWS_H_

#include <bit>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"

namespace kiln::intel {

inline constexpr uint32_t kMaxViews = 16;  // numbers are 0 to 15
// instances of a draw, as the client counts
inline constexpr uint64_t kViewedInstances = 1ull << 27;

struct Views {
  uint32_t mask = 0;  // 0: no multiview

  bool on() const { return mask != 0; }
  // Returns how often each instance is drawn.
  uint32_t count() const { return on() ? static_cast<uint32_t>(std::popcount(mask)) : 1; }
  bool several() const { return count() > 1; }
  // Returns the view of all runs, if it is known; 0 without multiview.
  std::optional<uint32_t> only() const {
    if (several()) return std::nullopt;
    return on() ? static_cast<uint32_t>(std::countr_zero(mask)) : 0;
  }
  // For masks without gaps, the first view: the n-th in the mask is n plus this.
  std::optional<uint32_t> first_without_gaps() const;
  // Returns the views in ascending order, four bits each, the first lowest.
  uint64_t numbers() const;
};

// n / divisor is (n * multiplier) >> (32 + shift), for every n below divisor * kViewedInstances.
struct Reciprocal {
  uint32_t multiplier = 0;
  uint32_t shift = 0;
};

// `divisor` is 3 to 15, and no power of two.
constexpr Reciprocal ReciprocalOf(uint32_t divisor) {
  const auto shift = static_cast<uint32_t>(std::bit_width(divisor)) - 1;
  return {static_cast<uint32_t>((1ull << (32 + shift)) / divisor + 1), shift};
}

// Returns Unimplemented (too_many_views) if the mask names views beyond the last.
absl::Status CheckViews(const Views& views);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_VIEWS_H_
