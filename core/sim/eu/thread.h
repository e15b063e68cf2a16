// Architectural state of one EU hardware thread.
//
// General registers and architecture registers are in one byte array, so that an operand is an
// offset whatever file it names. Accumulators are separate: they hold more bits than they show (an
// integer product before `mach` takes its upper half), one 64-bit value per channel.
//
// Control flow is modelled as the manuals describe it, with an instruction pointer per channel:
// `active` are the channels that execute; each channel of `waiting` has its own `channel_pc` and
// becomes active when the thread reaches that instruction. Invariant: active and waiting are
// disjoint and together are the channels that the thread was dispatched with.
#ifndef KILN_CORE_SIM_EU_THREAD_H_
#define KILN_CORE_SIM_EU_THREAD_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/intel/isa/instruction.h"
#include "core/sim/scene/float16.h"

namespace kiln::sim::eu {

using intel::isa::GrfsOf;
using intel::isa::kGrfBytes;
using intel::isa::kGrfCount;

// Places in Thread::regs.
inline constexpr int kFlagOffset = kGrfCount * kGrfBytes;  // f0, f1
inline constexpr int kAddressOffset = kFlagOffset + 32;    // a0
inline constexpr int kStateOffset = kAddressOffset + 32;   // sr0
inline constexpr int kControlOffset = kStateOffset + 32;   // cr0
inline constexpr int kMaskOffset = kControlOffset + 32;    // ce0
inline constexpr int kIpOffset = kMaskOffset + 32;
inline constexpr int kTimestampOffset = kIpOffset + 32;  // tm0
inline constexpr int kNotificationOffset = kTimestampOffset + 32;
inline constexpr int kTdrOffset = kNotificationOffset + 32;
inline constexpr int kNullOffset = kTdrOffset + 32;  // reads of null give 0
inline constexpr int kRegisterBytes = kNullOffset + 2048;

// cr0.0: 1 keeps subnormals, 0 flushes them (bit 7 F, bit 10 HF); bits 5:4 the rounding mode.
inline constexpr uint32_t kControlKeepF32 = 1u << 7;
inline constexpr uint32_t kControlKeepF16 = 1u << 10;

struct FragmentThread;
struct VertexThread;

enum class ThreadState : uint8_t { kRunning, kAtBarrier, kEnded };

// A dword of the registers that a block read filled from beyond the end of a buffer: see
// outside_reads.h.
struct OutsideDword {
  uint32_t dword = 0;  // counted from r0.0
  uint32_t op = 0;     // byte of the instruction that read the block
  std::string where;   // the surface
};

struct Thread {
  alignas(8) std::array<uint8_t, kRegisterBytes> regs{};
  std::array<int64_t, 64> acc{};
  std::array<uint8_t, 64> acc_bytes{};       // size of the elements that were written, 0: none
  uint32_t pc = 0;                           // index of the next instruction
  uint32_t dispatch = 0;                     // channels that the thread was started with
  const FragmentThread* fragment = nullptr;  // of fragment threads
  const VertexThread* vertex = nullptr;      // of vertex threads
  uint32_t finished = 0;  // lanes of `dispatch` whose last render target has been written
  uint32_t tested = 0;    // lanes whose fragments have been tested
  std::array<uint32_t, 32> passed_samples{};  // of the lanes in `tested`
  uint32_t active = 0;
  uint32_t waiting = 0;
  std::array<uint32_t, 32> channel_pc{};  // of the channels in `waiting`
  ThreadState state = ThreadState::kRunning;
  bool barrier_signalled = false;
  uint32_t barrier_phase = 0;  // phase of the group when it signalled the barrier
  // Fusion mode: inside a loop that only the sibling thread still runs.
  bool ghost_iteration = false;
  uint32_t ghost_while = 0;
  uint64_t instructions = 0;
  std::vector<OutsideDword> outside;

  uint32_t Read32(int offset) const {
    uint32_t v;
    std::memcpy(&v, regs.data() + offset, 4);
    return v;
  }
  void Write32(int offset, uint32_t v) { std::memcpy(regs.data() + offset, &v, 4); }
  uint64_t Read64(int offset) const {
    uint64_t v;
    std::memcpy(&v, regs.data() + offset, 8);
    return v;
  }
  uint16_t Read16(int offset) const {
    uint16_t v;
    std::memcpy(&v, regs.data() + offset, 2);
    return v;
  }
  // Bits of f0 and f1 from f(nr).(subnr) on; bit i belongs to channel i.
  uint32_t FlagBits(int nr, int subnr) const {
    return static_cast<uint32_t>(Read64(kFlagOffset) >> (32 * nr + 16 * subnr));
  }
  bool KeepF32() const { return Read32(kControlOffset) & kControlKeepF32; }
  bool KeepF16() const { return Read32(kControlOffset) & kControlKeepF16; }
  scene::Rounding RoundingMode() const {
    return static_cast<scene::Rounding>((Read32(kControlOffset) >> 4) & 3);
  }
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_THREAD_H_
