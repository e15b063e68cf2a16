// Exports of primitive shaders (NGG): primitives, positions, parameters, and whether a workgroup
// exported all that it requested room for.
//
// A lane exports for a vertex and for a primitive, each by the lane's number in the workgroup. A
// program that leaves out primitives moves the vertices that are left to other lanes: which vertex
// a lane exported is known from the primitives, whose indices stand where those of the primitive
// that the lane was given stood. Packed primitives: Mesa 25.0.7, ac_nir_lower_ngg.c,
// emit_ngg_nogs_prim_export; RDNA 2 ISA guide, 11.2.
#ifndef KILN_CORE_SIM_RDNA2_EXPORT_VERTEX_H_
#define KILN_CORE_SIM_RDNA2_EXPORT_VERTEX_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/vertex_group.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Takes an export. FailedPrecondition: before the request of room, beyond it, after the last
// position of the vertex. InvalidArgument: it does not fit the state.
absl::Status ExportVertex(const Op& op, const WaveState& wave, VertexGroup& group);

// Ends a workgroup and writes the results of its vertices. FailedPrecondition: something that was
// announced, or that the state asks for, was not exported. InvalidArgument: primitives that differ
// from those that the workgroup was given.
absl::Status FinishVertices(VertexGroup& group);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_EXPORT_VERTEX_H_
