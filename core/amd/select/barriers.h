// Selection of barriers: of execution and of memory. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_BARRIERS_H_
#define KILN_CORE_AMD_SELECT_BARRIERS_H_

#include <optional>

#include "core/amd/select/emission.h"

namespace kiln::amd {

// Keeps accesses to memory before it before those after it, in the order of instructions alone: no
// instruction is made. Schedules keep loads in no order among themselves, but two atomic loads of
// one place may not pass each other.
void KeepOrder(Emission& e);

// Waits for the accesses to buffers and images that were begun: stores, loads, and atomic
// operations with and without a result.
void EndAccesses(Emission& e);

class Barriers : public Room {
 public:
  explicit Barriers(Emission& e) : Room(e) {}

  void ControlBarrier(mir::InstId id);
  void MemoryBarrier(mir::InstId id);
  // Waits for all waves of the workgroup; `shared`: and before for this wave's accesses to shared
  // memory.
  void Wait(bool shared);

 private:
  bool OneWave() const;
  bool ReadsThroughCaches();

  std::optional<bool> reads_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_BARRIERS_H_
