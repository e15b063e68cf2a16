// The outputs of a vertex program by name: where the results of a run (scene::VertexInputs) have
// what it exports.
//
// An entry has a slot for each position export, one for point size, layer and viewport (which
// exports pack), one for each parameter export, and one for each location that is not exported
// because all fragment programs find the same constant there.
#ifndef KILN_CORE_SIM_RDNA2_VERTEX_OUTPUTS_H_
#define KILN_CORE_SIM_RDNA2_VERTEX_OUTPUTS_H_

#include <cstdint>
#include <vector>

#include "core/out/launch_record.h"
#include "core/sim/rdna2/vertex_group.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Returns the number of position exports that state asks for.
uint32_t PositionExports(const out::LaunchRecord& record);

// Returns the number of parameter exports, those of primitives included.
uint32_t ParameterExports(const out::LaunchRecord& record);

// Returns the parameter with this number of an export; null if there is none.
const out::AmdParameter* ParameterAt(const out::LaunchRecord& record, uint32_t number);

// Names and allocates the results of a draw.
void PrepareOutputs(const out::LaunchRecord& record, scene::VertexInputs& draw);

// Writes what a vertex exported to the results of a run.
void WriteOutputs(const out::LaunchRecord& record, const ExportedVertex& vertex, uint32_t run,
                  scene::VertexInputs& draw);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_VERTEX_OUTPUTS_H_
