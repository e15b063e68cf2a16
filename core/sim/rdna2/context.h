// Everything that a wave reaches besides its registers: memory, and in draws the fixed functions
// around it.
#ifndef KILN_CORE_SIM_RDNA2_CONTEXT_H_
#define KILN_CORE_SIM_RDNA2_CONTEXT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/sim/rdna2/access_log.h"
#include "core/sim/rdna2/fragment_wave.h"
#include "core/sim/rdna2/lane_order.h"
#include "core/sim/rdna2/memory.h"
#include "core/sim/rdna2/observer.h"
#include "core/sim/rdna2/scalar_memory.h"
#include "core/sim/rdna2/vertex_group.h"

namespace kiln::sim::rdna2 {

// Is told of each access directly before it happens.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  // `data`: the bytes, of which the program has `bytes` from `address` on; of images, the texel.
  virtual void Note(Space space, uint8_t* data, uint64_t address, uint32_t bytes, Use use) = 0;
};

struct Context {
  const Memory* memory = nullptr;
  absl::Span<uint8_t> lds;  // of the workgroup
  uint64_t scratch = 0;     // address of the wave's scratch
  uint32_t scratch_bytes_per_lane = 0;
  LaneOrder order = LaneOrder::kAscending;
  uint64_t code_address = 0;
  uint32_t undefined = 0;  // pattern of undefined dwords
  // Accesses beyond the end of buffers, images and LDS, which read 0 and write nothing; counted up.
  uint64_t outside = 0;
  uint64_t* clock = nullptr;  // of s_memtime and s_memrealtime: each read advances it; null: none
  AccessLog* log = nullptr;   // in contract mode, of workgroups of several waves
  Observer* observer = nullptr;  // or null
  // The wave, or the workgroup, of a draw; null in other programs.
  FragmentWave* fragment = nullptr;
  VertexGroup* vertices = nullptr;

  ScalarMemory* scalar = nullptr;          // in contract and memory mode
  AccessObserver* memory_order = nullptr;  // in memory mode

  // Says that a vector or LDS instruction accesses bytes, directly before it does.
  void Note(Space space, uint64_t address, uint32_t bytes, Use use) const {
    if (log != nullptr) log->Note(space, address, bytes, use);
    if (observer != nullptr) observer->Access(space, address, bytes, use);
    const bool writes = scalar != nullptr && space != Space::kLds && use != Use::kRead;
    if (!writes && memory_order == nullptr) return;
    uint8_t* const data = DataOf(space, address, bytes, &bytes);
    if (data == nullptr) return;
    if (writes) scalar->Write(data, address, bytes);
    if (memory_order != nullptr) memory_order->Note(space, data, address, bytes, use);
  }

  // The same of a scalar load.
  void NoteScalar(uint64_t address, uint32_t bytes) const {
    if (scalar == nullptr && memory_order == nullptr) return;
    uint8_t* const data = DataOf(Space::kMemory, address, bytes, &bytes);
    if (data == nullptr) return;
    if (scalar != nullptr) scalar->Read(data, address, bytes);
    if (memory_order != nullptr)
      memory_order->Note(Space::kMemory, data, address, bytes, Use::kRead);
  }

 private:
  // Returns where an access is, and how many bytes of it exist. A texel's address is where it is.
  uint8_t* DataOf(Space space, uint64_t address, uint32_t bytes, uint32_t* present) const {
    *present = bytes;
    if (space == Space::kLds) return lds.data() + address;
    if (space == Space::kImages) return reinterpret_cast<uint8_t*>(address);
    return memory->Find(address, bytes, present);
  }
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CONTEXT_H_
