// Functional simulator of gfx1030 (RDNA2) for compute, fragment and vertex programs, waves of 32
// and of 64 lanes.
//
// In: machine code of any compiler, its launch record (out::LaunchRecord) and the client's data.
// Out: the client's buffers and images after the program, render targets, depth and stencil of a
// draw (Dispatch::draw), the outputs of vertices (Dispatch::vertices), and counts. Workgroups run
// one after the other in ascending order, the waves of a workgroup alternate after a fixed number
// of instructions, so that a run is deterministic and waves may wait for each other. Fragments run
// primitive by primitive, a wave after the other (in memory mode up to four at the same time).
//
// Modelled: scalar and vector arithmetic, exec and control flow, lane operations, scalar and vector
// memory through V#, T# and S#, flat, global and scratch memory, LDS, atomics, barriers,
// interpolation, exports, primitive shaders (NGG). Not modelled, each a named error: GDS, clocks,
// loads into LDS, shared VGPRs. Time is not modelled; in contract mode missing waits are errors
// (scoreboard.h), in memory mode accesses are late and copies old (memory_order.h). Undefined
// registers hold a recognisable pattern (signalling NaNs), not zeros.
#ifndef KILN_CORE_SIM_RDNA2_SIMULATOR_H_
#define KILN_CORE_SIM_RDNA2_SIMULATOR_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/rdna2/input_assembly.h"
#include "core/sim/rdna2/needs.h"
#include "core/sim/rdna2/observer.h"
#include "core/sim/scene/dispatch.h"
#include "core/sim/scene/run.h"

namespace kiln::sim::rdna2 {

// A primitive that a workgroup of vertices was given.
struct DrawnPrimitive {
  std::array<uint32_t, 3> runs{};  // its corners: runs of the draw
  bool exported = false;           // it was not left out
};

struct Options : scene::RunOptions {
  // Is told what the run does; lives longer than the run. Not in memory mode, in which several
  // workgroups run at the same time and accesses are apart from their instructions.
  Observer* observer = nullptr;
  // Memory mode: what the run needed, for tests that remove it; may be null (needs.h).
  Needs* needs = nullptr;
  // Primitives that a vertex program with code for it is told to leave out
  // (SgprContent::kNggCulling in core/out/amd_launch.h). Their vertices may have no outputs.
  uint32_t ngg_culling = 0;
  // And for which viewport (SgprContent::kNggViewport): of 16 x 16 pixels of one sample.
  std::array<float, 4> ngg_viewport = {8, 8, 8, 8};
  // How a vertex draw makes primitives and workgroups.
  InputAssembly assembly = {};
  // Receives the primitives of a vertex draw, in the order of its workgroups; may be null.
  std::vector<DrawnPrimitive>* primitives = nullptr;
  // Fragments of several primitives share waves, as the machine lets them, if their quads are at
  // different places (scene::QuadsOfPrimitives). False: each wave has quads of one primitive.
  bool waves_of_primitives = false;
  // Fragment programs: the record of the vertex program that made the draw's values, whose
  // parameters decide which of them an input reads (core/out/ps_input_cntl.h); not owned. Null:
  // the draw's values are named by location, as from a vertex program that exports them all.
  const out::LaunchRecord* vertex_record = nullptr;
};

// Runs the whole dispatch; the client's data are changed even if it fails. Errors: InvalidArgument
// (undecodable code, record and data that do not fit, launches and registers that the hardware
// refuses), Unimplemented (named construct), FailedPrecondition (contract violation, barrier
// deadlock, trap), OutOfRange (access outside memory or registers, unaligned atomic),
// DeadlineExceeded (limits).
absl::StatusOr<scene::RunStats> Run(absl::Span<const uint8_t> code, const out::LaunchRecord& record,
                                    const Options& options, scene::Dispatch& dispatch);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_SIMULATOR_H_
