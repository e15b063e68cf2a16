// A wave of fragments: the quads that it shades, and what it has exported.
#ifndef KILN_CORE_SIM_RDNA2_FRAGMENT_WAVE_H_
#define KILN_CORE_SIM_RDNA2_FRAGMENT_WAVE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/wave.h"
#include "core/sim/scene/fragment_output.h"
#include "core/sim/scene/quad_group.h"

namespace kiln::sim::rdna2 {

// Targets of a fragment program's exports (RDNA 2 ISA guide, table "EXP targets").
inline constexpr int kColorTargets = 8;
inline constexpr int kDepthTarget = 8;  // MRTZ
inline constexpr int kNullTarget = 9;

// DB_SHADER_CONTROL, COVERAGE_TO_MASK_ENABLE: coverage follows from the alpha exported with depth.
inline constexpr uint32_t kCoverageToMask = 1 << 7;

// The values that a wave has exported to a target.
struct TargetExport {
  bool exists = false;
  uint64_t lanes = 0;    // that were on
  uint8_t channels = 0;  // that were enabled, as in the instruction
  std::array<LaneDwords, 4> values{};
};

struct FragmentWave : scene::QuadGroup {
  const out::LaunchRecord* record = nullptr;
  // Its SGPR of that name holds this, and m0 must when parameters are read. A number without
  // meaning: the fields that are documented are of no use to programs.
  uint32_t prim_mask = 0;
  // The program is told in which order the weights of vertices are (LOAD_PROVOKING_VTX).
  bool told_vertices = false;
  // Not owned. Coverage by the primitive of quads `first_quad` and later, before the early tests;
  // empty: the quads of the draw have it.
  absl::Span<const scene::QuadCoverage> rasterised = {};
  size_t first_quad = 0;

  std::array<TargetExport, kDepthTarget + 1> exports;
  bool done = false;                                 // it has made its last export
  uint64_t have_run = 0;                             // lanes that an instruction has found on
  const out::LaunchRecord* vertex_record = nullptr;  // Options::vertex_record

  // Returns the place of a lane's primitive's vertex 0 among those whose weights are 1 - i - j, i
  // and j. The hardware may begin with any: here with each by turns, or with vertex 0 unless told.
  uint32_t ProvokingVertex(int lane) const {
    const scene::Primitive& shape = ShapeOf(lane);
    return told_vertices && shape.vertices == 3 ? (shape.number + 1) % 3 : 0;
  }
  // Returns the vertex of a lane's primitive at a place of that order.
  size_t VertexAt(uint32_t place, int lane) const {
    return (place + 3 - ProvokingVertex(lane)) % 3;
  }
  // Returns the samples of a lane's pixel that the program reads as its input mask.
  uint32_t InputCoverage(int lane) const {
    if (rasterised.empty()) return Coverage(lane);
    return rasterised[subspans[static_cast<size_t>(lane / scene::kQuadPixels)].quad - first_quad]
                     [static_cast<size_t>(lane % scene::kQuadPixels)];
  }
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_FRAGMENT_WAVE_H_
