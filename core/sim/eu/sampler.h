// Sampler messages: sampling, gathering, fetching texels, asking for sizes.
//
// Parameters come in the order of the message table (core/intel/isa/messages.cc) without gaps;
// those left out at the end are 0. The array index is the coordinate behind those of the dimension
// (v of a 1D array, r of a 2D array, ai of a cube array). The header's dword 2 holds texel offsets
// (bits 11:8 u, 7:4 v, 3:0 r, signed), components that are not returned (15:12) and the gather
// channel (17:16), dword 3 the sampler states' pointer; returned components are packed. Images have one sample: sample 0 is the texel,
// other samples read 0, multisample control data is 0.
// Source: PRM volume "3D Sampler", "Messages"; parameter use as in Mesa's binaries.
#ifndef KILN_CORE_SIM_EU_SAMPLER_H_
#define KILN_CORE_SIM_EU_SAMPLER_H_

#include "absl/status/status.h"
#include "core/sim/eu/call.h"

namespace kiln::sim::eu {

absl::Status ExecuteSampler(const Call& call);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_SAMPLER_H_
