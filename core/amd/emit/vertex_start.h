// The start of a vertex program, a primitive shader (NGG) that leaves out no primitive: room for
// its exports, its primitives, and exec for its vertices (core/amd/ABI.md, "Vertices").
//
// The first wave of a workgroup asks for room for all vertices and primitives. Lanes of primitives
// export them as they came, packed, and their numbers if fragments read those. Then the lanes of
// vertices are on. A wave may have lanes of one kind alone: exports are never executed without
// lanes, which the machine may not survive.
//
// Sources: Mesa 25.0.7, ac_nir_lower_ngg.c (order), aco_instruction_selection.cpp (masks of
// counts); ERRATA and hazards: core/amd/isa.
#ifndef KILN_CORE_AMD_EMIT_VERTEX_START_H_
#define KILN_CORE_AMD_EMIT_VERTEX_START_H_

#include "core/amd/emit/context.h"
#include "core/amd/emit/emit.h"

namespace kiln::amd {

// Appends the start. `end` is the label of the program's end, to which waves without vertices go.
// Changes M0, SCC, exec and the temporary pair.
void EmitVertexStart(Context& c, const VertexStart& start, int end);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_VERTEX_START_H_
