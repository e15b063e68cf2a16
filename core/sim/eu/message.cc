// See message.h. One function per shared function and family of message types.
#include "core/sim/eu/message.h"

#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace kiln::sim::eu {
namespace {

uint32_t Bits(uint32_t v, int high, int low) { return (v >> low) & ((2u << (high - low)) - 1); }

// The longest sampler payload, header included (PRM, "Sampler messages": message length 0..11).
constexpr int kMaxSamplerPayload = 11;
// Of an extended descriptor: the length of the second payload.
constexpr uint32_t kLength = 0x7c0;

absl::Status Unsupported(absl::string_view what, uint32_t desc) {
  return absl::UnimplementedError(
      absl::StrFormat("unsupported message: %s (desc 0x%08x)", what, desc));
}

absl::Status Malformed(absl::string_view what, uint32_t desc) {
  return absl::InvalidArgumentError(
      absl::StrFormat("malformed message: %s (desc 0x%08x)", what, desc));
}

absl::Status SetSimd3(Message& m, uint32_t desc) {
  switch (Bits(desc, 13, 12)) {
    case 1:
      m.simd = 16;
      return absl::OkStatus();
    case 2:
      m.simd = 8;
      return absl::OkStatus();
  }
  return Unsupported("untyped message of another SIMD mode than 8 or 16", desc);
}

absl::Status Untyped(Message& m, uint32_t desc, bool write, bool a64) {
  m.kind = write ? MessageKind::kScatter : MessageKind::kGather;
  m.a64 = a64;
  m.channel_mask = ~Bits(desc, 11, 8) & 0xf;
  if (m.channel_mask == 0) return Malformed("no channel is enabled", desc);
  m.elements = static_cast<uint8_t>(std::bit_width(m.channel_mask));
  return SetSimd3(m, desc);
}

// Byte scattered: 1, 2 or 4 bytes in a dword of the register.
absl::Status ByteScattered(Message& m, uint32_t desc, bool write) {
  m.kind = write ? MessageKind::kScatter : MessageKind::kGather;
  m.simd = Bits(desc, 8, 8) ? 16 : 8;
  const uint32_t size = Bits(desc, 11, 10);
  if (size == 3) return Malformed("data size", desc);
  m.element_bytes = static_cast<uint8_t>(1 << size);
  return absl::OkStatus();
}

absl::Status DwordScattered(Message& m, uint32_t desc, bool write) {
  m.kind = write ? MessageKind::kScatter : MessageKind::kGather;
  m.simd = Bits(desc, 8, 8) ? 16 : 8;
  m.dword_addresses = true;
  return absl::OkStatus();
}

absl::Status A64Scattered(Message& m, uint32_t desc, bool write) {
  m.kind = write ? MessageKind::kScatter : MessageKind::kGather;
  m.a64 = true;
  m.simd = Bits(desc, 12, 12) ? 16 : 8;
  const uint32_t type = Bits(desc, 9, 8);  // byte, dword, qword
  const int count = 1 << Bits(desc, 11, 10);
  switch (type) {
    case 0:  // the number of elements is the number of bytes, packed into a dword
      if (count > 4) return Malformed("data elements", desc);
      m.element_bytes = static_cast<uint8_t>(count);
      break;
    case 1:
    case 2:
      m.element_bytes = type == 1 ? 4 : 8;
      m.elements = static_cast<uint8_t>(count);
      m.channel_mask = static_cast<uint8_t>((1 << count) - 1);
      break;
    default:
      return Malformed("data type", desc);
  }
  return absl::OkStatus();
}

absl::Status Block(Message& m, uint32_t desc, bool write, bool bytes) {
  static constexpr uint16_t kBytes[6] = {16, 16, 32, 64, 128, 256};
  const uint32_t size = Bits(desc, 10, 8);
  if (size > 5) return Malformed("block size", desc);
  if (!m.header) return Malformed("block message without header", desc);
  m.kind = write ? MessageKind::kBlockWrite : MessageKind::kBlockRead;
  m.simd = 1;
  m.block_bytes = kBytes[size];
  m.block_high_oword = size == 1;
  m.byte_offset = bytes;
  return absl::OkStatus();
}

absl::Status A64Block(Message& m, uint32_t desc, bool write) {
  if (!m.header) return Malformed("block message without header", desc);
  m.kind = write ? MessageKind::kBlockWrite : MessageKind::kBlockRead;
  m.simd = 1;
  m.a64 = true;
  const uint32_t size = Bits(desc, 10, 8);
  if (Bits(desc, 12, 11) >= 2) {
    if (size > 3) return Malformed("block size", desc);
    m.block_bytes = static_cast<uint16_t>(32 << size);
    return absl::OkStatus();
  }
  static constexpr uint16_t kBytes[6] = {16, 16, 32, 64, 128, 256};
  if (size > 5) return Malformed("block size", desc);
  m.block_bytes = kBytes[size];
  m.block_high_oword = size == 1;
  return absl::OkStatus();
}

absl::Status Scratch(Message& m, uint32_t desc) {
  if (!m.header) return Malformed("scratch message without header", desc);
  m.kind = Bits(desc, 17, 17) ? MessageKind::kScratchWrite : MessageKind::kScratchRead;
  m.simd = 1;
  m.surface = kSurfaceStatelessCoherent;
  m.block_bytes = static_cast<uint16_t>(32 << Bits(desc, 13, 12));
  m.scratch_offset = Bits(desc, 11, 0) * 32;
  m.channel_mask = Bits(desc, 16, 16) ? 1 : 0;  // 1: dword channel mode
  return absl::OkStatus();
}

absl::Status Atomic(Message& m, uint32_t desc, bool a64, bool is_float) {
  m.kind = is_float ? MessageKind::kFloatAtomic : MessageKind::kAtomic;
  m.a64 = a64;
  m.returns = Bits(desc, 13, 13);
  m.atomic_op = static_cast<uint8_t>(is_float ? Bits(desc, 10, 8) : Bits(desc, 11, 8));
  if (a64) {
    m.simd = 8;  // the only width of A64 atomics
    if (!is_float && Bits(desc, 12, 12)) m.element_bytes = 8;
    if (!is_float && m.atomic_op == 0) return Unsupported("atomic operation 0", desc);
    if (is_float && Bits(desc, 12, 12)) return Unsupported("A64 float atomic of mode 1", desc);
  } else {
    m.simd = Bits(desc, 12, 12) ? 8 : 16;
    if (!is_float && m.atomic_op == 0) return Unsupported("atomic operation 0", desc);
  }
  if (is_float && (m.atomic_op < 1 || m.atomic_op > 5)) {
    return Unsupported("float atomic operation", desc);
  }
  return absl::OkStatus();
}

// Bits 13:12 choose the lanes: 1 the lower 8, 2 the upper 8.
absl::Status Typed(Message& m, uint32_t desc, MessageKind kind) {
  m.kind = kind;
  m.channel_mask = ~Bits(desc, 11, 8) & 0xf;
  if (m.channel_mask == 0) return Malformed("no channel is enabled", desc);
  const uint32_t slots = Bits(desc, 13, 12);
  if (slots != 1 && slots != 2) return Unsupported("typed message of slot group 0 or 3", desc);
  m.high_slots = slots == 2;
  return absl::OkStatus();
}

absl::Status TypedAtomic(Message& m, uint32_t desc) {
  m.kind = MessageKind::kTypedAtomic;
  m.atomic_op = static_cast<uint8_t>(Bits(desc, 11, 8));
  if (m.atomic_op == 0) return Unsupported("atomic operation 0", desc);
  m.high_slots = Bits(desc, 12, 12);
  m.returns = Bits(desc, 13, 13);
  return absl::OkStatus();
}

absl::Status DataCache0(Message& m, uint32_t desc) {
  if (Bits(desc, 18, 18)) return Scratch(m, desc);
  switch (Bits(desc, 18, 14)) {
    case 0:
      return Block(m, desc, false, false);
    case 1:
      return Block(m, desc, false, true);
    case 3:
      return DwordScattered(m, desc, false);
    case 4:
      return ByteScattered(m, desc, false);
    case 7:
      m.kind = MessageKind::kFence;
      m.returns = Bits(desc, 13, 13);
      return absl::OkStatus();
    case 8:
      return Block(m, desc, true, false);
    case 11:
      return DwordScattered(m, desc, true);
    case 12:
      return ByteScattered(m, desc, true);
  }
  return Unsupported(absl::StrFormat("data cache 0 type %d", Bits(desc, 18, 14)), desc);
}

absl::Status DataCache1(Message& m, uint32_t desc) {
  switch (Bits(desc, 18, 14)) {
    case 1:
      return Untyped(m, desc, false, false);
    case 2:
      return Atomic(m, desc, false, false);
    case 5:
      return Typed(m, desc, MessageKind::kTypedRead);
    case 6:
      return TypedAtomic(m, desc);
    case 7:
      return Unsupported("typed half-integer atomic", desc);
    case 9:
      return Untyped(m, desc, true, false);
    case 13:
      return Typed(m, desc, MessageKind::kTypedWrite);
    case 0x10:
      return A64Scattered(m, desc, false);
    case 0x11:
      return Untyped(m, desc, false, true);
    case 0x12:
      return Atomic(m, desc, true, false);
    case 0x14:
      return A64Block(m, desc, false);
    case 0x15:
      return A64Block(m, desc, true);
    case 0x19:
      return Untyped(m, desc, true, true);
    case 0x1a:
      return A64Scattered(m, desc, true);
    case 0x1b:
      return Atomic(m, desc, false, true);
    case 0x1d:
      return Atomic(m, desc, true, true);
  }
  return Unsupported(absl::StrFormat("data cache 1 type %d", Bits(desc, 18, 14)), desc);
}

absl::Status Sampler(Message& m, uint32_t desc, uint32_t ex_desc) {
  const absl::StatusOr<isa::MessageFields> f =
      isa::ParseDescriptor(kGeneration, isa::Sfid::kSampler, desc, ex_desc & kLength);
  if (!f.ok()) return Unsupported(f.status().message(), desc);
  m.kind = MessageKind::kSample;
  m.sampler_message = f->message;
  m.simd = f->lanes;
  m.sampler = f->sampler;
  m.half_params = f->half_params;
  m.half_result = f->half_result;
  return absl::OkStatus();
}

absl::Status ConstantCache(Message& m, uint32_t desc) {
  switch (Bits(desc, 18, 14)) {
    case 0:
      return Block(m, desc, false, false);
    case 1:
      return Block(m, desc, false, true);
    case 3:
      return DwordScattered(m, desc, false);
    case 4:
      return ByteScattered(m, desc, false);
  }
  return Unsupported(absl::StrFormat("constant cache type %d", Bits(desc, 18, 14)), desc);
}

int BlockRegisters(const Message& m) { return (m.block_bytes + 31) / 32; }

// Payload registers the message takes and response registers it gives.
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
    case MessageKind::kGather:
      return {header + address, data};
    case MessageKind::kScatter:
      return {header + address + data, 0};
    case MessageKind::kAtomic:
    case MessageKind::kFloatAtomic:
      return {header + address + element * AtomicOperands(m), m.returns ? element : 0};
    case MessageKind::kBlockRead:
    case MessageKind::kScratchRead:
      return {1, BlockRegisters(m)};
    case MessageKind::kBlockWrite:
    case MessageKind::kScratchWrite:
      return {1 + BlockRegisters(m), 0};
    case MessageKind::kFence:
      return {1, m.returns ? 1 : 0};
    case MessageKind::kBarrier:
    case MessageKind::kEnd:
      return {1, 0};
    default:
      break;
  }
  return {0, 0};
}

absl::Status LengthError(const Message& m, int payload, int response, uint32_t desc) {
  return Malformed(absl::StrFormat("payload %d+%d and response %d registers, expected %d and %d",
                                   m.mlen, m.ex_mlen, m.rlen, payload, response),
                   desc);
}

// A sampler message may leave out parameters at its end and components of its response.
absl::Status CheckSamplerLengths(const Message& m, uint32_t desc) {
  const auto params = static_cast<int>(isa::Params(kGeneration, m.sampler_message).size());
  const int header = m.header ? 1 : 0;
  const int payload = m.mlen + m.ex_mlen - header;
  const bool known = payload % ParameterRegisters(m) == 0 &&
                     payload <= params * ParameterRegisters(m) &&
                     m.rlen % ResponseRegisters(m) == 0 && m.rlen <= 4 * ResponseRegisters(m);
  if (!known || (payload == 0 && params != 0) || m.rlen == 0) {
    return LengthError(m, header + params * ParameterRegisters(m), 4 * ResponseRegisters(m), desc);
  }
  if (m.mlen + m.ex_mlen > kMaxSamplerPayload) return Malformed("sampler payload too long", desc);
  return absl::OkStatus();
}

// u, then v, r and lod as far as present.
absl::Status CheckTypedLengths(const Message& m, uint32_t desc) {
  const bool atomic = m.kind == MessageKind::kTypedAtomic;
  const int components = std::popcount(m.channel_mask);
  const int data = atomic ? AtomicOperands(m) : m.kind == MessageKind::kTypedWrite ? components : 0;
  const int response = atomic ? (m.returns ? 1 : 0)
                       : m.kind == MessageKind::kTypedRead ? components : 0;
  const int coordinates = m.mlen + m.ex_mlen - data - (m.header ? 1 : 0);
  if (coordinates < 1 || coordinates > 4 || m.rlen != response) {
    return LengthError(m, 1 + data, response, desc);
  }
  return absl::OkStatus();
}

absl::Status CheckLengths(const Message& m, uint32_t desc) {
  switch (m.kind) {
    case MessageKind::kSample:
      return CheckSamplerLengths(m, desc);
    case MessageKind::kTypedRead:
    case MessageKind::kTypedWrite:
    case MessageKind::kTypedAtomic:
      return CheckTypedLengths(m, desc);
    default:
      break;
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
  const bool stateless =
      m.surface == kSurfaceStateless || m.surface == kSurfaceStatelessCoherent;
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
      return false;
    default:
      return true;
  }
}

int ParameterRegisters(const Message& m) { return m.half_params ? 1 : m.simd / 8; }

int ResponseRegisters(const Message& m) { return m.half_result ? 1 : m.simd / 8; }

int AtomicOperands(const Message& m) {
  if (m.kind == MessageKind::kFloatAtomic) return m.atomic_op == 3 ? 2 : 1;
  if (m.atomic_op == 5 || m.atomic_op == 6 || m.atomic_op == 15) return 0;
  return m.atomic_op == 14 ? 2 : 1;
}

absl::StatusOr<Message> DecodeMessage(isa::Sfid sfid, bool eot, uint32_t desc, uint32_t ex_desc) {
  Message m;
  m.mlen = static_cast<uint8_t>(Bits(desc, 28, 25));
  m.rlen = static_cast<uint8_t>(Bits(desc, 24, 20));
  m.ex_mlen = static_cast<uint8_t>(Bits(ex_desc, 10, 6));
  m.header = Bits(desc, 19, 19);
  m.surface = static_cast<uint8_t>(Bits(desc, 7, 0));
  absl::Status status;
  switch (sfid) {
    case isa::Sfid::kDataCache0:
      status = DataCache0(m, desc);
      break;
    case isa::Sfid::kDataCache1:
      status = DataCache1(m, desc);
      break;
    case isa::Sfid::kConstantCache:
      status = ConstantCache(m, desc);
      break;
    case isa::Sfid::kGateway:
      if (Bits(desc, 2, 0) != 4) return Unsupported("gateway function other than barrier", desc);
      m.kind = MessageKind::kBarrier;
      break;
    case isa::Sfid::kThreadSpawner:
      if (!eot) return Unsupported("thread spawner message other than end of thread", desc);
      m.kind = MessageKind::kEnd;
      break;
    case isa::Sfid::kSampler:
      status = Sampler(m, desc, ex_desc);
      break;
    case isa::Sfid::kReadOnly:
      return Unsupported("read-only data port", desc);
    case isa::Sfid::kRenderCache:
      return Unsupported("render cache", desc);
    case isa::Sfid::kUrb:
      return Unsupported("URB", desc);
    case isa::Sfid::kPixelInterpolator:
      return Unsupported("pixel interpolator", desc);
    default:
      return Unsupported(absl::StrFormat("shared function %d", static_cast<int>(sfid)), desc);
  }
  if (!status.ok()) return status;
  if (eot && m.kind != MessageKind::kEnd)
    return Unsupported("end of thread on a data message", desc);
  if (m.a64 && m.surface != kSurfaceStateless && m.surface != kSurfaceStatelessCoherent) {
    return Malformed("A64 message with a surface index", desc);
  }
  if (m.surface == kSurfaceBindless && m.kind != MessageKind::kFence) m.handle = Bits(ex_desc, 31, 12);
  status = CheckLengths(m, desc);
  if (!status.ok()) return status;
  return m;
}

}  // namespace kiln::sim::eu
