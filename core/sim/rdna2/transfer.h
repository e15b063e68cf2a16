// Moves a lane's data between vector registers and the bytes of memory.
#ifndef KILN_CORE_SIM_RDNA2_TRANSFER_H_
#define KILN_CORE_SIM_RDNA2_TRANSFER_H_

#include <array>
#include <cstdint>

#include "core/sim/rdna2/access.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Writes what a load of `access` found to the registers from `vgpr` on: bytes and halves extended,
// or into half of a register whose other half stays.
void StoreLoaded(const Access& access, const uint8_t* bytes, int vgpr, int lane, WaveState& wave);

// Returns the bytes that a store of `access` writes.
std::array<uint8_t, 16> BytesToStore(const Access& access, int vgpr, int lane,
                                     const WaveState& wave);

// A value of 4 or 8 bytes in one or two registers.
uint64_t RegisterValue(const WaveState& wave, int vgpr, int bytes, int lane);
void SetRegisterValue(WaveState& wave, int vgpr, int bytes, int lane, uint64_t value);

// Performs an atomic of `access` on the memory at `at`, null outside. Operands are the registers
// from `data` on; the old value goes to those from `result` on, unless that is negative.
void AtomicAt(const Access& access, uint8_t* at, int data, int result, int lane, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_TRANSFER_H_
