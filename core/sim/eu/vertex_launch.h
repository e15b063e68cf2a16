// Threads of a draw's vertices: the vertices that each one takes, its registers at the start, and
// the launch records that vertex threads can have.
//
// A thread takes eight vertices, the last one of a draw the remaining ones: lanes 0 to n - 1. The
// payload is the hardware's (Mesa 25.0.7, brw_fs_thread_payload.cpp, vs_thread_payload;
// brw_compile_vs.cpp, brw_assign_vs_urb_setup; genX_pipeline.c, emit_vertex_input for the system
// values): r0, r1 with the handles of the lanes' URB entries, push constants, attributes, four
// registers a slot. Slots are read from the URB in pairs, at most 15. Attributes and outputs share
// the entry, so that it has room for either. Other registers and lanes keep undefined contents.
#ifndef KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_
#define KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/thread.h"
#include "core/sim/scene/vertex.h"

namespace kiln::sim::eu {

inline constexpr uint32_t kVertexLanes = 8;
inline constexpr int kUrbHandles = 1;             // the register
inline constexpr uint32_t kSlotsOfEntryUnit = 4;  // slots in the unit of an entry's size, 64 bytes
inline constexpr uint32_t kDistanceSlot = 2;      // first of the VUE's two slots of distances
inline constexpr uint32_t kDistances = 8;         // clip and cull distances

struct VertexThread {
  const out::LaunchRecord* record = nullptr;
  scene::VertexInputs* draw = nullptr;
  uint32_t first = 0;    // run of lane 0
  uint32_t count = 0;    // live lanes, 1 to 8
  uint32_t handles = 0;  // first of the invented handles

  uint32_t Channels() const { return (1u << count) - 1; }
  uint32_t Handle(int lane) const { return handles + 64 * ((first + lane) % 128); }
};

// Refuses records whose payload, attributes or URB entries the hardware does not support.
// InvalidArgument.
absl::Status CheckVertexRecord(const out::LaunchRecord& record);

// Checks that all attributes of the record are given for every run. InvalidArgument.
absl::Status CheckVertexInputs(const out::LaunchRecord& record, const scene::VertexInputs& draw);

// Returns the threads of a draw in its order, reversed with `opposite`; names and allocates the
// results.
std::vector<VertexThread> VertexThreads(const out::LaunchRecord& record, bool opposite,
                                        scene::VertexInputs& draw);

// Writes handles, attributes and masks into the registers of a thread, which holds undefined
// values.
void FillVertexPayload(const VertexThread& of, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_
