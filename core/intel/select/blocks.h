// Selection of reads of memory blocks for all lanes at once, by messages with the offset in their
// header. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_BLOCKS_H_
#define KILN_CORE_INTEL_SELECT_BLOCKS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/access.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Blocks : public Room {
 public:
  Blocks(Emission& e, Access& access) : Room(e), access_(access), chunks_(e.scopes()) {}

  uint32_t SkippedBytes(const Place& place) const;
  Operand ConstantChunk(const Place& place, uint32_t chunk);
  static uint32_t BlockAlignment(const Place& place);
  lir::ValueId BlockRead(const Place& place, uint16_t op, Operand offset, int owords);

 private:
  Access& access_;
  struct CachedChunk {
    SurfaceRef surface;
    uint32_t chunk;
    lir::ValueId value;
  };
  ScopeCache<CachedChunk> chunks_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_BLOCKS_H_
