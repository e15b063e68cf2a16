// See transfer.h.
#include "core/sim/rdna2/transfer.h"

#include <cstring>

namespace kiln::sim::rdna2 {

void StoreLoaded(const Access& access, const uint8_t* bytes, int vgpr, int lane, WaveState& wave) {
  const auto at = static_cast<size_t>(lane);
  if (access.bytes >= 4) {
    for (int i = 0; i < access.bytes / 4; ++i) {
      std::memcpy(&wave.vector[static_cast<size_t>(vgpr) + i][at], bytes + 4 * i, 4);
    }
    return;
  }
  uint32_t value = 0;
  std::memcpy(&value, bytes, access.bytes);
  if (access.sign) {
    const uint32_t sign = 1u << (8 * access.bytes - 1);
    value = (value ^ sign) - sign;
  }
  uint32_t& to = wave.vector[static_cast<size_t>(vgpr)][at];
  if (!access.d16) {
    to = value;
  } else if (access.high) {
    to = (to & 0xffff) | value << 16;
  } else {
    to = (to & 0xffff0000u) | (value & 0xffff);
  }
}

std::array<uint8_t, 16> BytesToStore(const Access& access, int vgpr, int lane,
                                     const WaveState& wave) {
  std::array<uint8_t, 16> bytes{};
  const auto at = static_cast<size_t>(lane);
  for (int i = 0; 4 * i < access.bytes; ++i) {
    uint32_t value = wave.vector[static_cast<size_t>(vgpr) + i][at];
    if (access.high) value >>= 16;
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

uint64_t RegisterValue(const WaveState& wave, int vgpr, int bytes, int lane) {
  const auto at = static_cast<size_t>(lane);
  const auto n = static_cast<size_t>(vgpr);
  const uint64_t low = wave.vector[n][at];
  return bytes == 8 ? low | uint64_t{wave.vector[n + 1][at]} << 32 : low;
}

void SetRegisterValue(WaveState& wave, int vgpr, int bytes, int lane, uint64_t value) {
  const auto at = static_cast<size_t>(lane);
  const auto n = static_cast<size_t>(vgpr);
  wave.vector[n][at] = static_cast<uint32_t>(value);
  if (bytes == 8) wave.vector[n + 1][at] = static_cast<uint32_t>(value >> 32);
}

void AtomicAt(const Access& access, uint8_t* at, int data, int result, int lane, WaveState& wave) {
  uint64_t old = 0;
  if (at != nullptr) {
    std::memcpy(&old, at, access.bytes);
    const bool compares =
        *access.atomic == AtomicOp::kCompareSwap || *access.atomic == AtomicOp::kFloatCompareSwap;
    const uint64_t value = RegisterValue(wave, data, access.bytes, lane);
    const uint64_t compare =
        compares ? RegisterValue(wave, data + access.bytes / 4, access.bytes, lane) : 0;
    const uint64_t changed = ApplyAtomic(*access.atomic, 8 * access.bytes, old, value, compare);
    std::memcpy(at, &changed, access.bytes);
  }
  if (result >= 0) SetRegisterValue(wave, result, access.bytes, lane, old);
}

}  // namespace kiln::sim::rdna2
