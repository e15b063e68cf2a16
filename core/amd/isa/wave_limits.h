// How many waves a SIMD of gfx1030 holds, and what a workgroup can have.
//
// Source: Mesa 25.0.7, aco_live_var_analysis.cpp (max_suitable_waves) and aco_ir.cpp
// (init_program): two SIMDs in a CU, two CUs in a WGP; 1,024 VGPRs a lane for 32 lanes, half of it
// for 64, given out in 16 and 8. SGPRs limit nothing: each wave has 128.
#ifndef KILN_CORE_AMD_ISA_WAVE_LIMITS_H_
#define KILN_CORE_AMD_ISA_WAVE_LIMITS_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

inline constexpr int kMaxWavesOfSimd = 16;
inline constexpr int kSimdsOfCu = 2;
inline constexpr int64_t kLdsOfCu = 65536;  // bytes, and the most that a workgroup can have

// Returns the SIMDs that run a workgroup: those of a CU, or of a WGP in WGP mode.
constexpr int SimdsOfGroup(bool wgp_mode) { return kSimdsOfCu * (wgp_mode ? 2 : 1); }

// Returns the waves that VGPRs leave room for, at most 16. `vgprs`: that a lane uses, at most 256.
int WavesByRegisters(int vgprs, Wave wave);

// Returns the most VGPRs of a lane with which a SIMD has room for so many waves, at least 1 of
// them; 0 if there are none.
int VgprsOfWaves(int waves, Wave wave);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_WAVE_LIMITS_H_
