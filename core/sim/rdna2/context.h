// What a wave reaches besides its registers: memory, and of draws the fixed functions around it.
#ifndef KILN_CORE_SIM_RDNA2_CONTEXT_H_
#define KILN_CORE_SIM_RDNA2_CONTEXT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/sim/rdna2/access_log.h"
#include "core/sim/rdna2/fragment_wave.h"
#include "core/sim/rdna2/lane_order.h"
#include "core/sim/rdna2/memory.h"
#include "core/sim/rdna2/vertex_group.h"

namespace kiln::sim::rdna2 {

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
  AccessLog* log = nullptr;  // in contract mode, of workgroups of several waves
  // The wave, or the workgroup, of a draw; null in other programs.
  FragmentWave* fragment = nullptr;
  VertexGroup* vertices = nullptr;

  void Note(Space space, uint64_t address, uint32_t bytes, Use use) const {
    if (log != nullptr) log->Note(space, address, bytes, use);
  }
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CONTEXT_H_
