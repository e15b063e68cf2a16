// Sampler messages: sample, gather, fetch texels, query sizes.
//
// Parameters come in the order of the message table (core/intel/isa/messages.cc) without gaps;
// parameters omitted at the end are 0. The array index is the coordinate after those of the
// dimension (v of a 1D array, r of a 2D array, ai of a cube array). The header's dword 2 holds
// texel offsets (bits 11:8 u, 7:4 v, 3:0 r, signed), components that are not returned (15:12) and
// the gather channel (17:16), dword 3 the sampler states' pointer; returned components are packed.
//
// Samples of a texel are in slices, and the control data from ld_mcs says in which: a program
// passes it to ld2dms unchanged. Here each texel has an order of its own, so that a fetch with the
// control data of another texel, or with none, reads another sample. The format of control data is
// invented, 4 bits a sample. Only ld2dms reads images with several samples. LODs from gradients are
// supported for flat images only: for a cube's direction they are refused, since the hardware does
// not support them. Source: PRM volume "3D Sampler", "Messages"; parameter use as in Mesa's
// binaries.
#ifndef KILN_CORE_SIM_EU_SAMPLER_H_
#define KILN_CORE_SIM_EU_SAMPLER_H_

#include "absl/status/status.h"
#include "core/sim/eu/call.h"

namespace kiln::sim::eu {

absl::Status ExecuteSampler(const Call& call);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_SAMPLER_H_
