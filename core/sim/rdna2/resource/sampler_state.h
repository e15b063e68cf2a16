// Reads an S# as one of scene's samplers, which filters textures.
#ifndef KILN_CORE_SIM_RDNA2_RESOURCE_SAMPLER_STATE_H_
#define KILN_CORE_SIM_RDNA2_RESOURCE_SAMPLER_STATE_H_

#include "absl/status/statusor.h"
#include "core/sim/rdna2/resource/descriptor.h"
#include "core/sim/scene/image.h"

namespace kiln::sim::rdna2 {

// Returns the sampler. `compare` is always set: programs choose by their opcode whether to compare.
// Unimplemented for what scene's filter does not do: anisotropy, minimum and maximum filters, no
// filter between levels, half borders, border colours from memory, cubes with edges.
absl::StatusOr<scene::ClientSampler> SamplerOf(const SamplerState& state);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RESOURCE_SAMPLER_STATE_H_
