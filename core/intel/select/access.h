// Messages to memory by lanes: pieces of an access, address and data payloads. Internal to this
// folder.
#ifndef KILN_CORE_INTEL_SELECT_ACCESS_H_
#define KILN_CORE_INTEL_SELECT_ACCESS_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/lir/message.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/fragment.h"
#include "core/intel/select/lanes.h"
#include "core/intel/select/room.h"
#include "core/intel/select/surface_ref.h"

namespace kiln::intel {

// The location of an access: a byte offset in a surface, or a 64-bit address.
struct Place {
  SurfaceRef surface;
  Operand offset;               // dword; for an address the low half ...
  std::optional<Operand> high;  // ... and its high half
  uint32_t alignment = 4;       // of the offset or address, in bytes
  bool uniform = false;         // one lane reads for all
  bool constant_cache = true;   // block reads use it; false for memory that the program may change
};

// Returns the integer operation of data port atomics; nothing if there is none.
std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op);

class Access : public Room {
 public:
  Access(Emission& e, Conversions& conversions, Bools& bools, Lanes& lanes, Fragment& fragment)
      : Room(e), conversions_(conversions), bools_(bools), lanes_(lanes), fragment_(fragment) {}

  uint32_t ElementBytes(mir::ValueId v) const;  // in memory
  // Returns the element at a byte of data whose dwords are `dword_stride` components apart.
  Operand ElementAt(lir::ValueId data, uint32_t byte, uint32_t element, int dword_stride) const;
  Operand AddressPayload(const Place& place);
  uint8_t MessageLanes() const;
  void LoadElements(mir::InstId id, const Place& place);
  void StoreElements(const Place& place, absl::Span<const mir::ValueId> values);
  uint32_t AlignmentOf(mir::InstId id) const;
  // Emits a message to this surface, whose number is in aux. Messages that write are sent for live
  // lanes alone.
  void EmitMessage(uint16_t op, const lir::InstFields& fields, const isa::MessageFields& message,
                   absl::Span<const Operand> defs, std::vector<Operand> uses,
                   const SurfaceRef& surface);
  Operand LaneValue(mir::ValueId v);  // number or boolean as a dword in G

 private:
  struct Piece {
    uint32_t byte;   // from the access's first byte
    uint32_t bytes;  // 4, 8, 12, 16, or one element of 1 or 2
  };
  static std::vector<Piece> CutIntoPieces(uint32_t bytes, uint32_t element, uint32_t alignment);
  Place Moved(const Place& place, uint32_t bytes);
  isa::MessageFields AccessMessage(const Place& place, uint32_t bytes, bool write) const;
  lir::ValueId Read(const Place& place, const Piece& piece, uint16_t op);
  Operand LaneDword(absl::Span<const mir::ValueId> values);

  Conversions& conversions_;
  Bools& bools_;
  Lanes& lanes_;
  Fragment& fragment_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ACCESS_H_
