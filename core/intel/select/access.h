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

// Consecutive bytes of memory, read once for all lanes.
struct Block {
  isa::MessageFields message;
  Operand start;           // byte offset of the block
  bool in_owords = false;  // the message takes the offset in units of 16 bytes
};

// The part of an access by lanes that one message transfers.
struct Piece {
  uint32_t byte = 0;   // from the access's first byte
  uint32_t bytes = 0;  // 4, 8, 12, 16, or one element of 1 or 2
  isa::MessageFields message;
};
using Pieces = absl::InlinedVector<Piece, 2>;

// How a load reads memory: a block, or else pieces by lanes.
struct LoadPlan {
  uint16_t op = 0;       // LIR operation of the messages
  uint32_t element = 0;  // bytes of each result in memory
  bool uniform = false;  // one lane reads for all
  std::optional<Block> block;
  uint32_t skip = 0;  // bytes of the block in front of the first one that is loaded
  Pieces pieces;
};
LoadPlan PlanLoad(Emission& e, mir::InstId id, const Location& location);

// Returns the messages that store `bytes` bytes of elements of `element` bytes.
Pieces PlanStore(const Location& location, uint32_t bytes, uint32_t element, int width);

// Returns the block of at least this many bytes, at most 128, from `start` on, which is as aligned
// as blocks of the memory must be. The location's own offset does not matter.
Block BlockAt(const Location& location, Operand start, uint32_t bytes);

// Returns the lanes of one message: 32 lanes go out as two messages of 16 (halve_messages).
uint8_t MessageLanes(int width);

// Returns the integer operation of data port atomics; nothing if there is none.
std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ACCESS_H_
