// Execution of messages to memory: data-port reads, writes and atomics here, typed surfaces and the
// sampler in typed.h and sampler.h.
//
// The caller passes the payload registers, the enabled channels and the memory; results are written
// to the destination registers at once (scoreboard.h and memory_order.h model their delay). Lanes
// act in ascending (or, if asked for, descending) order, so atomics are deterministic. Sources of
// payload layouts: the descriptor explanations of `iga64 -Xdsd` and Mesa's binaries.
#ifndef KILN_CORE_SIM_EU_DATAPORT_H_
#define KILN_CORE_SIM_EU_DATAPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/sim/eu/memory.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/thread.h"
#include "core/sim/scene/address_space.h"
#include "core/sim/scene/filter.h"

namespace kiln::sim::eu {

// All memory that messages of a workgroup's threads can reach.
struct MemoryView {
  std::vector<Surface> surfaces;  // by SurfacePlace (index); null data: nothing bound
  Surface shared;                 // surface 254
  Surface scratch;                // stateless space, all threads
  const scene::AddressSpace* addresses = nullptr;
  std::vector<scene::ImageView> images;               // by SurfacePlace (index); null image: none
  std::vector<const scene::ClientSampler*> samplers;  // by sampler index; null: none
  std::vector<const scene::ClientSampler*> bindless_samplers;  // by number (BindlessSampler)
  bool descending = false;                                     // lanes act in descending order
  // The client's names, "set 0 binding 1"; missing entries and empty names: no name.
  std::vector<std::string> surface_names;           // by SurfacePlace
  std::vector<std::string> sampler_names;           // by sampler index
  std::vector<std::string> bindless_sampler_names;  // by number
  // Counts accesses of lanes (or blocks) outside buffers and images; may be null.
  uint64_t* outside = nullptr;

  std::string SurfaceText(const Message& message) const;  // "set 0 binding 1 (surface 3)"
};

// Handles are invented such that they cannot be mistaken for small numbers, table indices or
// addresses: a surface handle is the number of a surface state in bits 31:12, a sampler handle the
// 32-byte aligned offset of a sampler state with bit 0 set, which selects the bindless sampler
// state base.
inline constexpr uint32_t kFirstBindlessSurface = 0x2a300;
inline constexpr uint32_t kFirstBindlessSampler = 0x00480000;
constexpr uint32_t BindlessSurface(uint32_t number) {
  return (kFirstBindlessSurface + number) << 12;
}
constexpr uint32_t BindlessSampler(uint32_t number) {
  return (kFirstBindlessSampler + 32 * number) | 1;
}
// r0.3, and thus the header of a message with a sampler from the table, points to the sampler
// table.
inline constexpr uint32_t kSamplerTable = 0x00015400;

// Index into MemoryView::surfaces and images: the binding table, then bindless surfaces.
inline constexpr size_t kBindlessPlace = 256;
size_t SurfacePlace(const Message& message);

// Registers of payload and response.
struct MessageRegisters {
  int dst = 0;  // first register of the response; < 0: null
  int src0 = 0;
  int src1 = 0;
  uint32_t op = 0;  // byte of the instruction in the program
};

// Executes a message other than barrier and end of thread. `enabled` has a bit per lane of the
// message. Errors: OutOfRange accesses (A64, scratch, registers), NotFound surface.
absl::Status ExecuteMessage(const Message& message, const MessageRegisters& registers,
                            uint32_t enabled, const MemoryView& memory, Thread& thread);

// The same with the payload in the registers of `source`, the thread's state when it sent the
// message.
absl::Status ExecuteMessage(const Message& message, const MessageRegisters& registers,
                            uint32_t enabled, const MemoryView& memory, const Thread& source,
                            Thread& thread);

// Returns true if every lane of the message has its own address; else it accesses one block.
bool GoesByLanes(const Message& message);

// Returns the bytes of memory that a lane of a data port message (or a block: lane 0) reads or
// writes, as far as they exist. Not for the sampler. Errors as ExecuteMessage.
absl::StatusOr<ByteRange> BytesOf(const Message& message, const MessageRegisters& registers,
                                  int lane, const MemoryView& memory, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_DATAPORT_H_
