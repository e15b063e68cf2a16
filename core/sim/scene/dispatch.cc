// See dispatch.h.
#include "core/sim/scene/dispatch.h"

#include <algorithm>

#include "core/sim/scene/address_space.h"

namespace kiln::sim::scene {

void AssignAddresses(absl::Span<ClientBuffer> buffers) {
  constexpr uint64_t kStep = AddressSpace::kAlignment;
  uint64_t next = AddressSpace::kFirstAddress;
  for (ClientBuffer& b : buffers) {
    if (b.address == 0) b.address = next;
    next = std::max(next, (b.address + b.bytes.size() + kStep) / kStep * kStep);
  }
}

uint32_t CountBound(const Dispatch& dispatch, const out::DescriptorRef& first) {
  uint32_t count = 0;
  const auto note = [&](const auto& given) {
    for (const auto& g : given) {
      const out::DescriptorRef& w = g.where;
      if (!IsBound(g) || w.set != first.set || w.binding != first.binding) continue;
      if (w.element >= first.element) count = std::max(count, w.element - first.element + 1);
    }
  };
  note(dispatch.buffers);
  note(dispatch.images);
  note(dispatch.samplers);
  return count;
}

}  // namespace kiln::sim::scene
