// Threads of a draw: the quads that each one shades, and the launch records that they can have.
//
// A thread is a group of dispatch_width / 4 quads (scene/quad_group.h): lanes that are not covered
// are off, in the middle of the thread too (brw_compiler.h, brw_stage_has_packed_dispatch). The
// payload's order is the hardware's (Mesa 25.0.7, brw_fs_thread_payload.cpp, setup_fs_payload_gfx9,
// and its disassembly): a launch record with another order is refused.
#ifndef KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
#define KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/out/launch_record.h"
#include "core/sim/scene/fragment_output.h"
#include "core/sim/scene/quad_group.h"

namespace kiln::sim::eu {

// Lanes per block of the payload.
inline constexpr int kPayloadLanes = 16;

struct FragmentThread : scene::QuadGroup {
  const out::LaunchRecord* record = nullptr;
  // Not owned. Coverage by the primitive of quads `first_quad` and later, before the early tests;
  // empty: the quads of the draw have it.
  absl::Span<const scene::QuadCoverage> rasterised = {};
  size_t first_quad = 0;

  // Returns the samples of a lane's pixel that the program reads as its input mask.
  uint32_t InputCoverage(int lane) const {
    if (rasterised.empty()) return Coverage(lane);
    return rasterised[subspans[static_cast<size_t>(lane / scene::kQuadPixels)].quad - first_quad]
                     [static_cast<size_t>(lane % scene::kQuadPixels)];
  }

  // Returns the dispatch mask, and the vector mask: `covered` and `quads` of the group.
  uint32_t Covered() const { return static_cast<uint32_t>(covered); }
  uint32_t Quads() const { return static_cast<uint32_t>(quads); }
  // Returns the channels that the thread starts with.
  uint32_t Channels() const {
    return out::IntelOf(*record).fragment.vector_mask ? Quads() : Covered();
  }
};

// Refuses records whose payload, setup data or masks the hardware does not deliver that way.
// InvalidArgument.
absl::Status CheckFragmentRecord(const out::LaunchRecord& record);

// Refuses a draw with another number of samples than the program was compiled for, and alpha to
// coverage that the program leaves to the hardware. InvalidArgument, Unimplemented.
absl::Status CheckSamples(const out::LaunchRecord& record, const scene::FragmentInputs& draw);

// Returns the threads of one primitive's quads; `opposite` as for scene::GroupQuads.
std::vector<FragmentThread> FragmentThreads(const out::LaunchRecord& record, bool opposite,
                                            const scene::QuadRange& quads,
                                            scene::FragmentInputs& draw);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
