// Selection of atomics of buffers, shared memory and addresses. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_ATOMICS_H_
#define KILN_CORE_AMD_SELECT_ATOMICS_H_

#include "absl/status/status.h"
#include "core/amd/select/vector_memory.h"

namespace kiln::amd {

class Atomics : public Room {
 public:
  Atomics(Emission& e, Addresses& addresses, VectorMemory& memory)
      : Room(e), addresses_(addresses), memory_(memory) {}

  // Selects an atomic of 32 or 64 bits (of which operands and result are pairs of dwords).
  absl::Status VisitAtomic(mir::InstId id);

 private:
  void SetResult(mir::InstId id, const Operand& old, bool wide);

  // Atomic loads and stores are plain ones of the device's level.
  void Load(mir::InstId id, Location location, bool wide);
  void Store(mir::InstId id, Location location, int first, bool pairs, bool wide);

  Addresses& addresses_;
  VectorMemory& memory_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_ATOMICS_H_
