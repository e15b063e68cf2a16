// Emission of messages to surfaces and to memory by address: payloads of addresses, the surface's
// operands, the predicate. access.h decides which messages. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_SURFACE_MESSAGES_H_
#define KILN_CORE_INTEL_SELECT_SURFACE_MESSAGES_H_

#include <vector>

#include "absl/types/span.h"
#include "core/intel/lir/message.h"
#include "core/intel/select/access.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/fragment.h"
#include "core/intel/select/lanes.h"
#include "core/intel/select/location.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class SurfaceMessages : public Room {
 public:
  SurfaceMessages(Emission& e, Conversions& conversions, Lanes& lanes, Fragment& fragment)
      : Room(e),
        conversions_(conversions),
        lanes_(lanes),
        fragment_(fragment),
        chunks_(e.scopes()) {}

  // Reads a piece of a load by lanes. Component i (of a uniform load: 8 * i) is dword i.
  lir::ValueId ReadLanes(const Location& location, const LoadPlan& plan, const Piece& piece);
  // Writes a piece, whose dwords are values per lane.
  void WriteLanes(const Location& location, const Piece& piece, absl::Span<const Operand> dwords);
  // Returns the payload of a location's addresses: one for each lane, or the same in eight.
  Operand AddressPayload(const Location& location, bool uniform);

  lir::ValueId ReadBlock(const SurfaceRef& surface, uint16_t op, const Block& block);
  // Returns aligned 32 bytes, by number, of memory that does not change.
  lir::ValueId ConstantChunk(const Location& location, uint32_t chunk);

  // Emits a message to this surface, whose number is in `message`.
  void Emit(uint16_t op, lir::InstFields fields, const isa::MessageFields& message,
            absl::Span<const Operand> defs, std::vector<Operand> uses, const SurfaceRef& surface);
  // Completes a message that is still to be emitted: its side row, the surface's operands and the
  // predicate. Messages that write are sent for live lanes alone.
  void Complete(uint16_t op, const isa::MessageFields& message, const SurfaceRef& surface,
                lir::InstFields& fields, std::vector<Operand>& uses);

 private:
  Location Moved(const Location& location, uint32_t bytes);

  Conversions& conversions_;
  Lanes& lanes_;
  Fragment& fragment_;
  struct CachedChunk {
    SurfaceRef surface;
    uint32_t chunk;
    lir::ValueId value;
  };
  ScopeCache<CachedChunk> chunks_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_SURFACE_MESSAGES_H_
