// The outputs of a vertex program by name: where the results of a run (VertexInputs) have them.
#ifndef KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_
#define KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/out/launch_record.h"

namespace kiln::sim::eu {

struct VertexOutput {
  struct Component {
    uint32_t slot = 0;
    uint32_t component = 0;
    // False for distances that the program does not write: nothing is clipped or culled by them,
    // though the slot is written as a whole.
    bool has_contents = true;
  };

  std::string builtin;    // "position", "clip_distance", "layer", ...; empty: at a location
  uint32_t location = 0;  // with four components
  std::vector<Component> components;
};

// Returns the outputs of a program with this record: in the order of the slots, then clip distances
// and cull distances. Values of the header that the program does not write are left out.
std::vector<VertexOutput> VertexOutputsOf(const out::LaunchRecord& record);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_OUTPUTS_H_
