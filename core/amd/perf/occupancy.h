// How many waves a SIMD of gfx1030 holds.
//
// Source: Mesa 25.0.7, aco_live_var_analysis.cpp (max_suitable_waves): what isa/wave_limits.h says
// of one SIMD, and 64 KiB of LDS a CU, given out in 1,024 bytes.
#ifndef KILN_CORE_AMD_PERF_OCCUPANCY_H_
#define KILN_CORE_AMD_PERF_OCCUPANCY_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// Returns the most VGPRs with which as many waves share a SIMD as with so many; at most 256.
int MostVgprs(int vgprs, isa::Wave wave);

// The resources that waves share besides registers.
struct Group {
  int64_t lds_bytes = 0;
  int lanes = 0;            // of a workgroup; 0: each wave is its own group
  int fragment_inputs = 0;  // attributes, which lie in LDS: 48 bytes each
  bool wgp_mode = false;    // a group may spread over both CUs of a WGP
};

// Returns the waves of a SIMD in groups of that kind. `vgprs`: that a lane uses. 0: not even one
// group fits.
int WavesPerSimd(int vgprs, isa::Wave wave, const Group& group);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PERF_OCCUPANCY_H_
