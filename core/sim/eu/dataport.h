// Execution of messages to memory: data-port reads, writes and atomics here, typed surfaces and the
// sampler in typed.h and sampler.h.
//
// The caller gives the payload registers, the enabled channels and the memory; results go to the
// destination registers at once (contract.h models that they arrive later). Lanes act in ascending
// (or, asked for, descending) order, so atomics are deterministic. Sources of payload layouts: the
// descriptor explanations of `iga64 -Xdsd` and Mesa's binaries.
#ifndef KILN_CORE_SIM_EU_DATAPORT_H_
#define KILN_CORE_SIM_EU_DATAPORT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/sim/eu/filter.h"
#include "core/sim/eu/memory.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Everything that messages of a workgroup's threads can reach.
struct MemoryView {
  std::vector<Surface> surfaces;  // by binding table index; null data: nothing bound
  Surface shared;                 // surface 254
  Surface scratch;                // stateless space, all threads
  const AddressSpace* addresses = nullptr;
  std::vector<ImageView> images;                // by binding table index; null image: none
  std::vector<const ClientSampler*> samplers;   // by sampler index; null: none
  bool descending = false;  // lanes act in descending order
};

// Where payload and response lie.
struct MessageRegisters {
  int dst = 0;  // first register of the response; < 0: null
  int src0 = 0;
  int src1 = 0;
};

// Executes a message other than barrier and end of thread. `enabled` has a bit per lane of the
// message. Errors: OutOfRange accesses (A64, scratch, registers), NotFound surface.
absl::Status ExecuteMessage(const Message& message, const MessageRegisters& registers,
                            uint32_t enabled, const MemoryView& memory, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_DATAPORT_H_
