// Threads of a draw's vertices: which ones each takes, what its registers hold at the start, and
// which launch records vertex threads can have.
//
// A thread takes eight vertices, the last one of a draw what is left: lanes 0 to n - 1. The payload
// is the hardware's (Mesa 25.0.7, brw_fs_thread_payload.cpp, vs_thread_payload; brw_compile_vs.cpp,
// brw_assign_vs_urb_setup; genX_pipeline.c, emit_vertex_input for the system values): r0, r1 with
// the handles of the lanes' URB entries, push constants, attributes, four registers a slot. Slots
// are read from the URB in pairs, at most 15. Attributes and outputs share the entry, so that it
// has room for either. Registers and lanes that get nothing keep undefined contents.
#ifndef KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_
#define KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/out/launch_record.h"
#include "core/sim/eu/thread.h"
#include "core/sim/eu/vertex.h"

namespace kiln::sim::eu {

inline constexpr uint32_t kVertexLanes = 8;
inline constexpr int kUrbHandles = 1;             // the register
inline constexpr uint32_t kSlotsOfEntryUnit = 4;  // an entry's size counts 64 bytes
inline constexpr uint32_t kDistanceSlot = 2;      // of the VUE, the first of two
inline constexpr uint32_t kDistances = 8;         // to clip and to cull by

struct VertexThread {
  const out::LaunchRecord* record = nullptr;
  VertexInputs* draw = nullptr;
  uint32_t first = 0;    // run of lane 0
  uint32_t count = 0;    // live lanes, 1 to 8
  uint32_t handles = 0;  // from which on they are made up

  uint32_t Channels() const { return (1u << count) - 1; }
  uint32_t Handle(int lane) const { return handles + 64 * ((first + lane) % 128); }
};

// Refuses records whose payload, attributes or URB entries the hardware does not have so.
// InvalidArgument.
absl::Status CheckVertexRecord(const out::LaunchRecord& record);

// Are all attributes of the record given, for every run? InvalidArgument.
absl::Status CheckVertexInputs(const out::LaunchRecord& record, const VertexInputs& draw);

// The threads of a draw in its order, with `opposite` in the opposite one; makes room for the
// results.
std::vector<VertexThread> VertexThreads(const out::LaunchRecord& record, bool opposite,
                                        VertexInputs& draw);

// Writes handles, attributes and masks into the registers of a thread, which holds undefined
// values.
void FillVertexPayload(const VertexThread& of, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_LAUNCH_H_
