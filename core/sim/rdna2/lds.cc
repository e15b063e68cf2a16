// See lds.h. Sources: AMD, "RDNA 2" ISA guide, 30 November 2020, chapter 10 and 12.17. The order of
// what is compared and what is swapped in is the opposite of that of buffers.
//
// An address is the sum of register and offset modulo 2^32: LLVM 19 puts additions to a base of
// unknown sign into the offset field for gfx1030, and not for the first generation, whose adder has
// 16 bits. Loads and stores need no alignment: Linux's amdgpu sets SH_MEM_CONFIG.ALIGNMENT_MODE to
// UNALIGNED, in which LLVM 19 loads 16 bytes from any address with one ds_read_b128. Atomics must
// be aligned in every mode; else they are memory violations (AMD, "RDNA 3" ISA guide, 3.3.4.1).
#include "core/sim/rdna2/lds.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_format.h"
#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/dpp.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/transfer.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

bool Compares(AtomicOp op) {
  return op == AtomicOp::kCompareSwap || op == AtomicOp::kFloatCompareSwap;
}

class DsAccess {
 public:
  DsAccess(const Op& op, Context& context, WaveState& wave)
      : op_(op), access_(AccessOf(op.inst.op)), context_(context), wave_(wave) {}

  absl::Status Run(int lane) {
    const auto base = static_cast<uint32_t>(LaneSource(wave_, op_, 0, lane));
    const auto offset = static_cast<uint32_t>(op_.inst.offset);
    if (!access_.two) return One(lane, base + offset, 0);
    const uint32_t unit = access_.bytes * (access_.stride64 ? 64u : 1u);
    if (absl::Status s = One(lane, base + offset * unit, 0); !s.ok()) return s;
    return One(lane, base + op_.inst.offset1 * unit, 1);
  }

 private:
  // Returns the bytes of an access; null if it is not inside.
  uint8_t* At(uint32_t address) {
    const absl::Span<uint8_t> lds = context_.lds;
    if (address <= lds.size() && lds.size() - address >= access_.bytes) {
      context_.Note(Space::kLds, address, access_.bytes, UseOf(access_.kind));
      return lds.data() + address;
    }
    ++context_.outside;
    return nullptr;
  }

  // `second`: which of two.
  absl::Status One(int lane, uint32_t address, int second) {
    if (access_.kind == AccessKind::kAtomic && address % access_.bytes != 0) {
      return OpError(absl::StatusCode::kOutOfRange, op_, wave_.size,
                     absl::StrFormat("an atomic of LDS that is not aligned, lane %d", lane));
    }
    uint8_t* const at = At(address);
    const int dwords = std::max(1, access_.bytes / 4);
    switch (access_.kind) {
      case AccessKind::kLoad: {
        std::array<uint8_t, 16> bytes{};
        if (at != nullptr) std::memcpy(bytes.data(), at, access_.bytes);
        StoreLoaded(access_, bytes.data(), op_.inst.dst.vgpr() + second * dwords, lane, wave_);
        break;
      }
      case AccessKind::kStore:
        if (at != nullptr) {
          const isa::Operand data = op_.inst.src[size_t{1} + second];
          const std::array<uint8_t, 16> bytes = BytesToStore(access_, data.vgpr(), lane, wave_);
          std::memcpy(at, bytes.data(), access_.bytes);
        }
        break;
      default: Atomic(lane, at, second);
    }
    return absl::OkStatus();
  }

  uint64_t Data(int source, int lane) const {
    const isa::Operand operand = op_.inst.src[static_cast<size_t>(source)];
    if (!operand.exists()) return 0;
    return RegisterValue(wave_, operand.vgpr(), access_.bytes, lane);
  }

  void Atomic(int lane, uint8_t* at, int second) {
    uint64_t old = 0;
    if (at != nullptr) std::memcpy(&old, at, access_.bytes);
    uint64_t data = Data(1 + (access_.two ? second : 0), lane), other = Data(2, lane);
    if (Compares(*access_.atomic)) std::swap(data, other);
    const uint64_t result = ApplyAtomic(*access_.atomic, 8 * access_.bytes, old, data, other);
    if (at != nullptr) std::memcpy(at, &result, access_.bytes);
    if (op_.inst.dst.exists()) {
      SetRegisterValue(wave_, op_.inst.dst.vgpr() + second * access_.bytes / 4, access_.bytes, lane,
                       old);
    }
  }

  const Op& op_;
  const Access& access_;
  Context& context_;
  WaveState& wave_;
};

// ds_bpermute_b32 reads, ds_permute_b32 writes the lane that the address names, within 32 lanes.
// Lanes that are off give 0.
void Exchange(const Op& op, LaneOrder order, WaveState& w) {
  const uint64_t exec = w.Exec();
  const bool push = op.inst.op == Opcode::kDsPermuteB32;
  const bool swizzle = op.inst.op == Opcode::kDsSwizzleB32;
  const LaneDwords data = w.vector[static_cast<size_t>(op.inst.src[swizzle ? 0 : 1].vgpr())];
  LaneDwords result{};
  ForLanes(exec, order, [&](int lane) {
    int other;
    if (swizzle) {
      other = SwizzleSource(static_cast<uint32_t>(op.inst.offset), lane);
    } else {
      const uint64_t address = LaneSource(w, op, 0, lane) + static_cast<uint64_t>(op.inst.offset);
      other = lane / 32 * 32 + static_cast<int>(address >> 2 & 31);
    }
    const auto at = static_cast<size_t>(lane), from = static_cast<size_t>(other);
    if (push) {
      result[from] = data[at];
    } else {
      result[at] = (exec >> other & 1) != 0 ? data[from] : 0;
    }
  });
  LaneDwords& to = w.vector[static_cast<size_t>(op.inst.dst.vgpr())];
  ForLanes(exec, order,
           [&](int lane) { to[static_cast<size_t>(lane)] = result[static_cast<size_t>(lane)]; });
}

}  // namespace

absl::Status ExecuteDs(const Op& op, Context& context, WaveState& wave) {
  if (op.inst.gds) return NotModelled(op, wave.size, "access to GDS");
  switch (op.inst.op) {
    case Opcode::kDsSwizzleB32:
      if (static_cast<uint32_t>(op.inst.offset) >= kSwizzleFft) {
        return NotModelled(op, wave.size, "FFT mode of ds_swizzle_b32");
      }
      [[fallthrough]];
    case Opcode::kDsPermuteB32:
    case Opcode::kDsBpermuteB32: Exchange(op, context.order, wave); return absl::OkStatus();
    case Opcode::kDsCondxchg32RtnB64: return NotModelled(op, wave.size, "conditional exchange");
    default: break;
  }
  if (AccessOf(op.inst.op).kind == AccessKind::kOther) {
    return NotModelled(op, wave.size, "LDS operation");
  }
  DsAccess access(op, context, wave);
  absl::Status status;
  ForLanes(wave.Exec(), context.order, [&](int lane) {
    if (status.ok()) status = access.Run(lane);
  });
  return status;
}

}  // namespace kiln::sim::rdna2
