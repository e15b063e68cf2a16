// See flat.h. Scratch is swizzled: dword d of lane l lies at FLAT_SCRATCH + 4 (d * lanes + l)
// (LLVM, AMDGPUUsage, "Private segment"). The byte in it is an unsigned register plus a signed
// offset, and the sum has more than 32 bits: for gfx1030 LLVM 19 adds constants to a base that may
// be negative with an instruction of its own, and puts them into the offset field of bases that
// cannot be.
#include "core/sim/rdna2/flat.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/transfer.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;

uint64_t GlobalAddress(const Op& op, const WaveState& w, int lane) {
  const isa::Operand scalar = op.inst.src[2];
  const auto offset = static_cast<uint64_t>(int64_t{op.inst.offset});
  const auto vgpr = static_cast<size_t>(op.inst.src[0].vgpr());
  const auto at = static_cast<size_t>(lane);
  if (scalar.exists()) return w.Scalar64(scalar.code) + w.vector[vgpr][at] + offset;
  return (w.vector[vgpr][at] | uint64_t{w.vector[vgpr + 1][at]} << 32) + offset;
}

// Byte of the lane's scratch. An access with a scalar address has none in a VGPR, whatever its
// field says (Mesa's binaries have bits there).
int64_t ScratchOffset(const Op& op, const WaveState& w, int lane) {
  const int64_t offset = op.inst.offset;
  if (op.inst.src[2].exists()) return offset + Scalar32(w, op, op.inst.src[2]);
  if (!op.inst.src[0].exists()) return offset;
  return offset + static_cast<uint32_t>(LaneSource(w, op, 0, lane));
}

class FlatAccess {
 public:
  FlatAccess(const Op& op, Context& context, WaveState& wave)
      : op_(op), access_(AccessOf(op.inst.op)), context_(context), wave_(wave) {}

  absl::Status Run(int lane) {
    if (op_.info->encoding == Encoding::kScratch) return RunScratch(lane);
    const uint64_t address = GlobalAddress(op_, wave_, lane);
    const absl::StatusOr<uint8_t*> at = context_.memory->space.Resolve(address, access_.bytes);
    if (!at.ok()) return Error(lane, at.status().message());
    context_.Note(Space::kMemory, address, access_.bytes, UseOf(access_.kind));
    if (access_.kind == AccessKind::kAtomic) {
      if (address % access_.bytes != 0) return Error(lane, "an atomic that is not aligned");
      const int result = op_.inst.glc ? op_.inst.dst.vgpr() : -1;
      AtomicAt(access_, *at, op_.inst.src[1].vgpr(), result, lane, wave_);
    } else if (access_.kind == AccessKind::kLoad) {
      StoreLoaded(access_, *at, op_.inst.dst.vgpr(), lane, wave_);
    } else {
      const auto bytes = BytesToStore(access_, op_.inst.src[1].vgpr(), lane, wave_);
      std::copy_n(bytes.begin(), access_.bytes, *at);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Error(int lane, absl::string_view what) const {
    return OpError(absl::StatusCode::kOutOfRange, op_, wave_.size,
                   absl::StrFormat("%s, lane %d", what, lane));
  }

  absl::StatusOr<uint8_t*> ScratchByte(uint32_t offset, int lane) const {
    const uint64_t dword =
        uint64_t{offset / 4} * static_cast<uint64_t>(wave_.lanes()) + static_cast<uint64_t>(lane);
    return context_.memory->space.Resolve(wave_.flat_scratch + 4 * dword + offset % 4, 1);
  }

  absl::Status RunScratch(int lane) {
    const int64_t offset = ScratchOffset(op_, wave_, lane);
    if (wave_.flat_scratch != context_.scratch) {
      return Error(lane, absl::StrFormat("FLAT_SCRATCH is 0x%x, the wave's scratch is at 0x%x",
                                         wave_.flat_scratch, context_.scratch));
    }
    if (offset < 0 || offset + access_.bytes > context_.scratch_bytes_per_lane) {
      return Error(lane, absl::StrFormat("byte %d of %d of the lane's scratch", offset,
                                         context_.scratch_bytes_per_lane));
    }
    std::array<uint8_t, 16> bytes{};
    const bool load = access_.kind == AccessKind::kLoad;
    if (!load) bytes = BytesToStore(access_, op_.inst.src[1].vgpr(), lane, wave_);
    for (uint32_t i = 0; i < access_.bytes; ++i) {
      const absl::StatusOr<uint8_t*> at = ScratchByte(static_cast<uint32_t>(offset) + i, lane);
      if (!at.ok()) return Error(lane, at.status().message());
      (load ? bytes[i] : **at) = load ? **at : bytes[i];
    }
    if (load) StoreLoaded(access_, bytes.data(), op_.inst.dst.vgpr(), lane, wave_);
    return absl::OkStatus();
  }

  const Op& op_;
  const Access& access_;
  Context& context_;
  WaveState& wave_;
};

}  // namespace

absl::Status ExecuteFlat(const Op& op, Context& context, WaveState& wave) {
  if (AccessOf(op.inst.op).kind == AccessKind::kOther || op.inst.lds) {
    return NotModelled(op, wave.size, "kind of access");
  }
  FlatAccess access(op, context, wave);
  absl::Status status;
  ForLanes(wave.Exec(), context.order, [&](int lane) {
    if (status.ok()) status = access.Run(lane);
  });
  return status;
}

}  // namespace kiln::sim::rdna2
