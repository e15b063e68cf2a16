// Selection of memory fences and the barrier of a workgroup. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_BARRIERS_H_
#define KILN_CORE_INTEL_SELECT_BARRIERS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Barriers : public Room {
 public:
  Barriers(Emission& e, Launch& launch) : Room(e), launch_(launch) {}

  void MemoryBarrier(uint32_t classes, mir::Scope scope);
  void ControlBarrier(const mir::Inst& barrier);

 private:
  void Fence(uint8_t surface);

  Launch& launch_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_BARRIERS_H_
