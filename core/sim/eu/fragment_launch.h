// Threads of a draw: which quads each one shades, and which launch records they can have.
//
// Quads of one primitive share threads, a thread takes dispatch_width / 4 of them, or, shaded per
// sample, as many pairs of quad and sample. Samples of a quad have their places in the thread
// whether they are covered or not: what is not is off, in the middle of the thread, too
// (brw_compiler.h, brw_stage_has_packed_dispatch). A thread of which nothing is covered does not
// run. The payload's order is the hardware's (Mesa 25.0.7, brw_fs_thread_payload.cpp,
// setup_fs_payload_gfx9, and its disassembly): a launch record that says otherwise is refused.
#ifndef KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
#define KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/fragment.h"

namespace kiln::sim::eu {

// Lanes that have a block of the payload of their own.
inline constexpr int kPayloadLanes = 16;

// Four lanes of a thread.
struct Subspan {
  uint32_t quad = 0;    // index into FragmentInputs::quads
  uint32_t sample = 0;  // of programs that are shaded per sample
};

struct FragmentThread {
  const out::LaunchRecord* record = nullptr;
  FragmentInputs* draw = nullptr;
  uint32_t primitive = 0;
  std::vector<Subspan> subspans;  // lanes 4i .. 4i + 3 belong to number i
  uint32_t covered = 0;  // lanes of pixels (samples) that the primitive covers: the dispatch mask
  uint32_t quads = 0;    // and the rest of their quads: the vector mask

  // Channels that the thread starts with.
  uint32_t Channels() const { return record->fragment.vector_mask ? quads : covered; }
  const Primitive& Shape() const { return draw->primitives[primitive]; }
  // The upper left corner of a lane's pixel. `lane` is one of `quads`.
  Point Corner(int lane) const;
  // Samples that a lane stands for.
  uint32_t Samples(int lane) const;
  // Samples of a lane's pixel that the primitive covers.
  uint32_t Coverage(int lane) const;
};

// Refuses records whose payload, setup data or masks the hardware does not deliver so.
// InvalidArgument.
absl::Status CheckFragmentRecord(const out::LaunchRecord& record);

// Refuses a draw of another number of samples than the program was compiled for. InvalidArgument.
absl::Status CheckSamples(const out::LaunchRecord& record, uint32_t samples);

// The threads of a draw in its order. With `opposite`, those of a primitive in the opposite order:
// their pixels differ, those of different primitives must come as drawn.
std::vector<FragmentThread> FragmentThreads(const out::LaunchRecord& record, bool opposite,
                                            FragmentInputs& draw);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_FRAGMENT_LAUNCH_H_
