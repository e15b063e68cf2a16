// The outputs of a vertex program by name: where the results of a run (scene::VertexInputs) have
// them.
#ifndef KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_
#define KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_

#include <vector>

#include "core/out/launch_record.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::eu {

// Returns the outputs of a program with this record: in the order of the slots, then clip distances
// and cull distances. Values of the header that the program does not write are left out.
std::vector<scene::VertexOutput> VertexOutputsOf(const out::LaunchRecord& record);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_
