// Shaded vertices of a draw, one after the other, and the primitives that they form.
#ifndef KILN_CORE_SIM_SCENE_VERTEX_STREAM_H_
#define KILN_CORE_SIM_SCENE_VERTEX_STREAM_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/sim/scene/assemble.h"
#include "core/sim/scene/fragment.h"
#include "core/sim/scene/rasterise.h"

namespace kiln::sim::scene {

// Components of a location, of all vertices: component c of vertex v at v * components + c.
struct StreamValues {
  uint32_t location = 0, component = 0;  // the first
  uint32_t components = 0;
  std::vector<uint32_t> bits;
};

// Distances of all vertices, `each` of a vertex.
struct StreamDistances {
  uint32_t each = 0;
  std::vector<float> values;
};

// Vectors other than positions may be empty: sizes are 1 then, layers and viewports 0.
struct VertexStream {
  uint32_t per_instance = 0;  // vertices of an instance: primitives do not cross instances
  std::vector<ClipPosition> positions;
  std::vector<StreamValues> values;
  StreamDistances clip, cull;
  std::vector<float> point_sizes;
  std::vector<uint32_t> layers, viewports;  // the provoking vertex's counts
};

// Assembles the primitives of a stream and rasterises them into the draw, whose size, samples and
// raster state are set. Clip and cull distances are also built-in attributes, four of each, cull
// distances after clip distances. InvalidArgument: vectors of other sizes, more than eight
// distances, sizes of points that do not exist. ResourceExhausted: more primitives or quads than
// the draw may have. DeadlineExceeded: the draw's time is over.
absl::Status AddPrimitives(const VertexStream& stream, Topology topology, FragmentInputs& draw);

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_VERTEX_STREAM_H_
