// Decides how accesses reach memory.
//
// Problem: elements have 1, 2 or 4 bytes and are at offsets with a known alignment; messages by
// lanes transfer up to 4 aligned dwords per lane (untyped), or one byte or word (byte scattered),
// each in a dword of its own. Such an access is cut into pieces, each as long as its alignment
// allows. At a uniform location one lane or eight equal ones are read and the first is used, so
// that the result needs one GRF per dword at any width; a block, which needs one GRF for eight
// dwords, is better still, if the location's alignment allows it.
//
// Message layouts: core/intel/isa/messages.def.
#include "core/intel/select/access.h"

#include <algorithm>
#include <cassert>

#include "core/intel/abi/abi.h"
#include "core/mid/analysis/alias.h"

namespace kiln::intel {

uint8_t MessageLanes(int width) { return static_cast<uint8_t>(std::min(width, 16)); }

namespace {

// Returns true if all values of a load go into stores unchanged. Then each lane reads its own copy:
// the response is a payload, and no value is copied from one lane to all.
bool IsCopied(Emission& e, mir::InstId id) {
  const mir::Module& m = e.module();
  const mir::Inst& inst = m.inst(id);
  constexpr int kMaxDwords = 4;  // of one message
  if ((inst.op != mir::Op::kLoadSsbo && inst.op != mir::Op::kLoadShared) ||
      inst.num_results > kMaxDwords || e.BytesOf(m.result(id)) != 4) {
    return false;
  }
  for (int i = 0; i < inst.num_results; ++i) {
    const absl::Span<const mir::Use> uses = e.uses().Of(m.result(id, i));
    if (uses.size() != 1) return false;
    const mir::Inst& user = m.inst(uses[0].inst);
    const bool store = user.op == mir::Op::kStoreSsbo || user.op == mir::Op::kStoreShared ||
                       user.op == mir::Op::kStoreGlobal;
    if (!store || uses[0].source < static_cast<uint32_t>(mir::FirstValueSource(user)) ||
        (i != 0 && uses[0].inst != e.uses().Of(m.result(id))[0].inst)) {
      return false;
    }
  }
  return true;
}

// Returns the LIR operation of a load's messages by lanes.
uint16_t LaneReadOp(const mir::Module& m, mir::InstId id) {
  const mir::Inst& inst = m.inst(id);
  if ((inst.flags & mir::kVolatile) != 0) return kMsgVolatileRead;
  if (mid::IsPure(m, id)) return kSend;
  // Atomic loads of one location must keep their order.
  return mir::Info(inst.op).Has('W') ? kMsgOrderedRead : kMsgRead;
}

isa::MessageFields LaneMessage(const Location& location, uint32_t bytes, bool write,
                               uint8_t lanes) {
  using isa::Message;
  const bool address = location.high.has_value();
  isa::MessageFields f;
  if (bytes >= 4) {
    f.message = address ? (write ? Message::kA64UntypedWrite : Message::kA64UntypedRead)
                        : (write ? Message::kUntypedWrite : Message::kUntypedRead);
    f.channels = static_cast<uint8_t>((1u << bytes / 4) - 1);
  } else {
    f.message = address ? (write ? Message::kA64ScatteredWrite : Message::kA64ScatteredRead)
                        : (write ? Message::kByteScatteredWrite : Message::kByteScatteredRead);
    f.element_bytes = static_cast<uint8_t>(bytes);
  }
  f.bti = address ? isa::kBtiStatelessNonCoherent : static_cast<uint8_t>(location.surface.bti);
  f.lanes = lanes;
  return f;
}

Pieces PiecesOf(const Location& location, uint32_t bytes, uint32_t element, bool write,
                uint8_t lanes) {
  Pieces pieces;
  for (uint32_t at = 0; at < bytes; at += pieces.back().bytes) {
    const uint32_t dwords = (bytes - at) / 4;
    const bool aligned = location.alignment >= 4 && at % 4 == 0 && dwords != 0;
    const uint32_t length = aligned ? 4 * std::min(4u, dwords) : element;
    pieces.push_back({at, length, LaneMessage(location, length, write, lanes)});
  }
  return pieces;
}

// Returns the alignment that a block's offset needs, in bytes. Shared memory has no message for
// blocks that begin at any dword (Mesa reads it by aligned ones as well).
uint32_t BlockAlignment(const Location& location) {
  return location.surface.bti == kSharedMemorySurface ? 16 : 4;
}

}  // namespace

LoadPlan PlanLoad(Emission& e, mir::InstId id, const Location& location) {
  const mir::Module& m = e.module();
  const mir::Inst& inst = m.inst(id);
  LoadPlan plan;
  plan.element = e.BytesOf(m.result(id));
  plan.uniform = e.IsUniform(m.result(id)) && !IsCopied(e, id);
  const uint32_t bytes = plan.element * inst.num_results;
  if (plan.uniform && !location.high) {
    constexpr uint32_t kLongestBlock = 128;
    const uint32_t needed = BlockAlignment(location);
    const bool known = IsImm(location.offset);
    plan.skip = known ? location.offset.id % needed : 0;
    if ((known || location.alignment >= needed) && plan.skip + bytes <= kLongestBlock) {
      assert((inst.flags & mir::kVolatile) == 0);  // its value is not uniform
      plan.op = mid::IsPure(m, id) ? kSend : kMsgRead;
      const Operand start =
          known ? Imm(location.offset.id - plan.skip, Type::kUD) : location.offset;
      plan.block = BlockAt(location, start, plan.skip + bytes);
      return plan;
    }
  }
  plan.op = LaneReadOp(m, id);
  plan.pieces = PiecesOf(location, bytes, plan.element, /*write=*/false,
                         plan.uniform ? uint8_t{8} : MessageLanes(e.at_width().width));
  return plan;
}

Pieces PlanStore(const Location& location, uint32_t bytes, uint32_t element, int width) {
  return PiecesOf(location, bytes, element, /*write=*/true, MessageLanes(width));
}

Block BlockAt(const Location& location, Operand start, uint32_t bytes) {
  using isa::Message;
  Block block;
  block.start = start;
  block.in_owords = BlockAlignment(location) == 16;
  isa::MessageFields& message = block.message;
  if (location.constant_cache) {
    message.message =
        block.in_owords ? Message::kConstBlockRead : Message::kConstBlockReadUnaligned;
  } else {
    message.message = block.in_owords ? Message::kBlockRead : Message::kBlockReadUnaligned;
  }
  message.header = true;
  message.bti = static_cast<uint8_t>(location.surface.bti);
  message.owords = bytes <= 32 ? 2 : bytes <= 64 ? 4 : 8;
  return block;
}

std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kAnd: return isa::AtomicOp::kAnd;
    case mir::AtomicOp::kOr: return isa::AtomicOp::kOr;
    case mir::AtomicOp::kXor: return isa::AtomicOp::kXor;
    case mir::AtomicOp::kExchange: return isa::AtomicOp::kExchange;
    case mir::AtomicOp::kIncrement: return isa::AtomicOp::kIncrement;
    case mir::AtomicOp::kDecrement: return isa::AtomicOp::kDecrement;
    case mir::AtomicOp::kAdd: return isa::AtomicOp::kAdd;
    case mir::AtomicOp::kSub: return isa::AtomicOp::kSub;
    case mir::AtomicOp::kSmax: return isa::AtomicOp::kSMax;
    case mir::AtomicOp::kSmin: return isa::AtomicOp::kSMin;
    case mir::AtomicOp::kUmax: return isa::AtomicOp::kUMax;
    case mir::AtomicOp::kUmin: return isa::AtomicOp::kUMin;
    case mir::AtomicOp::kCompareExchange: return isa::AtomicOp::kCompareExchange;
    default: return std::nullopt;
  }
}

}  // namespace kiln::intel
