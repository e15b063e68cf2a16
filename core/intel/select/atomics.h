// Selection of atomics of buffers, shared memory and addresses. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_ATOMICS_H_
#define KILN_CORE_INTEL_SELECT_ATOMICS_H_

#include "absl/status/status.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/memory.h"
#include "core/intel/select/room.h"
#include "core/intel/select/surface_messages.h"

namespace kiln::intel {

class Atomics : public Room {
 public:
  Atomics(Emission& e, Conversions& conversions, Bools& bools, Launch& launch,
          SurfaceMessages& messages, Descriptors& descriptors, Memory& memory)
      : Room(e),
        conversions_(conversions),
        bools_(bools),
        launch_(launch),
        messages_(messages),
        descriptors_(descriptors),
        memory_(memory) {}

  absl::Status VisitAtomic(mir::InstId id);
  absl::Status VisitWideAtomic(mir::InstId id);
  // Selects the address of a buffer, for its atomics of 64 bits.
  absl::Status BufferAddress(mir::InstId id);

 private:
  Conversions& conversions_;
  Bools& bools_;
  Launch& launch_;
  SurfaceMessages& messages_;
  Descriptors& descriptors_;
  Memory& memory_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ATOMICS_H_
