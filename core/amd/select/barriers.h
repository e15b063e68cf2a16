// Selection of barriers: of execution and of memory. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_BARRIERS_H_
#define KILN_CORE_AMD_SELECT_BARRIERS_H_

#include "core/amd/select/emission.h"

namespace kiln::amd {

class Barriers : public Room {
 public:
  explicit Barriers(Emission& e) : Room(e) {}

  void ControlBarrier(mir::InstId id);
  void MemoryBarrier(uint32_t classes, mir::Scope scope);
  // Waits for all waves of the workgroup, and for its accesses of these classes
  // (mir::MemoryClasses) before.
  void Wait(uint32_t classes);

 private:
  bool OneWave() const;
};

// Bits of Extra::simm of a barrier instruction: the accesses that end before it. core/amd/waits
// makes waits of them.
enum BarrierWaits : uint16_t { kWaitShared = 1, kWaitMemory = 2 };

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_BARRIERS_H_
