// See message.h.
#include "core/sim/eu/message.h"

#include <bit>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

uint32_t Bits(uint32_t v, int high, int low) { return (v >> low) & ((2u << (high - low)) - 1); }

// Length of the second payload, in an extended descriptor.
constexpr uint32_t kLength = 0x3c0;
// ... and, if it is in a register, fields that the instruction has as well: shared function and end
// of thread.
constexpr uint32_t kFunction = 0x3f;

absl::Status Unsupported(absl::string_view what, uint32_t desc) {
  return absl::UnimplementedError(
      absl::StrFormat("unsupported message: %s (desc 0x%08x)", what, desc));
}

absl::Status Malformed(absl::string_view what, uint32_t desc) {
  return absl::InvalidArgumentError(
      absl::StrFormat("malformed message: %s (desc 0x%08x)", what, desc));
}

bool IsA64(isa::MessageLayout layout) {
  using L = isa::MessageLayout;
  return layout == L::kA64Channels || layout == L::kA64Atomic || layout == L::kA64AtomicFloat ||
         layout == L::kA64Scattered || layout == L::kA64Block;
}

// Returns the kind of access of a message.
std::optional<MessageKind> KindOf(isa::Message message) {
  using M = isa::Message;
  switch (message) {
    case M::kUntypedRead:
    case M::kA64UntypedRead:
    case M::kDwordScatteredRead:
    case M::kByteScatteredRead:
    case M::kA64ScatteredRead: return MessageKind::kGather;
    case M::kUntypedWrite:
    case M::kA64UntypedWrite:
    case M::kDwordScatteredWrite:
    case M::kByteScatteredWrite:
    case M::kA64ScatteredWrite: return MessageKind::kScatter;
    case M::kUntypedAtomic:
    case M::kA64Atomic: return MessageKind::kAtomic;
    case M::kUntypedAtomicFloat:
    case M::kA64AtomicFloat: return MessageKind::kFloatAtomic;
    case M::kBlockRead:
    case M::kBlockReadUnaligned:
    case M::kConstBlockRead:
    case M::kConstBlockReadUnaligned:
    case M::kA64BlockRead: return MessageKind::kBlockRead;
    case M::kBlockWrite:
    case M::kA64BlockWrite: return MessageKind::kBlockWrite;
    case M::kScratchRead: return MessageKind::kScratchRead;
    case M::kScratchWrite: return MessageKind::kScratchWrite;
    case M::kTypedRead: return MessageKind::kTypedRead;
    case M::kTypedWrite: return MessageKind::kTypedWrite;
    case M::kTypedAtomic: return MessageKind::kTypedAtomic;
    case M::kMemoryFence: return MessageKind::kFence;
    case M::kBarrier: return MessageKind::kBarrier;
    case M::kTargetWrite: return MessageKind::kTargetWrite;
    case M::kUrbWrite: return MessageKind::kUrbWrite;
    case M::kInterpolateOffset:
    case M::kInterpolateSample:
    case M::kInterpolateCentroid:
    case M::kInterpolateOffsets: return MessageKind::kInterpolate;
    case M::kEndOfThread: return MessageKind::kEnd;
    default: break;
  }
  if (isa::Info(message).sfid == isa::Sfid::kSampler) return MessageKind::kSample;
  return std::nullopt;
}

// Blocks of scratch memory and of owords: the header has the address.
void SetBlock(Message& m, const isa::MessageFields& f) {
  m.simd = 1;
  m.block_bytes = static_cast<uint16_t>(16 * f.owords);
  m.block_high_oword = f.oword_high;
}

void SetLayout(Message& m, const isa::MessageFields& f) {
  using L = isa::MessageLayout;
  switch (isa::Info(f.message).layout) {
    case L::kChannels:
    case L::kA64Channels:
      m.elements = static_cast<uint8_t>(std::bit_width(f.channels));
      m.channel_mask = f.channels;
      break;
    case L::kTypedChannels: m.channel_mask = f.channels; break;
    case L::kByteScattered:
    case L::kA64Scattered: m.element_bytes = f.element_bytes; break;
    case L::kDwordScattered: m.dword_addresses = true; break;
    case L::kA64Atomic: m.element_bytes = f.data64 ? 8 : 4; break;
    case L::kBlock:
      SetBlock(m, f);
      m.byte_offset = f.message == isa::Message::kBlockReadUnaligned ||
                      f.message == isa::Message::kConstBlockReadUnaligned;
      break;
    case L::kA64Block:
      SetBlock(m, f);
      m.unaligned = f.unaligned;
      break;
    case L::kScratch:
      m.simd = 1;
      m.surface = kSurfaceStatelessCoherent;
      m.block_bytes = static_cast<uint16_t>(32 * f.scratch_registers);
      m.scratch_offset = uint32_t{f.scratch_offset} * 32;
      m.dword_mode = f.dword_mode;
      break;
    default: break;
  }
}

InterpolatedPlace PlaceOf(isa::Message message) {
  switch (message) {
    case isa::Message::kInterpolateSample: return InterpolatedPlace::kSample;
    case isa::Message::kInterpolateCentroid: return InterpolatedPlace::kCentroid;
    case isa::Message::kInterpolateOffsets: return InterpolatedPlace::kOffsets;
    default: return InterpolatedPlace::kOffset;
  }
}

// Fields of the descriptor, by the rows of core/intel/isa.
absl::StatusOr<Message> FromFields(const isa::MessageFields& f, uint32_t desc) {
  const std::optional<MessageKind> kind = KindOf(f.message);
  if (!kind) return Unsupported(isa::Info(f.message).name, desc);
  Message m;
  m.kind = *kind;
  m.simd = f.lanes;
  m.mlen = f.mlen;
  m.ex_mlen = f.ex_mlen;
  m.rlen = f.rlen;
  m.header = f.header;
  m.surface = f.bti;
  m.a64 = IsA64(isa::Info(f.message).layout);
  m.atomic_op = f.op;
  m.returns = f.returns || f.commit;
  m.high_slots = f.high_slots;
  m.message = f.message;
  m.sampler = f.sampler;
  m.half_params = f.half_params;
  m.half_result = f.half_result;
  m.target_form = f.form;
  m.target = f.target;
  m.last_target = f.last_target;
  m.null_target = f.null_target;
  m.per_sample = f.per_sample;
  m.alpha0 = f.alpha0;
  m.place = PlaceOf(f.message);
  m.offset_x = f.offset_x;
  m.offset_y = f.offset_y;
  m.sample = f.sample;
  m.linear = f.linear;
  m.urb_offset = f.urb_offset;
  m.urb_lane_offsets = f.urb_lane_offsets;
  m.urb_masks = f.urb_masks;
  SetLayout(m, f);
  return m;
}

int BlockRegisters(const Message& m) { return (m.block_bytes + 31) / 32; }

// Payload registers that the message reads and response registers that it writes.
struct Lengths {
  int payload;
  int response;
};

Lengths Expected(const Message& m) {
  const int header = m.header ? 1 : 0;
  const int address = m.simd == 1 ? 0 : LaneRegisters(m, m.a64 ? 8 : 4);
  const int element = LaneRegisters(m, m.element_bytes == 8 ? 8 : 4);
  const int data = element * std::popcount(m.channel_mask);
  switch (m.kind) {
    case MessageKind::kGather: return {header + address, data};
    case MessageKind::kScatter: return {header + address + data, 0};
    case MessageKind::kAtomic:
    case MessageKind::kFloatAtomic:
      return {header + address + element * AtomicOperands(m), m.returns ? element : 0};
    case MessageKind::kBlockRead:
    case MessageKind::kScratchRead: return {1, BlockRegisters(m)};
    case MessageKind::kBlockWrite:
    case MessageKind::kScratchWrite: return {1 + BlockRegisters(m), 0};
    case MessageKind::kFence: return {1, m.returns ? 1 : 0};
    case MessageKind::kInterpolate:
      return {m.place == InterpolatedPlace::kOffsets ? 2 * m.simd / 8 : 1, 2 * m.simd / 8};
    case MessageKind::kBarrier:
    case MessageKind::kEnd: return {1, 0};
    default: break;
  }
  return {0, 0};
}

absl::Status LengthError(const Message& m, int payload, int response, uint32_t desc) {
  return Malformed(absl::StrFormat("payload %d+%d and response %d registers, expected %d and %d",
                                   m.mlen, m.ex_mlen, m.rlen, payload, response),
                   desc);
}

// A sampler message may omit parameters at its end and components of its response.
absl::Status CheckSamplerLengths(const Message& m, uint32_t desc) {
  const auto params = static_cast<int>(isa::Params(kGeneration, m.message).size());
  const int header = m.header ? 1 : 0;
  const int payload = m.mlen + m.ex_mlen - header;
  const bool known = payload % ParameterRegisters(m) == 0 &&
                     payload <= params * ParameterRegisters(m) &&
                     m.rlen % ResponseRegisters(m) == 0 && m.rlen <= 4 * ResponseRegisters(m);
  if (!known || (payload == 0 && params != 0) || m.rlen == 0) {
    return LengthError(m, header + params * ParameterRegisters(m), 4 * ResponseRegisters(m), desc);
  }
  if (m.mlen + m.ex_mlen > isa::kMaxSamplerPayload)
    return Malformed("sampler payload too long", desc);
  return absl::OkStatus();
}

// "The write data payload can be between 1 and 8 message phases long" (Broadwell PRM, volume 7,
// Shared Functions, Unified Return Buffer).
absl::Status CheckUrbLengths(const Message& m, uint32_t desc) {
  if (m.rlen != 0) return Malformed("a response", desc);
  const int data = UrbData(m);
  if (data >= 1 && data <= 8) return absl::OkStatus();
  return Malformed(absl::StrFormat("%d registers of data to the URB, 1 to 8 can be", data), desc);
}

// u, then v, r and lod as far as present.
absl::Status CheckTypedLengths(const Message& m, uint32_t desc) {
  const bool atomic = m.kind == MessageKind::kTypedAtomic;
  const int components = std::popcount(m.channel_mask);
  const int data = atomic ? AtomicOperands(m) : m.kind == MessageKind::kTypedWrite ? components : 0;
  const int response = atomic                              ? (m.returns ? 1 : 0)
                       : m.kind == MessageKind::kTypedRead ? components
                                                           : 0;
  const int coordinates = m.mlen + m.ex_mlen - data - (m.header ? 1 : 0);
  if (coordinates < 1 || coordinates > 4 || m.rlen != response) {
    return LengthError(m, 1 + data, response, desc);
  }
  return absl::OkStatus();
}

absl::Status CheckLengths(const Message& m, uint32_t desc) {
  switch (m.kind) {
    case MessageKind::kTargetWrite:
      return m.rlen == 0 ? absl::OkStatus() : Malformed("a response", desc);
    case MessageKind::kUrbWrite: return CheckUrbLengths(m, desc);
    case MessageKind::kSample: return CheckSamplerLengths(m, desc);
    case MessageKind::kTypedRead:
    case MessageKind::kTypedWrite:
    case MessageKind::kTypedAtomic: return CheckTypedLengths(m, desc);
    default: break;
  }
  const Lengths want = Expected(m);
  if (m.mlen + m.ex_mlen != want.payload || m.rlen != want.response) {
    return LengthError(m, want.payload, want.response, desc);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsTyped(const Message& m) {
  return m.kind == MessageKind::kTypedRead || m.kind == MessageKind::kTypedWrite ||
         m.kind == MessageKind::kTypedAtomic;
}

bool IsOwnScratch(const Message& m) {
  if (m.kind == MessageKind::kScratchWrite) return true;
  const bool stateless = m.surface == kSurfaceStateless || m.surface == kSurfaceStatelessCoherent;
  return m.kind == MessageKind::kBlockWrite && !m.a64 && stateless;
}

bool HasSideEffects(const Message& m) {
  switch (m.kind) {
    case MessageKind::kGather:
    case MessageKind::kBlockRead:
    case MessageKind::kScratchRead:
    case MessageKind::kFence:
    case MessageKind::kTypedRead:
    case MessageKind::kSample:
    case MessageKind::kInterpolate: return false;
    default: return true;
  }
}

int ParameterRegisters(const Message& m) { return m.half_params ? 1 : m.simd / 8; }

int ResponseRegisters(const Message& m) { return m.half_result ? 1 : m.simd / 8; }

int UrbData(const Message& m) {
  return m.mlen + m.ex_mlen - 1 - (m.urb_lane_offsets ? 1 : 0) - (m.urb_masks ? 1 : 0);
}

int AtomicOperands(const Message& m) {
  if (m.kind == MessageKind::kFloatAtomic) return m.atomic_op == 3 ? 2 : 1;
  if (m.atomic_op == 5 || m.atomic_op == 6 || m.atomic_op == 15) return 0;
  return m.atomic_op == 14 ? 2 : 1;
}

absl::StatusOr<Message> DecodeMessage(isa::Sfid sfid, bool eot, uint32_t desc, uint32_t ex_desc) {
  // In a register the upper bits are a bindless surface's handle, and the lowest repeat the shared
  // function.
  const bool bindless = sfid != isa::Sfid::kGateway && Bits(desc, 7, 0) == kSurfaceBindless;
  const uint32_t extended = ex_desc & (bindless ? kLength : ~kFunction);
  const absl::StatusOr<isa::MessageFields> fields =
      isa::ParseDescriptor(kGeneration, sfid, desc, extended);
  if (!fields.ok()) return absl::UnimplementedError(fields.status().message());
  absl::StatusOr<Message> m = FromFields(*fields, desc);
  if (!m.ok()) return m.status();
  const bool may_end = m->kind == MessageKind::kTargetWrite || m->kind == MessageKind::kUrbWrite;
  if (eot != (m->kind == MessageKind::kEnd) && !may_end) {
    return Unsupported("this message cannot end a thread, or has to", desc);
  }
  m->ends = eot;
  const isa::HeaderNeed need = isa::Info(fields->message).header;
  if (need == isa::HeaderNeed::kRequired && !m->header) return Malformed("no header", desc);
  if (need == isa::HeaderNeed::kForbidden && m->header) return Malformed("a header", desc);
  if (m->a64 && m->surface != kSurfaceStateless && m->surface != kSurfaceStatelessCoherent) {
    return Malformed("A64 message with a surface index", desc);
  }
  if (m->surface == kSurfaceBindless && m->kind != MessageKind::kFence) {
    m->handle = Bits(ex_desc, 31, 12);
  }
  if (absl::Status s = CheckLengths(*m, desc); !s.ok()) return s;
  return m;
}

}  // namespace kiln::sim::eu
