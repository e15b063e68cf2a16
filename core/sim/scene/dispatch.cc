// See dispatch.h.
#include "core/sim/scene/dispatch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/sim/scene/address_space.h"

namespace kiln::sim::scene {

namespace {

// The vector that a resource's bytes are in: its own or the window's. `D` is const or not.
template <typename D>
auto& OwnerOf(const std::optional<ByteWindow>& window, D& dispatch) {
  return window->of_image ? dispatch.images[window->index].texels
                          : dispatch.buffers[window->index].bytes;
}

template <typename Byte, typename D>
absl::Span<Byte> Windowed(const std::optional<ByteWindow>& window, D& dispatch) {
  return absl::Span<Byte>(OwnerOf(window, dispatch).data() + window->offset, window->size);
}

bool Fits(const std::optional<ByteWindow>& window, const Dispatch& d) {
  if (!window) return true;
  const ByteWindow& w = *window;
  if (w.index >= (w.of_image ? d.images.size() : d.buffers.size())) return false;
  if (w.of_image ? d.images[w.index].window.has_value() : d.buffers[w.index].window.has_value()) {
    return false;
  }
  const size_t size = OwnerOf(window, d).size();
  return w.offset <= size && w.size <= size - w.offset;
}

}  // namespace

absl::Span<uint8_t> BytesOf(ClientBuffer& buffer, Dispatch& dispatch) {
  if (buffer.window) return Windowed<uint8_t>(buffer.window, dispatch);
  return absl::MakeSpan(buffer.bytes);
}

absl::Span<uint8_t> BytesOf(ClientImage& image, Dispatch& dispatch) {
  if (image.window) return Windowed<uint8_t>(image.window, dispatch);
  return absl::MakeSpan(image.texels);
}

absl::Span<const uint8_t> BytesOf(const ClientBuffer& buffer, const Dispatch& dispatch) {
  if (buffer.window) return Windowed<const uint8_t>(buffer.window, dispatch);
  return buffer.bytes;
}

absl::Span<const uint8_t> BytesOf(const ClientImage& image, const Dispatch& dispatch) {
  if (image.window) return Windowed<const uint8_t>(image.window, dispatch);
  return image.texels;
}

absl::Status CheckWindows(const Dispatch& dispatch) {
  for (const ClientBuffer& b : dispatch.buffers) {
    if (Fits(b.window, dispatch) && !(b.window && b.window->of_image)) continue;
    return absl::InvalidArgumentError("a window that does not lie in a buffer");
  }
  for (const ClientImage& i : dispatch.images) {
    if (Fits(i.window, dispatch)) continue;
    return absl::InvalidArgumentError("a window that does not lie in its resource");
  }
  return absl::OkStatus();
}

absl::Status CheckWorkgroups(const Dispatch& dispatch, bool requires_zero_base) {
  const std::array<uint32_t, 3>&n = dispatch.groups, &base = dispatch.base;
  const std::string from = absl::StrCat("base ", base[0], ",", base[1], ",", base[2]);
  for (int i = 0; i < 3; ++i) {
    if (uint64_t{base[i]} + n[i] > kMaxWorkgroups) {
      return absl::InvalidArgumentError(absl::StrCat("dispatch: ", n[0], " x ", n[1], " x ", n[2],
                                                     " workgroups from ", from, "; at most ",
                                                     kMaxWorkgroups, " in each dimension"));
    }
  }
  if (requires_zero_base && base != std::array<uint32_t, 3>{}) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dispatch: ", from,
        ": the program reads the workgroup id and was not compiled for a base (--dispatch-base)"));
  }
  return absl::OkStatus();
}

void AssignAddresses(absl::Span<ClientBuffer> buffers) {
  constexpr uint64_t kStep = AddressSpace::kAlignment;
  uint64_t next = AddressSpace::kFirstAddress;
  for (ClientBuffer& b : buffers) {
    if (b.window) continue;
    if (b.address == 0) b.address = next;
    next = std::max(next, (b.address + b.bytes.size() + kStep) / kStep * kStep);
  }
  for (ClientBuffer& b : buffers) {
    if (b.window) b.address = buffers[b.window->index].address + b.window->offset;
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
