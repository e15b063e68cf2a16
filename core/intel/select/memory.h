// Selection of loads and stores of buffers, shared memory, push constants and addresses, and of the
// sizes of buffers. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_MEMORY_H_
#define KILN_CORE_INTEL_SELECT_MEMORY_H_

#include "absl/types/span.h"
#include "core/intel/select/access.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/descriptors.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"
#include "core/intel/select/surface_messages.h"

namespace kiln::intel {

class Memory : public Room {
 public:
  Memory(Emission& e, Conversions& conversions, Bools& bools, Launch& launch,
         SurfaceMessages& messages, Descriptors& descriptors)
      : Room(e),
        conversions_(conversions),
        bools_(bools),
        launch_(launch),
        messages_(messages),
        descriptors_(descriptors) {}

  // Select loads and stores, also those among atomics.
  void VisitLoad(mir::InstId id);
  void VisitStore(mir::InstId id);
  void BufferSize(mir::InstId id);

 private:
  void LoadLanes(mir::InstId id, const Location& location, const LoadPlan& plan);
  void LoadBlock(mir::InstId id, const Location& location, const LoadPlan& plan);
  void LoadKnown(mir::InstId id, const Location& location, uint32_t element);
  lir::ValueId KnownRegister(mir::InstId id, const Location& location, uint32_t index);
  bool IsPushed(mir::InstId id) const;
  void LoadPush(mir::InstId id);
  Operand LaneDword(absl::Span<const mir::ValueId> values);

  Conversions& conversions_;
  Bools& bools_;
  Launch& launch_;
  SurfaceMessages& messages_;
  Descriptors& descriptors_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_MEMORY_H_
