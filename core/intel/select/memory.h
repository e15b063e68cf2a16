// Selection of loads, stores and atomics of buffers, shared memory, push constants and addresses.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_MEMORY_H_
#define KILN_CORE_INTEL_SELECT_MEMORY_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/access.h"
#include "core/intel/select/blocks.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/private_arrays.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Memory : public Room {
 public:
  Memory(Emission& e, Conversions& conversions, Launch& launch, Access& access, Blocks& blocks,
         Descriptors& descriptors, PrivateArrays& private_arrays)
      : Room(e),
        conversions_(conversions),
        launch_(launch),
        access_(access),
        blocks_(blocks),
        descriptors_(descriptors),
        private_arrays_(private_arrays) {}

  absl::Status VisitLoad(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  absl::Status VisitAtomic(mir::InstId id);
  absl::Status VisitWideAtomic(mir::InstId id);
  absl::Status BufferAddress(mir::InstId id);
  void BufferSize(mir::InstId id);

 private:
  bool IsCopied(mir::InstId id);
  bool IsInPushRegisters(mir::InstId id) const;
  void LoadPush(mir::InstId id);
  lir::ValueId KnownRegister(mir::InstId id, const Place& place, uint32_t index);
  void LoadBlock(mir::InstId id, const Place& place);
  Place PlaceOf(mir::InstId id);

  Conversions& conversions_;
  Launch& launch_;
  Access& access_;
  Blocks& blocks_;
  Descriptors& descriptors_;
  PrivateArrays& private_arrays_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_MEMORY_H_
