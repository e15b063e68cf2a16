// See vertex_launch.h.
#include "core/sim/eu/vertex_launch.h"

#include <algorithm>
#include <array>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/sim/eu/push_ranges.h"
#include "core/sim/eu/vertex_outputs.h"

namespace kiln::sim::eu {
namespace {

using out::VertexValue;

constexpr uint32_t kMaxReadPairs = 15;    // brw_compile_vs.cpp, brw_assign_vs_urb_setup
constexpr uint32_t kMaxEntryUnits = 512;  // brw_eu_defines.h, GFX7_MAX_VS_URB_ENTRY_SIZE_BYTES
constexpr int kSlotRegisters = 4;

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("launch record: ", what));
}

bool IsDrawSlot(VertexValue v) {
  return v == VertexValue::kDrawId || v == VertexValue::kIsIndexedDraw;
}

// Returns the component in which vertex fetch stores a system value.
uint32_t ComponentOf(VertexValue v) {
  switch (v) {
    case VertexValue::kFirstVertex:
    case VertexValue::kDrawId: return 0;
    case VertexValue::kBaseInstance:
    case VertexValue::kIsIndexedDraw: return 1;
    case VertexValue::kVertexIdFromZero: return 2;
    case VertexValue::kInstanceIdFromZero: return 3;
  }
  return 0;
}

// The slots of the values of a draw come after those of the locations, in the order in which the
// client's state lists the elements (brw_nir.c, brw_nir_lower_vs_inputs): vertex and instance, then
// the draw.
uint32_t SlotOf(const out::VertexLaunch& launch, VertexValue v) {
  const auto locations = static_cast<uint32_t>(launch.attributes.size());
  const bool numbers = !launch.system_values.empty() && !IsDrawSlot(launch.system_values.front());
  return locations + (IsDrawSlot(v) && numbers ? 1 : 0);
}

template <typename T>
bool Ascending(const std::vector<T>& list) {
  return std::adjacent_find(list.begin(), list.end(), std::greater_equal<T>()) == list.end();
}

absl::Status CheckAttributes(const out::VertexLaunch& launch, const out::IntelVertex& intel) {
  if (!Ascending(launch.attributes) || !Ascending(launch.system_values)) {
    return Wrong("attributes or values of the draw out of order");
  }
  const size_t slots = launch.system_values.empty()
                           ? launch.attributes.size()
                           : SlotOf(launch, launch.system_values.back()) + size_t{1};
  if (slots == intel.setup_slots) return absl::OkStatus();
  return Wrong(absl::StrFormat("%d slots of attributes; those that the program reads are %d",
                               intel.setup_slots, slots));
}

absl::Status CheckEntry(const out::IntelVertex& launch) {
  if (launch.urb_entry_size < 1 || launch.urb_entry_size > kMaxEntryUnits) {
    return Wrong(absl::StrFormat("URB entries of %d x 64 bytes", launch.urb_entry_size));
  }
  const uint32_t room = kSlotsOfEntryUnit * launch.urb_entry_size;
  if (launch.vue_slots > room || launch.setup_slots > room) {
    return Wrong(absl::StrFormat("a URB entry of %d slots for %d attributes and %d outputs", room,
                                 launch.setup_slots, launch.vue_slots));
  }
  const bool header = !launch.vue.empty() && launch.vue[0].slot == 0 &&
                      launch.vue[0].what == out::VueContent::kHeader && launch.vue[0].written;
  if (!header) return Wrong("slot 0 of a VUE is the header, and written");
  for (size_t i = 1; i < launch.vue.size(); ++i) {
    if (launch.vue[i].slot >= launch.vue_slots || launch.vue[i].slot <= launch.vue[i - 1].slot) {
      return Wrong(absl::StrFormat("slot %d of the VUE", launch.vue[i].slot));
    }
  }
  return absl::OkStatus();
}

// Returns true if the slot is where fixed functions expect its content (brw_vue_map.c).
bool HasItsPlace(const out::VueSlot& s) {
  switch (s.what) {
    case out::VueContent::kHeader: return s.slot == 0;
    case out::VueContent::kPosition: return s.slot == 1;
    case out::VueContent::kDistances: return s.slot == kDistanceSlot || s.slot == kDistanceSlot + 1;
    case out::VueContent::kLocation:
    case out::VueContent::kBuiltin: return s.slot > 1;
  }
  return false;
}

bool HasDistance(const out::IntelVertex& launch, uint32_t number, out::VueValue what) {
  for (const out::VueSlot& s : launch.vue) {
    if (s.what != out::VueContent::kDistances || s.slot != kDistanceSlot + number / 4) continue;
    for (const out::VuePart& p : s.parts) {
      if (p.component == number % 4 && p.what == what) return true;
    }
  }
  return false;
}

// Checks that each bit of the masks of 3DSTATE_VS names a distance of that kind.
absl::Status CheckDistances(const out::IntelVertex& launch) {
  for (const out::VueSlot& s : launch.vue) {
    if (!HasItsPlace(s))
      return Wrong(absl::StrFormat("slot %d of the VUE holds another's", s.slot));
  }
  const uint32_t clip = launch.clip_distance_mask, cull = launch.cull_distance_mask;
  if (((clip | cull) >> kDistances) != 0) return Wrong("a mask of more than eight distances");
  for (uint32_t n = 0; n < kDistances; ++n) {
    if (((clip >> n & 1) != 0 && !HasDistance(launch, n, out::VueValue::kClipDistance)) ||
        ((cull >> n & 1) != 0 && !HasDistance(launch, n, out::VueValue::kCullDistance))) {
      return Wrong(absl::StrFormat("distance %d of a mask is not in the VUE", n));
    }
  }
  return absl::OkStatus();
}

uint32_t SystemValue(const scene::VertexInputs& draw, VertexValue what,
                     const scene::VertexRun& run) {
  switch (what) {
    case VertexValue::kFirstVertex: return static_cast<uint32_t>(draw.first_vertex);
    case VertexValue::kBaseInstance: return draw.first_instance;
    case VertexValue::kVertexIdFromZero: return run.number;
    case VertexValue::kInstanceIdFromZero: return run.instance;
    case VertexValue::kDrawId: return draw.draw_id;
    case VertexValue::kIsIndexedDraw: return draw.indices.empty() ? 0 : ~0u;
  }
  return 0;
}

// Fills the slots of attributes and of the draw's values for a lane.
void FillSlots(const VertexThread& of, int lane, Thread& t) {
  const scene::VertexInputs& draw = *of.draw;
  const out::VertexLaunch& launch = of.record->vertex;
  const scene::VertexRun run = scene::RunAt(draw, of.first + static_cast<uint32_t>(lane));
  const auto first = static_cast<int>(out::IntelOf(*of.record).vertex.setup_first_register);
  const auto set = [&](uint32_t slot, uint32_t component, uint32_t bits) {
    const int reg = first + kSlotRegisters * static_cast<int>(slot) + static_cast<int>(component);
    t.Write32(kGrfBytes * reg + 4 * lane, bits);
  };
  for (uint32_t slot = 0; slot < launch.attributes.size(); ++slot) {
    const std::array<uint32_t, 4> values =
        scene::FetchVertex(draw, *scene::InputAt(draw, launch.attributes[slot]), run);
    for (uint32_t c = 0; c < 4; ++c) set(slot, c, values[c]);
  }
  for (const VertexValue v : launch.system_values) {
    set(SlotOf(launch, v), ComponentOf(v), SystemValue(draw, v, run));
  }
}

}  // namespace

absl::Status CheckVertexRecord(const out::LaunchRecord& record) {
  const out::IntelLaunch& intel = out::IntelOf(record);
  const out::IntelVertex& launch = intel.vertex;
  if (record.dispatch_width != kVertexLanes) {
    return Wrong(absl::StrFormat("vertex threads have 8 lanes, not %d", record.dispatch_width));
  }
  if (record.shared_bytes != 0) return Wrong("shared memory of a vertex program");
  if (absl::Status s = CheckPushedRanges(record); !s.ok()) return s;
  const uint64_t constants_end = uint64_t{intel.push_first_register} + intel.push_registers;
  const uint64_t pairs = (uint64_t{launch.setup_slots} + 1) / 2;
  if (intel.push_first_register != kUrbHandles + 1 ||
      launch.setup_first_register != constants_end || pairs > kMaxReadPairs ||
      constants_end + 2 * kSlotRegisters * pairs > kGrfCount) {
    return Wrong("constants begin at r2, attributes after them, at most 30 slots, up to r127");
  }
  for (const absl::Status& s :
       {CheckAttributes(record.vertex, launch), CheckEntry(launch), CheckDistances(launch)}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status CheckVertexInputs(const out::LaunchRecord& record, const scene::VertexInputs& draw) {
  const uint64_t entry =
      uint64_t{16} * kSlotsOfEntryUnit * out::IntelOf(record).vertex.urb_entry_size;
  return scene::CheckVertexInputs(record.vertex.attributes, entry, draw);
}

std::vector<VertexThread> VertexThreads(const out::LaunchRecord& record, bool opposite,
                                        scene::VertexInputs& draw) {
  draw.outputs = VertexOutputsOf(record);
  draw.slots = kSlotsOfEntryUnit * out::IntelOf(record).vertex.urb_entry_size;
  draw.entries.assign(draw.At(static_cast<uint32_t>(draw.Runs()), 0, 0), 0);
  draw.written.assign(draw.entries.size(), 0);
  std::vector<VertexThread> threads;
  const auto runs = static_cast<uint32_t>(draw.Runs());
  for (uint32_t first = 0; first < runs; first += kVertexLanes) {
    threads.push_back({&record, &draw, first, std::min(kVertexLanes, runs - first),
                       opposite ? 0x8800u : 0x2400u});
  }
  if (opposite) std::reverse(threads.begin(), threads.end());
  return threads;
}

void FillVertexPayload(const VertexThread& of, Thread& t) {
  for (int lane = 0; lane < static_cast<int>(of.count); ++lane) {
    t.Write32(kGrfBytes * kUrbHandles + 4 * lane, of.Handle(lane));
    FillSlots(of, lane, t);
  }
  t.vertex = &of;
  t.dispatch = t.active = of.Channels();
  t.Write32(kStateOffset + 8, of.Channels());
  t.Write32(kStateOffset + 12, of.Channels());
}

}  // namespace kiln::sim::eu
