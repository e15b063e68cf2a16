// Selection of private arrays with a dynamic index, in scratch memory of the thread. Internal to
// this folder.
#ifndef KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_
#define KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/access.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class PrivateArrays : public Room {
 public:
  PrivateArrays(Emission& e, Launch& launch, Access& access)
      : Room(e), launch_(launch), access_(access) {}

  void LoadPrivate(mir::InstId id);
  void StorePrivate(mir::InstId id);

 private:
  Operand ScratchAddress(uint32_t array, mir::ValueId offset);
  Operand ScratchByteAddress(uint32_t array, mir::ValueId offset, uint32_t bytes);
  isa::MessageFields ScratchMessage(uint32_t element, bool write) const;
  Operand ScratchHeader();

  Launch& launch_;
  Access& access_;
  std::optional<Operand> scratch_header_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_PRIVATE_ARRAYS_H_
