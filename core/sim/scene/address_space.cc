// See address_space.h. Lookup is a binary search over the allocations.
#include "core/sim/scene/address_space.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::scene {

uint64_t AddressSpace::Map(absl::Span<uint8_t> data) {
  const uint64_t address = next_;
  // Cannot fail: next_ is beyond every mapping.
  MapAt(address, data).IgnoreError();
  return address;
}

absl::Status AddressSpace::MapAt(uint64_t address, absl::Span<uint8_t> data) {
  if (address % kAlignment != 0) {
    return absl::InvalidArgumentError(absl::StrFormat("address 0x%x is not aligned", address));
  }
  auto at = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                             [](uint64_t a, const Mapping& m) { return a < m.address; });
  const bool before =
      at != mappings_.begin() && std::prev(at)->address + std::prev(at)->data.size() > address;
  const bool after = at != mappings_.end() && address + data.size() > at->address;
  if (before || after) {
    return absl::InvalidArgumentError(absl::StrFormat("address 0x%x is taken", address));
  }
  mappings_.insert(at, Mapping{address, data});
  const uint64_t end = (address + data.size() + kAlignment) / kAlignment * kAlignment;
  next_ = std::max(next_, end);
  return absl::OkStatus();
}

absl::StatusOr<uint8_t*> AddressSpace::Resolve(uint64_t address, uint64_t bytes) const {
  auto at = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                             [](uint64_t a, const Mapping& m) { return a < m.address; });
  if (at != mappings_.begin()) {
    const Mapping& m = *std::prev(at);
    const uint64_t offset = address - m.address;
    if (offset <= m.data.size() && m.data.size() - offset >= bytes) return m.data.data() + offset;
  }
  return absl::OutOfRangeError(
      absl::StrFormat("address 0x%x (%d bytes) lies in no allocation", address, bytes));
}

}  // namespace kiln::sim::scene
