// The rules that programs of draws must obey besides the waits: checks before an instruction is
// executed.
//
// Exports check themselves (export.h, export_fragment.h, export_vertex.h), as does interpolation.
#ifndef KILN_CORE_SIM_RDNA2_GRAPHICS_RULES_H_
#define KILN_CORE_SIM_RDNA2_GRAPHICS_RULES_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Refuses what a program of the stage must not do: stores and atomics of helper lanes, memory
// accesses that the record does not announce, barriers in fragment programs. FailedPrecondition,
// InvalidArgument.
absl::Status CheckGraphics(const Op& op, const Context& context, const WaveState& wave);

// Refuses an operation of quads that reads a helper lane which has never run: a derivative, by DPP,
// or a level of detail that follows from the coordinates of four lanes (RDNA 2 ISA guide, 8.2.5;
// Mesa 25.0.7, aco_insert_exec_mask.cpp: whole quads are on for both). Only where all covered lanes
// of the quad are on. A helper that has run may be off by right, because it took the other side of
// an if, or ended: then the client's program runs on, with an undefined value of the operation
// (SPIR-V, OpDPdx; Vulkan 1.3, "Helper Invocations"). FailedPrecondition.
absl::Status CheckQuads(const Op& op, const FragmentWave& of, const WaveState& wave);

// Refuses an instruction that lets rasterisation begin while stores are in flight, which fragments
// must find: the last position export of a program that exports no parameters (Mesa 25.0.7,
// README-ISA.md, "RDNA early rasterization"; with parameters the machine waits for
// those). FailedPrecondition.
absl::Status CheckStoresBefore(const Op& op, const VertexGroup& group, const WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_GRAPHICS_RULES_H_
