// A workgroup of a primitive shader (NGG): the vertices and primitives that it takes, and what it
// has exported.
#ifndef KILN_CORE_SIM_RDNA2_VERTEX_GROUP_H_
#define KILN_CORE_SIM_RDNA2_VERTEX_GROUP_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/out/launch_record.h"
#include "core/sim/rdna2/input_assembly.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::rdna2 {

// Targets of exports (RDNA 2 ISA guide, table "EXP targets"), and how they are numbered here:
// positions first, then parameters.
inline constexpr uint32_t kPositionTarget = 12, kPositions = 5, kPrimitiveTarget = 20;
inline constexpr uint32_t kParameterTarget = 32, kParameters = 32;
inline constexpr uint32_t kVertexTargets = kPositions + kParameters;

// The values that a vertex, or for parameters of primitives a primitive, has of each target.
struct ExportedVertex {
  std::array<std::array<uint32_t, 4>, kVertexTargets> values{};
  std::array<uint8_t, kVertexTargets> channels{};  // that were exported
  bool done = false;                               // its last position was exported
};

struct ExportedPrimitive {
  bool exists = false;
  uint32_t packed = 0;  // as exported: indices in bits 8:0, 18:10, 28:20; null in bit 31
};

struct VertexGroup {
  const out::LaunchRecord* record = nullptr;
  scene::VertexInputs* draw = nullptr;
  uint32_t count = 0;  // vertices
  uint32_t view = 0;   // that it is drawn for
  uint32_t views = 1;  // runs of an instance of the client, one after the other
  std::vector<std::vector<uint32_t>> runs = {};  // by vertex: those that it makes the outputs of
  std::vector<AssembledPrimitive> primitives = {};
  bool culls = false;  // the program was told to leave out primitives

  // Room was requested, for so many.
  bool allocated = false;
  uint32_t vertices_announced = 0, primitives_announced = 0;
  // By the lane's number in the workgroup.
  std::vector<ExportedPrimitive> exported_at = {};
  std::vector<ExportedVertex> of_vertices = {};
  std::vector<ExportedVertex> of_primitives = {};  // parameters only

  uint32_t Waves() const {
    const uint32_t most = std::max<uint32_t>(count, static_cast<uint32_t>(primitives.size()));
    return (most + record->dispatch_width - 1) / record->dispatch_width;
  }
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_VERTEX_GROUP_H_
