// Selection of private arrays with a dynamic index, in scratch memory of the thread. Internal to
// this folder.
#ifndef KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_
#define KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_

#include <optional>

#include "core/intel/isa/messages.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class PrivateArrays : public Room {
 public:
  PrivateArrays(Emission& e, Bools& bools, Launch& launch)
      : Room(e), bools_(bools), launch_(launch) {}

  void VisitLoad(mir::InstId id);
  void VisitStore(mir::InstId id);

 private:
  Operand ScratchAddress(uint32_t array, mir::ValueId offset);
  Operand ScratchByteAddress(uint32_t array, mir::ValueId offset, uint32_t bytes);
  Operand ElementAddress(uint32_t array, mir::ValueId offset, uint32_t element, int i,
                         std::optional<Operand>& first);
  isa::MessageFields ScratchMessage(uint32_t element, bool write) const;
  Operand ScratchHeader();

  Bools& bools_;
  Launch& launch_;
  std::optional<Operand> scratch_header_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_
