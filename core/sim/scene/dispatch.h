// The data of one run of a program: buffers, images, samplers and push constants of the client, and
// the workgroups, fragments or vertices that the program runs for.
#ifndef KILN_CORE_SIM_SCENE_DISPATCH_H_
#define KILN_CORE_SIM_SCENE_DISPATCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/out/resources.h"
#include "core/sim/scene/fragment.h"
#include "core/sim/scene/image.h"
#include "core/sim/scene/time_limit.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::scene {

// A uniform or storage buffer of the client.
struct ClientBuffer {
  bool bound = true;         // false: reached by its address only
  out::DescriptorRef where;  // when bound
  uint64_t address = 0;      // in the flat address space; see AssignAddresses
  std::vector<uint8_t> bytes;
  std::optional<ByteWindow> window;  // where the bytes are instead; then of a buffer
  bool null_surface = false;         // the null descriptor: no bytes, size 0; reads give 0
};

// Maximum number of workgroups in each dimension of a dispatch, base included: Vulkan 1.3,
// "Required Limits", maxComputeWorkGroupCount, which the drivers of all targets offer.
inline constexpr uint32_t kMaxWorkgroups = 65535;

// The inputs and outputs of a run. Fragment programs use `draw`, vertex programs `vertices`,
// instead of groups and base.
struct Dispatch {
  std::vector<ClientBuffer> buffers;  // read and written
  std::vector<ClientImage> images;    // and texel buffers; read and written
  std::vector<ClientSampler> samplers;
  std::vector<uint8_t> push_constants;
  std::array<uint32_t, 3> groups = {1, 1, 1};
  std::array<uint32_t, 3> base = {0, 0, 0};  // with groups at most kMaxWorkgroups in each
  std::optional<FragmentInputs> draw;
  std::optional<VertexInputs> vertices;
  TimeLimit limit;  // of the run and of what came before it; by default none
};

// Returns the bytes of a resource, which may be a window of another one's.
absl::Span<uint8_t> BytesOf(ClientBuffer& buffer, Dispatch& dispatch);
absl::Span<uint8_t> BytesOf(ClientImage& image, Dispatch& dispatch);
absl::Span<const uint8_t> BytesOf(const ClientBuffer& buffer, const Dispatch& dispatch);
absl::Span<const uint8_t> BytesOf(const ClientImage& image, const Dispatch& dispatch);

// Checks that windows lie inside resources that are none. InvalidArgument.
absl::Status CheckWindows(const Dispatch& dispatch);

// Checks that the dispatch has no more workgroups than kMaxWorkgroups, and a base only if the
// program adds it (`requires_zero_base` is the launch record's). InvalidArgument.
absl::Status CheckWorkgroups(const Dispatch& dispatch, bool requires_zero_base);

// Gives every buffer without address one, as a run would. Call it first if data contains addresses.
// A window's address lies in its buffer.
void AssignAddresses(absl::Span<ClientBuffer> buffers);

inline bool IsBound(const ClientBuffer& b) { return b.bound; }
inline bool IsBound(const ClientImage&) { return true; }
inline bool IsBound(const ClientSampler&) { return true; }

// Finds the client's object for a descriptor, null if there is none; array elements that are not
// given repeat another one. T: ClientBuffer, ClientImage or ClientSampler.
template <typename T>
T* FindBound(std::vector<T>& given, const out::DescriptorRef& where) {
  T* any = nullptr;
  for (T& b : given) {
    if (!IsBound(b) || b.where.set != where.set || b.where.binding != where.binding) continue;
    if (b.where.element == where.element) return &b;
    if (any == nullptr) any = &b;
  }
  return any;
}

// Returns the number of elements of an array without length from `first` on: it ends with the last
// element given.
uint32_t CountBound(const Dispatch& dispatch, const out::DescriptorRef& first);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_DISPATCH_H_
