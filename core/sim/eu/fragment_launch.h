// Threads of a draw: the quads that each one shades, and the launch records that they can have.
//
// Quads of one primitive share threads: a thread takes dispatch_width / 4 of them, or, shaded per
// sample, as many pairs of quad and sample. Samples of a quad have lanes in the thread whether they
// are covered or not: lanes that are not covered are off, in the middle of the thread too
// (brw_compiler.h, brw_stage_has_packed_dispatch). A thread without covered lanes does not run. The
// payload's order is the hardware's (Mesa 25.0.7, brw_fs_thread_payload.cpp, setup_fs_payload_gfx9,
// and its disassembly): a launch record with another order is refused.
#ifndef KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
#define KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/fragment.h"

namespace kiln::sim::eu {

// Lanes per block of the payload.
inline constexpr int kPayloadLanes = 16;

// Four lanes of a thread.
struct Subspan {
  uint32_t quad = 0;    // index into FragmentInputs::quads
  uint32_t sample = 0;  // only of programs that are shaded per sample
};

struct FragmentThread {
  const out::LaunchRecord* record = nullptr;
  FragmentInputs* draw = nullptr;
  uint32_t primitive = 0;
  std::vector<Subspan> subspans;  // lanes 4i .. 4i + 3 belong to number i
  uint32_t covered = 0;  // lanes of pixels (samples) that the primitive covers: the dispatch mask
  uint32_t quads = 0;    // and the other lanes of their quads: the vector mask

  // Channels that the thread starts with.
  uint32_t Channels() const { return record->fragment.vector_mask ? quads : covered; }
  const Primitive& Shape() const { return draw->primitives[primitive]; }
  // The upper left corner of a lane's pixel. `lane` is one of `quads`.
  Point Corner(int lane) const;
  // The samples that a lane shades.
  uint32_t Samples(int lane) const;
  // The samples of a lane's pixel that the primitive covers.
  uint32_t Coverage(int lane) const;
};

// Refuses records whose payload, setup data or masks the hardware does not deliver that way.
// InvalidArgument.
absl::Status CheckFragmentRecord(const out::LaunchRecord& record);

// Refuses a draw with another number of samples than the program was compiled for. InvalidArgument.
absl::Status CheckSamples(const out::LaunchRecord& record, uint32_t samples);

// Returns the threads of a draw in its order. With `opposite`, those of one primitive are reversed:
// their pixels differ, while those of different primitives must stay in the order of drawing.
std::vector<FragmentThread> FragmentThreads(const out::LaunchRecord& record, bool opposite,
                                            FragmentInputs& draw);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
