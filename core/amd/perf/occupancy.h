// How many waves a SIMD of gfx1030 holds.
//
// Source: Mesa 25.0.7, aco_live_var_analysis.cpp (max_suitable_waves) and aco_ir.cpp
// (init_program): two SIMDs in a CU, two CUs in a WGP; 1,024 VGPRs a lane for 32 lanes, half of it
// for 64, given out in 16 and 8; 64 KiB of LDS a CU, given out in 1,024 bytes. SGPRs limit nothing:
// each wave has 128.
#ifndef KILN_CORE_AMD_PERF_OCCUPANCY_H_
#define KILN_CORE_AMD_PERF_OCCUPANCY_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// Returns the waves that VGPRs leave room for, at most 16. `vgprs`: that a lane uses, at most 256.
int WavesByRegisters(int vgprs, isa::Wave wave);

// Returns the most VGPRs with which as many waves share a SIMD as with so many; at most 256.
int MostVgprs(int vgprs, isa::Wave wave);

// The resources that waves share besides registers.
struct Group {
  int64_t lds_bytes = 0;
  int lanes = 0;            // of a workgroup; 0: each wave is its own group
  int fragment_inputs = 0;  // attributes, which lie in LDS: 48 bytes each
  bool wgp_mode = false;    // a group may spread over both CUs of a WGP
};

// Returns the waves of a SIMD in groups of that kind. 0: not even one group fits.
int WavesPerSimd(int vgprs, isa::Wave wave, const Group& group);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_OCCUPANCY_H_
