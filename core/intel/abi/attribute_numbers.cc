#include "core/intel/abi/attribute_numbers.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel {
namespace {

using Slots = absl::Span<const std::optional<uint32_t>>;

constexpr uint32_t kRouted = 16;        // entries of 3DSTATE_SBE_SWIZ
constexpr uint32_t kSlotsOfOffset = 2;  // Vertex URB Entry Read Offset counts pairs

absl::Status Refuse(const Detail& detail) { return BeyondLimit("fragment_inputs", detail); }

// Returns the first slot that is read.
uint32_t FirstSlot(Slots slots) {
  uint32_t first = ~uint32_t{0};
  for (const std::optional<uint32_t>& s : slots) first = std::min(first, s.value_or(first));
  return first - first % kSlotsOfOffset;
}

class Numberer {
 public:
  explicit Numberer(Slots slots)
      : slots_(slots), first_(FirstSlot(slots)), numbers_(slots.size()) {}

  absl::StatusOr<std::vector<uint32_t>> Run() {
    for (const std::optional<uint32_t>& s : slots_) {
      if (s && *s - first_ >= kMaxSetupSlots) {
        return Refuse({absl::StrCat("slots of the vertex from slot ", first_, ", the first read"),
                       *s - first_ + 1, kMaxSetupSlots});
      }
    }
    if (slots_.size() <= kRouted) {
      std::iota(numbers_.begin(), numbers_.end(), 0);
      return numbers_;
    }
    Divide();
    if (routed_.size() > kRouted) {
      return Refuse({"attributes that must be routed", routed_.size(), kRouted});
    }
    for (size_t i = 0; i < routed_.size(); ++i) Give(routed_[i], static_cast<uint32_t>(i));
    for (uint32_t n = kRouted; n < kMaxSetupSlots; ++n) {
      if (own_[n]) Give(*own_[n], n);
    }
    for (const size_t attribute : made_) {
      const auto free = std::find(taken_.begin(), taken_.end(), false);
      if (free == taken_.end()) {
        return Refuse({"attributes that are read", slots_.size(), kMaxSetupSlots});
      }
      Give(attribute, static_cast<uint32_t>(free - taken_.begin()));
    }
    return numbers_;
  }

 private:
  // Divides attributes into those that must be routed, those that can have the number of their
  // slot, and those that fixed functions make.
  void Divide() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i]) {
        made_.push_back(i);
      } else if (const uint32_t n = *slots_[i] - first_; n >= kRouted && !own_[n]) {
        own_[n] = i;
      } else {
        routed_.push_back(i);
      }
    }
    for (uint32_t n = kMaxSetupSlots; n-- > kRouted && routed_.size() < kRouted;) {
      if (!own_[n]) continue;
      routed_.push_back(*own_[n]);
      own_[n].reset();
    }
    std::sort(routed_.begin(), routed_.end());
  }

  void Give(size_t attribute, uint32_t number) {
    numbers_[attribute] = number;
    taken_[number] = true;
  }

  const Slots slots_;
  const uint32_t first_;
  std::vector<uint32_t> numbers_;  // by attribute
  std::vector<size_t> routed_;
  std::array<std::optional<size_t>, kMaxSetupSlots> own_;  // by number: the attribute in that slot
  std::vector<size_t> made_;
  std::array<bool, kMaxSetupSlots> taken_{};  // by number
};

}  // namespace

absl::StatusOr<std::vector<uint32_t>> NumberAttributes(Slots slots) {
  return Numberer(slots).Run();
}

}  // namespace kiln::intel
