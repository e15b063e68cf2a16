// Workgroups of a draw's vertices, and the registers of their waves at the start.
//
// input_assembly.h says which vertices and primitives a workgroup takes, as many as GE_CNTL lets
// it. With several views the whole draw is made for each, as RADV's driver does; the results have
// the views of an instance one after the other.
//
// SGPRs: s2, s3 counts, s5 offset of scratch, user data from s8 on. VGPRs: v0 to v3 of a primitive
// (v0 has two indices, or with PRIMGEN_PASSTHRU_EN the packed primitive; v1 the third index, v2
// its number, v3 invocation), v5 to v8 of a vertex (v5 its number, v8 the instance's), as many as
// GS_VGPR_COMP_CNT and ES_VGPR_COMP_CNT say (Mesa 25.0.7, radv_shader_args.c; radv_shader.c,
// radv_postprocess_binary_config). Which lanes are on is not defined: programs set exec first.
#ifndef KILN_CORE_SIM_RDNA2_LAUNCH_VERTEX_H_
#define KILN_CORE_SIM_RDNA2_LAUNCH_VERTEX_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/input_assembly.h"
#include "core/sim/rdna2/vertex_group.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Number of the first user SGPR of a primitive shader.
inline constexpr uint32_t kFirstVertexUserSgpr = 8;

// Refuses records and draws that cannot be launched. InvalidArgument, Unimplemented.
absl::Status CheckVertexRecord(const out::LaunchRecord& record, const scene::VertexInputs& draw);

// Returns the VGPRs that a wave needs for the inputs of its primitives and vertices.
uint32_t VertexInputVgprs(const out::LaunchRecord& record);

// Returns the most waves that a workgroup has.
uint32_t VertexWaves(const out::LaunchRecord& record);

// Returns the workgroups of a draw in its order, reversed with `opposite`; names and allocates the
// results. `culls`: the program is told to leave out primitives.
std::vector<VertexGroup> VertexGroups(const out::LaunchRecord& record,
                                      const InputAssembly& assembly, bool opposite, bool culls,
                                      scene::VertexInputs& draw);

// Writes system SGPRs and input VGPRs into the registers of the workgroup's wave number
// `wave.number`, whose other registers are set.
void FillVertexWave(const VertexGroup& of, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LAUNCH_VERTEX_H_
