// See buffer.h. Addresses and bounds: resource/buffer_address.h; formats: resource/typed_buffer.h.
#include "core/sim/rdna2/buffer.h"

#include <array>
#include <cstring>
#include <optional>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/resource/buffer_address.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/rdna2/resource/typed_buffer.h"
#include "core/sim/rdna2/transfer.h"

namespace kiln::sim::rdna2 {
namespace {

class BufferAccess {
 public:
  BufferAccess(const Op& op, const BufferResource& resource, Context& context, WaveState& wave)
      : op_(op),
        access_(AccessOf(op.inst.op)),
        resource_(resource),
        context_(context),
        wave_(wave) {}

  absl::Status Run(int lane) {
    const BufferOffsets offsets = OffsetsOf(lane);
    switch (access_.kind) {
      case AccessKind::kAtomic: return Atomic(offsets, lane);
      case AccessKind::kLoad: return Load(offsets, lane);
      default: return Store(offsets, lane);
    }
  }

  absl::Status RunTyped(const TypedBuffer& typed, int lane) {
    const std::optional<uint64_t> address = BufferAddress(resource_, OffsetsOf(lane));
    if (!address) ++context_.outside;
    if (address && access_.kind == AccessKind::kFormatLoad &&
        *address % static_cast<uint64_t>(typed.Alignment()) != 0) {
      return OpError(absl::StatusCode::kOutOfRange, op_, wave_.size,
                     absl::StrFormat("a formatted load of %d bytes that is not aligned, lane %d",
                                     typed.Bytes(), lane));
    }
    if (address) Note(*address, static_cast<uint32_t>(typed.Bytes()));
    std::array<uint8_t, 16> bytes{};
    const auto size = static_cast<uint32_t>(typed.Bytes());
    if (address && !context_.memory->Read(*address, size, bytes.data())) {
      return NothingThere(*address, lane);
    }
    std::array<uint32_t, 4> data;
    const auto dwords = static_cast<size_t>(typed.Dwords());
    for (size_t i = 0; i < dwords; ++i) data[i] = Register(static_cast<int>(i), lane);
    const absl::Span<uint32_t> used(data.data(), dwords);
    if (access_.kind == AccessKind::kFormatLoad) {
      LoadTyped(typed, address ? bytes.data() : nullptr, used);
      for (size_t i = 0; i < dwords; ++i) Register(static_cast<int>(i), lane) = data[i];
      return absl::OkStatus();
    }
    if (!address) return absl::OkStatus();
    if (absl::Status s = StoreTyped(typed, used, bytes.data()); !s.ok()) return s;
    return context_.memory->Write(*address, size, bytes.data()) ? absl::OkStatus()
                                                                : NothingThere(*address, lane);
  }

 private:
  uint32_t& Register(int i, int lane) {
    return wave_.vector[static_cast<size_t>(op_.inst.dst.vgpr()) + i][static_cast<size_t>(lane)];
  }

  BufferOffsets OffsetsOf(int lane) const {
    BufferOffsets offsets;
    if (op_.inst.idxen || op_.inst.offen) {
      const auto vgpr = static_cast<size_t>(op_.inst.src[0].vgpr());
      const auto at = static_cast<size_t>(lane);
      if (op_.inst.idxen) offsets.index = wave_.vector[vgpr][at];
      if (op_.inst.offen) offsets.voffset = wave_.vector[vgpr + (op_.inst.idxen ? 1 : 0)][at];
    }
    offsets.soffset = Scalar32(wave_, op_, op_.inst.src[2]);
    offsets.inst = static_cast<uint32_t>(op_.inst.offset);
    offsets.thread = static_cast<uint32_t>(lane);
    return offsets;
  }

  void Note(uint64_t address, uint32_t bytes) const {
    context_.Note(Space::kMemory, address, bytes, UseOf(access_.kind));
  }

  absl::Status NothingThere(uint64_t address, int lane) const {
    return OpError(
        absl::StatusCode::kOutOfRange, op_, wave_.size,
        absl::StrFormat("address 0x%x of a V# lies in no allocation, lane %d", address, lane));
  }

  // Each dword is judged by itself.
  absl::Status Load(const BufferOffsets& offsets, int lane) {
    std::array<uint8_t, 16> bytes{};
    const uint32_t step = access_.bytes < 4 ? access_.bytes : 4;
    bool outside = false;
    for (uint32_t i = 0; i < access_.bytes; i += step) {
      const std::optional<uint64_t> address = BufferAddress(resource_, offsets, i);
      outside |= !address;
      if (address) Note(*address, step);
      if (address && !context_.memory->Read(*address, step, bytes.data() + i)) {
        return NothingThere(*address, lane);
      }
    }
    if (outside) ++context_.outside;
    StoreLoaded(access_, bytes.data(), op_.inst.dst.vgpr(), lane, wave_);
    return absl::OkStatus();
  }

  absl::Status Store(const BufferOffsets& offsets, int lane) {
    const auto bytes = BytesToStore(access_, op_.inst.dst.vgpr(), lane, wave_);
    const uint32_t step = access_.bytes < 4 ? access_.bytes : 4;
    bool outside = false;
    for (uint32_t i = 0; i < access_.bytes; i += step) {
      const std::optional<uint64_t> address = BufferAddress(resource_, offsets, i);
      outside |= !address;
      if (address) Note(*address, step);
      if (address && !context_.memory->Write(*address, step, bytes.data() + i)) {
        return NothingThere(*address, lane);
      }
    }
    if (outside) ++context_.outside;
    return absl::OkStatus();
  }

  absl::Status Atomic(const BufferOffsets& offsets, int lane) {
    const std::optional<uint64_t> address = BufferAddress(resource_, offsets);
    uint8_t* at = nullptr;
    if (address) {
      if (*address % access_.bytes != 0) {
        return OpError(absl::StatusCode::kOutOfRange, op_, wave_.size,
                       absl::StrFormat("an atomic that is not aligned, lane %d", lane));
      }
      const absl::StatusOr<uint8_t*> found =
          context_.memory->space.Resolve(*address, access_.bytes);
      if (!found.ok()) return NothingThere(*address, lane);
      at = *found;
      Note(*address, access_.bytes);
    } else {
      ++context_.outside;
    }
    const int data = op_.inst.dst.vgpr();
    AtomicAt(access_, at, data, op_.inst.glc ? data : -1, lane, wave_);
    return absl::OkStatus();
  }

  const Op& op_;
  const Access& access_;
  const BufferResource& resource_;
  Context& context_;
  WaveState& wave_;
};

}  // namespace

absl::Status ExecuteBuffer(const Op& op, Context& context, WaveState& w) {
  if (op.inst.op == isa::Opcode::kBufferGl0Inv || op.inst.op == isa::Opcode::kBufferGl1Inv) {
    return absl::OkStatus();
  }
  if (op.inst.lds) return NotModelled(op, w.size, "load into LDS");
  const AccessKind kind = AccessOf(op.inst.op).kind;
  if (kind == AccessKind::kOther) return NotModelled(op, w.size, "buffer operation");
  BufferWords words;
  std::memcpy(words.data(), &w.scalar[op.inst.src[1].code], sizeof(words));
  const BufferResource resource = DecodeBuffer(words);
  BufferAccess access(op, resource, context, w);
  absl::Status status;
  if (kind == AccessKind::kFormatLoad || kind == AccessKind::kFormatStore) {
    const absl::StatusOr<TypedBuffer> typed = TypedBufferOf(op.inst, resource);
    if (!typed.ok()) return NotModelled(op, w.size, typed.status().message());
    ForLanes(w.Exec(), context.order, [&](int lane) {
      if (status.ok()) status = access.RunTyped(*typed, lane);
    });
    return status;
  }
  ForLanes(w.Exec(), context.order, [&](int lane) {
    if (status.ok()) status = access.Run(lane);
  });
  return status;
}

}  // namespace kiln::sim::rdna2
