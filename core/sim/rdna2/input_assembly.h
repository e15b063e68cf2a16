// Input assembly of a vertex draw: which vertices make which primitives, and which of both a
// workgroup of a primitive shader (NGG) takes.
//
// Sources: Vulkan 1.3, "Drawing" (triangle lists, strips and fans, the order of their vertices with
// the first one provoking; primitive restart); AMD, GE_CNTL in Mesa's amd/registers/gfx103.json,
// and Mesa 25.0.7, radv_shader_info.c, gfx10_get_ngg_info: a workgroup has at most VERT_GRP_SIZE
// vertices and PRIM_GRP_SIZE primitives, vertices that primitives share count once.
#ifndef KILN_CORE_SIM_RDNA2_INPUT_ASSEMBLY_H_
#define KILN_CORE_SIM_RDNA2_INPUT_ASSEMBLY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

struct InputAssembly {
  enum class Topology : uint8_t {
    // A triangle of every three consecutive vertices of a workgroup, so that each vertex belongs to
    // a primitive: for results that are those of vertices alone. Ignores the other members.
    kEveryThree,
    kTriangleList,
    kTriangleStrip,
    kTriangleFan,
  };
  Topology topology = Topology::kEveryThree;
  // Places in an instance's list of vertices, ascending, at which a list, strip or fan begins
  // again, as primitive restart makes it. The list has no restart indices of its own.
  std::vector<uint32_t> restarts = {};
  // Places with the same vertex number are one vertex of a workgroup (vertex reuse). The machine
  // remembers fewer vertices than a workgroup has; here it remembers all.
  bool reuses_vertices = false;
  // A workgroup goes on with the next instance (GE_CNTL.BREAK_WAVE_AT_EOI is off, and no state
  // ends it).
  bool joins_instances = false;
};

struct AssembledPrimitive {
  std::array<uint32_t, 3> vertices{};  // of the workgroup
  std::array<uint32_t, 3> runs{};      // of the draw: their places
  uint32_t number = 0;                 // in its instance: the primitive's id
};

// The vertices and primitives of a workgroup.
struct AssembledGroup {
  uint32_t instance = 0;  // of its first vertex, counted with views
  // By vertex: the runs whose outputs it makes, one or more.
  std::vector<std::vector<uint32_t>> vertices;
  std::vector<AssembledPrimitive> primitives;
};

// Returns the workgroups of a draw of at most so many vertices (3 or more) and primitives (1 or
// more), in order. Instances i and i + `views` are of one view: only these are joined, and the
// instances of one view come after the other. Vertices of no primitive are in no workgroup.
std::vector<AssembledGroup> Assemble(const scene::VertexInputs& draw, const InputAssembly& how,
                                     uint32_t max_vertices, uint32_t max_primitives,
                                     uint32_t views);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_INPUT_ASSEMBLY_H_
