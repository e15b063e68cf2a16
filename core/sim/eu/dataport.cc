// See dataport.h.
#include "core/sim/eu/dataport.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "core/sim/eu/block_rules.h"
#include "core/sim/eu/call.h"
#include "core/sim/eu/outside_reads.h"
#include "core/sim/eu/sampler.h"
#include "core/sim/eu/typed.h"

namespace kiln::sim::eu {
namespace {

// The location of one access: a bounds-checked surface with an offset, or plain bytes.
struct Location {
  Surface surface;
  uint64_t offset = 0;
};

uint64_t ReadFrom(const Location& p, uint64_t delta, unsigned bytes) {
  return p.surface.Read(p.offset + delta, bytes);
}

void WriteTo(const Location& p, uint64_t delta, unsigned bytes, uint64_t value) {
  p.surface.Write(p.offset + delta, bytes, value);
}

absl::StatusOr<Surface> SurfaceOf(const Call& c) {
  const int index = c.m.surface;
  if (index == kSurfaceShared) return c.memory.shared;
  if (index == kSurfaceStateless || index == kSurfaceStatelessCoherent) return c.memory.scratch;
  const size_t place = SurfacePlace(c.m);
  if (place >= c.memory.surfaces.size() || c.memory.surfaces[place].data == nullptr) {
    return absl::NotFoundError(
        absl::StrFormat("nothing is bound to %s", c.memory.SurfaceText(c.m)));
  }
  return c.memory.surfaces[place];
}

bool IsStateless(const Call& c) {
  return !c.m.a64 && (c.m.surface == kSurfaceStateless || c.m.surface == kSurfaceStatelessCoherent);
}

// Base that the header of a stateless message adds: dword 5, bits 31:10.
uint64_t HeaderBase(const Call& c) {
  if (!IsStateless(c) || !c.m.header) return 0;
  return c.source.Read32(c.Payload(0) + 20) & ~0x3ffu;
}

bool IsInside(const Surface& surface, uint64_t where, uint64_t bytes) {
  return where <= surface.size && surface.size - where >= bytes;
}

// Resolves `bytes` at an address or offset; stateless and A64 accesses must be in bounds.
absl::StatusOr<Location> Locate(const Call& c, const Surface& surface, uint64_t where,
                                uint64_t bytes) {
  if (c.m.a64) {
    absl::StatusOr<uint8_t*> at = c.memory.addresses->Resolve(where, bytes);
    if (!at.ok()) return at.status();
    return Location{Surface{*at, bytes}, 0};
  }
  if (IsStateless(c)) {
    const uint64_t offset = where + HeaderBase(c);
    if (!IsInside(surface, offset, bytes)) {
      return absl::OutOfRangeError(absl::StrFormat("stateless access to %d bytes at 0x%x of %d",
                                                   bytes, offset, surface.size));
    }
    return Location{surface, offset};
  }
  return Location{surface, where};
}

// Address of a lane.
uint64_t LaneAddress(const Call& c, int lane) {
  const int first = c.m.header ? 1 : 0;
  if (c.m.a64) return c.source.Read64(c.Payload(first + lane / 4) + 8 * (lane % 4));
  const uint64_t a = c.source.Read32(c.Payload(first + lane / 8) + 4 * (lane % 8));
  return c.m.dword_addresses ? 4 * a : a;
}

int FirstDataRegister(const Call& c) {
  return (c.m.header ? 1 : 0) + LaneRegisters(c.m, c.m.a64 ? 8 : 4);
}

// Content of the rest of a dword into which an element of 1 or 2 bytes was read: no source defines
// it, and the reference compiler's code does not use it.
uint64_t BesideElement(const Call& c) {
  const uint64_t pattern = c.memory.descending ? 0x3f3f3f3fu : 0xd5d5d5d5u;
  return c.m.element_bytes < 4 ? pattern << (8 * c.m.element_bytes) & 0xffffffffu : 0;
}

// Bytes up to the end of the highest element present.
uint64_t Extent(const Message& m) {
  return uint64_t{m.element_bytes} * std::bit_width(m.channel_mask);
}

// Register bytes of one element: a dword, or a qword for 8-byte elements.
int RegisterBytes(const Message& m) { return m.element_bytes == 8 ? 8 : 4; }

// Byte offset of element k (of those present) of a lane within a group of registers.
int ElementAt(const Message& m, int k, int lane) {
  return kGrfBytes * k * LaneRegisters(m, RegisterBytes(m)) + RegisterBytes(m) * lane;
}

absl::Status Misaligned(const Call& c, uint64_t where, int alignment) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s at 0x%x, which is not a multiple of %d bytes",
                      isa::Info(c.m.message).name, where, alignment));
}

// Counts an access outside of a bound buffer.
void NoteIfOutside(const Call& c, const Surface& surface, uint64_t where, uint64_t bytes) {
  if (!c.m.a64 && !IsStateless(c) && !IsInside(surface, where, bytes)) c.NoteOutside();
}

// As Locate, for a block, whose address must have the alignment of its message.
absl::StatusOr<Location> LocateBlock(const Call& c, const Surface& surface, uint64_t where) {
  const int alignment = c.m.unaligned ? 4 : MaskRowOf(c.m.message).alignment;
  if (where % alignment != 0) return Misaligned(c, where, alignment);
  return Locate(c, surface, where, c.m.block_bytes);
}

// As Locate, for a lane.
absl::StatusOr<Location> LocateLane(const Call& c, const Surface& surface, int lane,
                                    uint64_t bytes) {
  const uint64_t where = LaneAddress(c, lane);
  const int alignment = std::max<int>(MaskRowOf(c.m.message).alignment,
                                      c.m.kind == MessageKind::kAtomic ? c.m.element_bytes : 1);
  if (where % alignment != 0) return Misaligned(c, where, alignment);
  NoteIfOutside(c, surface, where, bytes);
  return Locate(c, surface, where, bytes);
}

absl::Status Gather(const Call& c, const Surface& surface) {
  for (int i = 0; i < c.m.simd; ++i) {
    const int lane = c.Lane(i);
    if (!(c.enabled >> lane & 1)) continue;
    absl::StatusOr<Location> location = LocateLane(c, surface, lane, Extent(c.m));
    if (!location.ok()) return location.status();
    int k = 0;
    for (int e = 0; e < 8; ++e) {
      if (!(c.m.channel_mask >> e & 1)) continue;
      const uint64_t v = ReadFrom(*location, uint64_t{c.m.element_bytes} * e, c.m.element_bytes) |
                         BesideElement(c);
      std::memcpy(c.thread.regs.data() + c.Response(0) + ElementAt(c.m, k, lane), &v,
                  RegisterBytes(c.m));
      ++k;
    }
  }
  return absl::OkStatus();
}

// Value of element k of a lane in the data part of the payload, which may straddle both sources.
uint64_t PayloadElement(const Call& c, int k, int lane) {
  const int at = ElementAt(c.m, k, lane);
  const int offset = c.Payload(FirstDataRegister(c) + at / 32) + at % 32;
  return RegisterBytes(c.m) == 8 ? c.source.Read64(offset) : c.source.Read32(offset);
}

absl::Status Scatter(const Call& c, const Surface& surface) {
  for (int i = 0; i < c.m.simd; ++i) {
    const int lane = c.Lane(i);
    if (!(c.enabled >> lane & 1)) continue;
    absl::StatusOr<Location> location = LocateLane(c, surface, lane, Extent(c.m));
    if (!location.ok()) return location.status();
    int k = 0;
    for (int e = 0; e < 8; ++e) {
      if (!(c.m.channel_mask >> e & 1)) continue;
      WriteTo(*location, uint64_t{c.m.element_bytes} * e, c.m.element_bytes,
              PayloadElement(c, k, lane));
      ++k;
    }
  }
  return absl::OkStatus();
}

uint32_t FloatAtomic(int op, uint32_t old_bits, uint32_t a_bits, uint32_t b_bits) {
  const float old = std::bit_cast<float>(old_bits), a = std::bit_cast<float>(a_bits);
  switch (static_cast<isa::AtomicFloatOp>(op)) {
    case isa::AtomicFloatOp::kMax: return std::isnan(old) || a > old ? a_bits : old_bits;
    case isa::AtomicFloatOp::kMin: return std::isnan(old) || a < old ? a_bits : old_bits;
    case isa::AtomicFloatOp::kCompareExchange: return old == a ? b_bits : old_bits;
  }
  return old_bits;
}

uint64_t AtomicResult(const Message& m, uint64_t old, uint64_t a, uint64_t b) {
  if (m.kind == MessageKind::kFloatAtomic) {
    return FloatAtomic(m.atomic_op, static_cast<uint32_t>(old), static_cast<uint32_t>(a),
                       static_cast<uint32_t>(b));
  }
  if (m.element_bytes == 8) return IntAtomic<uint64_t, int64_t>(m.atomic_op, old, a, b);
  return IntAtomic<uint32_t, int32_t>(m.atomic_op, static_cast<uint32_t>(old),
                                      static_cast<uint32_t>(a), static_cast<uint32_t>(b));
}

absl::Status Atomic(const Call& c, const Surface& surface) {
  const int data_registers = c.m.mlen + c.m.ex_mlen - FirstDataRegister(c);
  const int operands = data_registers / LaneRegisters(c.m, RegisterBytes(c.m));
  for (int i = 0; i < c.m.simd; ++i) {
    const int lane = c.Lane(i);
    if (!(c.enabled >> lane & 1)) continue;
    absl::StatusOr<Location> location = LocateLane(c, surface, lane, c.m.element_bytes);
    if (!location.ok()) return location.status();
    const uint64_t old = ReadFrom(*location, 0, c.m.element_bytes);
    const uint64_t a = operands > 0 ? PayloadElement(c, 0, lane) : 0;
    const uint64_t b = operands > 1 ? PayloadElement(c, 1, lane) : 0;
    const uint64_t result = AtomicResult(c.m, old, a, b);
    WriteTo(*location, 0, c.m.element_bytes, result);
    if (!c.m.returns) continue;
    // The pre-decrement gives the new value, all others the old one.
    const uint64_t back = c.m.kind == MessageKind::kAtomic && c.m.atomic_op == 15 ? result : old;
    std::memcpy(c.thread.regs.data() + c.Response(0) + ElementAt(c.m, 0, lane), &back,
                RegisterBytes(c.m));
  }
  return absl::OkStatus();
}

// Start of a block: a 64-bit address, or dword 2 of the header in bytes or owords.
uint64_t BlockOffset(const Call& c) {
  if (c.m.a64) return c.source.Read64(c.Payload(0));
  const uint64_t offset = c.source.Read32(c.Payload(0) + 8);
  return c.m.byte_offset ? offset : 16 * offset;
}

// Calls f for each dword that moves, with its byte offset in the block and in the payload or
// response.
template <typename F>
absl::Status ForEachDword(const Call& c, F f) {
  const absl::StatusOr<uint32_t> dwords = DwordsOf(c.m, c.enabled);
  if (!dwords.ok()) return dwords.status();
  const int skip = c.m.block_high_oword ? 16 : 0;
  for (int i = 0; i < c.m.block_bytes; i += 4) {
    if (*dwords >> (i / 4 % 32) & 1) f(i, skip + i);
  }
  return absl::OkStatus();
}

absl::Status BlockRead(const Call& c, const Surface& surface, uint64_t offset) {
  absl::StatusOr<Location> location = LocateBlock(c, surface, offset);
  if (!location.ok()) return location.status();
  const bool bound = !c.m.a64 && !IsStateless(c);
  return ForEachDword(c, [&](int i, int at) {
    c.thread.Write32(c.Response(0) + at, static_cast<uint32_t>(ReadFrom(*location, i, 4)));
    const auto dword = static_cast<uint32_t>(c.Response(0) + at) / 4;
    if (!c.thread.outside.empty()) ForgetOutside(dword, 1, c.thread);
    // The last dword is inside even if the buffer ends in the middle of it (memory.h).
    if (bound && !IsInside(surface, offset + static_cast<uint64_t>(i), 1)) {
      c.thread.outside.push_back({dword, c.regs.op, c.memory.SurfaceText(c.m)});
    }
  });
}

absl::Status BlockWrite(const Call& c, const Surface& surface, uint64_t offset) {
  absl::StatusOr<Location> location = LocateBlock(c, surface, offset);
  if (!location.ok()) return location.status();
  NoteIfOutside(c, surface, offset, static_cast<uint64_t>(c.m.block_bytes));
  return ForEachDword(c, [&](int i, int at) {
    WriteTo(*location, i, 4, c.source.Read32(c.Payload(1 + at / 32) + at % 32));
  });
}

absl::Status CheckRegisters(const Call& c) {
  const bool fits = c.regs.src0 + c.m.mlen <= kGrfCount &&
                    (c.m.ex_mlen == 0 || c.regs.src1 + c.m.ex_mlen <= kGrfCount) &&
                    (c.regs.dst < 0 || c.regs.dst + c.m.rlen <= kGrfCount);
  if (!fits) return absl::OutOfRangeError("payload or response beyond the register file");
  if (c.regs.dst < 0 && c.m.rlen > 0 && c.m.kind != MessageKind::kFence) {
    return absl::InvalidArgumentError("response without destination");
  }
  return absl::OkStatus();
}

ByteRange Existing(const Location& location, uint64_t bytes) {
  const Surface& s = location.surface;
  if (location.offset >= s.size) return {};
  return {s.data + location.offset, std::min(bytes, s.size - location.offset), location.offset};
}

uint64_t BlockStart(const Call& c) {
  const bool scratch =
      c.m.kind == MessageKind::kScratchRead || c.m.kind == MessageKind::kScratchWrite;
  return scratch ? c.m.scratch_offset : BlockOffset(c);
}

}  // namespace

bool GoesByLanes(const Message& message) {
  switch (message.kind) {
    case MessageKind::kGather:
    case MessageKind::kScatter:
    case MessageKind::kAtomic:
    case MessageKind::kFloatAtomic:
    case MessageKind::kTypedRead:
    case MessageKind::kTypedWrite:
    case MessageKind::kTypedAtomic: return true;
    default: return false;
  }
}

absl::StatusOr<ByteRange> BytesOf(const Message& message, const MessageRegisters& registers,
                                  int lane, const MemoryView& memory, Thread& thread) {
  const Call c{message, registers, 1u << lane, memory, thread, thread};
  absl::Status status = CheckRegisters(c);
  if (!status.ok()) return status;
  if (IsTyped(message)) return TexelBytesOf(c, lane);
  Surface surface;
  if (!message.a64) {
    absl::StatusOr<Surface> found = SurfaceOf(c);
    if (!found.ok()) return found.status();
    surface = *found;
  }
  const bool by_lanes = GoesByLanes(message);
  const uint64_t bytes = by_lanes ? Extent(message) : message.block_bytes;
  const uint64_t where = by_lanes ? LaneAddress(c, lane) : BlockStart(c);
  absl::StatusOr<Location> location = Locate(c, surface, where, bytes);
  if (!location.ok()) return location.status();
  ByteRange range = Existing(*location, bytes);
  if (message.a64) range.offset = where;
  return range;
}

std::string MemoryView::SurfaceText(const Message& message) const {
  if (message.surface == kSurfaceShared) return "shared memory";
  if (message.surface == kSurfaceStateless || message.surface == kSurfaceStatelessCoherent) {
    return "scratch memory";
  }
  const size_t place = SurfacePlace(message);
  const std::string surface = absl::StrFormat("surface %s", SurfaceName(message));
  const bool known = place < surface_names.size() && !surface_names[place].empty();
  if (known) return absl::StrFormat("%s (%s)", surface_names[place], surface);
  // The index was computed and is outside its array, most likely the array before it.
  if (message.surface == kSurfaceBindless) return surface;
  const auto end = surface_names.begin() + std::min(place, surface_names.size());
  const auto last = std::find_if(std::reverse_iterator(end), surface_names.rend(),
                                 [](const std::string& name) { return !name.empty(); });
  if (last == surface_names.rend()) return surface;
  return absl::StrFormat("%s (behind %s, surface %d)", surface, *last,
                         surface_names.rend() - last - 1);
}

size_t SurfacePlace(const Message& m) {
  if (m.surface != kSurfaceBindless) return m.surface;
  if (m.handle < kFirstBindlessSurface) return SIZE_MAX;
  return kBindlessPlace + (m.handle - kFirstBindlessSurface);
}

absl::Status ExecuteMessage(const Message& message, const MessageRegisters& registers,
                            uint32_t enabled, const MemoryView& memory, Thread& thread) {
  const Thread before = thread;
  return ExecuteMessage(message, registers, enabled, memory, before, thread);
}

absl::Status ExecuteMessage(const Message& message, const MessageRegisters& registers,
                            uint32_t enabled, const MemoryView& memory, const Thread& source,
                            Thread& thread) {
  const Call c{message, registers, enabled, memory, thread, source};
  absl::Status status = CheckRegisters(c);
  if (!status.ok()) return status;
  if (message.kind == MessageKind::kFence) return absl::OkStatus();
  if (enabled == 0) return absl::OkStatus();
  switch (message.kind) {
    case MessageKind::kSample: return ExecuteSampler(c);
    case MessageKind::kTypedRead:
    case MessageKind::kTypedWrite:
    case MessageKind::kTypedAtomic: return ExecuteTyped(c);
    default: break;
  }
  Surface surface;
  if (!message.a64) {
    absl::StatusOr<Surface> found = SurfaceOf(c);
    if (!found.ok()) return found.status();
    surface = *found;
  }
  switch (message.kind) {
    case MessageKind::kGather: return Gather(c, surface);
    case MessageKind::kScatter: return Scatter(c, surface);
    case MessageKind::kAtomic:
    case MessageKind::kFloatAtomic: return Atomic(c, surface);
    case MessageKind::kBlockRead: return BlockRead(c, surface, BlockOffset(c));
    case MessageKind::kBlockWrite: return BlockWrite(c, surface, BlockOffset(c));
    case MessageKind::kScratchRead: return BlockRead(c, surface, message.scratch_offset);
    case MessageKind::kScratchWrite: return BlockWrite(c, surface, message.scratch_offset);
    default: return absl::InternalError("not a data port message");
  }
}

}  // namespace kiln::sim::eu
