// Decides how loads, stores and atomics reach memory: in one block for all lanes or by lanes, and
// by which messages. Emits nothing. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_ACCESS_H_
#define KILN_CORE_INTEL_SELECT_ACCESS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/intel/isa/messages.h"
#include "core/intel/select/emission.h"
#include "core/intel/select/location.h"
#include "core/mir/mir.h"

namespace kiln::intel {

// Returns the known alignment in bytes, up to 16, of the offset or address of a load, store or
// atomic.
uint32_t AlignmentOf(const mir::Module& m, mir::InstId id);

// Returns true if all values of a load go into stores unchanged.
bool IsCopied(Emission& e, mir::InstId id);

// Returns the LIR operation of a load's messages by lanes.
uint16_t LaneReadOp(const mir::Module& m, mir::InstId id);

// ---- messages by lanes

// The part of an access that one message transfers.
struct Piece {
  uint32_t byte = 0;   // from the access's first byte
  uint32_t bytes = 0;  // 4, 8, 12, 16, or one element of 1 or 2
  isa::MessageFields message;
};
using Pieces = absl::InlinedVector<Piece, 2>;

enum class Direction : uint8_t { kRead, kWrite };

// Returns the pieces of an access of `bytes` bytes, whose elements have `element` bytes, in a
// program of `width` lanes.
Pieces PiecesOf(const Location& location, uint32_t bytes, uint32_t element, Direction direction,
                int width);

// Returns the lanes of one message: 32 lanes go out as two messages of 16 (halve_messages).
uint8_t MessageLanes(int width);

// Returns the integer operation of data port atomics; nothing if there is none.
std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op);

// ---- blocks: consecutive bytes, read once for all lanes

// Returns true if a load of this many bytes is read as a block.
bool IsBlock(const Location& location, uint32_t bytes);

// Returns the alignment that a block's offset needs, in bytes.
uint32_t BlockAlignment(const SurfaceRef& surface);

// Returns the bytes between the possible start of a block and the first byte that is read.
uint32_t SkippedBytes(const Location& location);

// Returns the message that reads a block of at least this many bytes; at most 128.
isa::MessageFields BlockMessage(const Location& location, uint32_t bytes);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ACCESS_H_
