#include "core/intel/abi/vertex.h"

#include <algorithm>
#include <cassert>
#include <string_view>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/target/interface.h"

namespace kiln::intel {
namespace {

using mir::BuiltIn;
using mir::InstId;
using mir::Interface;
using mir::Module;
using mir::Op;
using out::VertexValue;
using out::VueContent;
using out::VueValue;

// Returns true for the values that have a slot of their own, after that of vertex and instance.
bool IsOfDraw(VertexValue value) {
  return value == VertexValue::kDrawId || value == VertexValue::kIsIndexedDraw;
}

// Returns the component of its slot, as 3DSTATE_VF_SGVS and 3DSTATE_VF_SGVS_2 fill it.
uint32_t ComponentOf(VertexValue value) {
  switch (value) {
    case VertexValue::kFirstVertex:
    case VertexValue::kDrawId: return 0;
    case VertexValue::kBaseInstance:
    case VertexValue::kIsIndexedDraw: return 1;
    case VertexValue::kVertexIdFromZero: return 2;
    case VertexValue::kInstanceIdFromZero: return 3;
  }
  return 0;
}

absl::Status Refuse(const Interface& v, KnownCause cause, const char* what) {
  return Unsupported(cause, what, v.spirv_id);
}

// VUID-VkGraphicsPipelineCreateInfo-renderPass-06050: no shader may have the built-in under
// multiview.
absl::Status RefuseLayer(const Interface& v) {
  return WithSpirvId(WithCause(absl::InvalidArgumentError(
                                   "vertex: the layer is written while the view mask is not 0"),
                               "multiview_layer"),
                     v.spirv_id);
}

// The inputs that instructions read.
struct Reads {
  std::vector<std::vector<bool>> element;  // by input
  absl::btree_set<VertexValue> values;
};

void NoteValues(BuiltIn builtin, Reads& reads) {
  switch (builtin) {
    case BuiltIn::kVertexIndex:
      reads.values.insert({VertexValue::kFirstVertex, VertexValue::kVertexIdFromZero});
      break;
    case BuiltIn::kInstanceIndex:
      reads.values.insert({VertexValue::kBaseInstance, VertexValue::kInstanceIdFromZero});
      break;
    case BuiltIn::kBaseVertex: reads.values.insert(VertexValue::kFirstVertex); break;
    case BuiltIn::kBaseInstance: reads.values.insert(VertexValue::kBaseInstance); break;
    case BuiltIn::kDrawIndex: reads.values.insert(VertexValue::kDrawId); break;
    default: break;
  }
}

Reads FindReads(const Module& m, const Views& views) {
  Reads reads;
  // Each run needs the instance to find its view, if only to write its layer.
  if (views.several()) reads.values.insert(VertexValue::kInstanceIdFromZero);
  for (const Interface& v : m.inputs) reads.element.emplace_back(v.elements);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    if (inst.op != Op::kLoadInput) return;
    NoteElements(m, id, reads.element[inst.imm0]);
    NoteValues(m.inputs[inst.imm0].builtin, reads);
  });
  return reads;
}

// Assigns slots: locations that are read, ascending; then a slot for the numbers of vertex and
// instance, and one for the number of the draw.
absl::Status AssignSlots(const Module& m, const Reads& reads, VertexAbi& abi) {
  absl::btree_map<uint32_t, uint32_t> slot_of;  // by location
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    const Interface& v = m.inputs[i];
    if (v.builtin != BuiltIn::kNone) continue;
    for (uint32_t e = 0; e < v.elements; ++e) {
      if (!reads.element[i][e]) continue;
      if (mir::BitsOf(v.type) > 32) return Refuse(v, "vertex_inputs", "input of 64 bits");
      slot_of[v.location + e] = 0;
    }
  }
  if (slot_of.size() > kMaxAttributes) {
    return BeyondLimit("vertex_inputs",
                       {"attributes that are read", slot_of.size(), kMaxAttributes});
  }
  for (auto& [location, slot] : slot_of) {
    slot = static_cast<uint32_t>(abi.attributes.size());
    abi.attributes.push_back(location);
  }
  for (size_t i = 0; i < m.inputs.size(); ++i) {
    const Interface& v = m.inputs[i];
    std::vector<uint32_t>& slots = abi.slots.emplace_back(v.elements, VertexAbi::kNoSlot);
    for (uint32_t e = 0; e < v.elements && v.builtin == BuiltIn::kNone; ++e) {
      const auto found = slot_of.find(v.location + e);
      if (found != slot_of.end() && reads.element[i][e]) slots[e] = found->second;
    }
  }
  abi.system_values.assign(reads.values.begin(), reads.values.end());
  if (abi.SetupSlots() > kMaxAttributeSlots) {
    return BeyondLimit("vertex_inputs", {"slots of attributes and of the draw's own values",
                                         abi.SetupSlots(), kMaxAttributeSlots});
  }
  return absl::OkStatus();
}

VueContent ContentOf(uint32_t slot) {
  return slot == kVueHeader     ? VueContent::kHeader
         : slot == kVuePosition ? VueContent::kPosition
         : slot < kVueLocations ? VueContent::kDistances
                                : VueContent::kLocation;
}

VueValue ValueOf(BuiltIn builtin) {
  switch (builtin) {
    case BuiltIn::kLayer: return VueValue::kLayer;
    case BuiltIn::kViewportIndex: return VueValue::kViewport;
    case BuiltIn::kPointSize: return VueValue::kPointSize;
    case BuiltIn::kClipDistance: return VueValue::kClipDistance;
    default: return VueValue::kCullDistance;
  }
}

// Returns by output and element whether some part of it is stored.
std::vector<std::vector<bool>> FindStores(const Module& m) {
  std::vector<std::vector<bool>> stored;
  for (const Interface& v : m.outputs) stored.emplace_back(v.elements);
  mir::ForEachInst(m, m.body, [&](InstId id) {
    if (m.inst(id).op == Op::kStoreOutput) NoteElements(m, id, stored[m.inst(id).imm0]);
  });
  return stored;
}

// Assigns the slots that are written: the header always, others if some part of them is stored. All
// declared distances have their components; those that are not stored are not marked as the
// shader's.
absl::Status AssignOutputs(const Module& m, const Views& views, VertexAbi& abi) {
  absl::btree_map<uint32_t, out::VueSlot> slots;
  const auto at = [&](uint32_t slot) -> out::VueSlot& {
    out::VueSlot& s = slots[slot];
    s.slot = slot;
    s.what = ContentOf(slot);
    s.location = slot < kVueLocations ? 0 : slot - kVueLocations;
    return s;
  };
  out::VueSlot& header = at(kVueHeader);
  header.written = true;
  header.parts = {{0, VueValue::kShadingRate, 0, false},
                  {1, VueValue::kLayer, 0, views.on()},
                  {2, VueValue::kViewport, 0, false},
                  {3, VueValue::kPointSize, 0, false}};
  if (const uint64_t distances = CountDistances(m.outputs); distances > kMaxDistances) {
    return BeyondLimit("vertex_outputs",
                       {"distances to clip and cull by", distances, kMaxDistances});
  }
  const std::vector<std::vector<bool>> stored = FindStores(m);
  for (size_t i = 0; i < m.outputs.size(); ++i) {
    const Interface& v = m.outputs[i];
    if (std::find(stored[i].begin(), stored[i].end(), true) == stored[i].end()) continue;
    if (mir::BitsOf(v.type) > 32) return Refuse(v, "vertex_outputs", "output of 64 bits");
    if (v.builtin == BuiltIn::kNone && v.location + v.elements > kOutputLocations) {
      return BeyondLimit(
          "vertex_outputs",
          {"last location of an output", v.location + v.elements - 1, kOutputLocations - 1},
          v.spirv_id);
    }
    if (views.on() && v.builtin == BuiltIn::kLayer) return RefuseLayer(v);
    for (uint32_t e = 0; e < v.elements; ++e) {
      const SlotComponent place = OutputPlace(m, v, e, 0);
      out::VueSlot& slot = at(place.slot);
      slot.written |= stored[i][e];
      if (place.slot == kVueHeader) {
        slot.parts[place.component].from_shader = true;
      } else if (slot.what == VueContent::kDistances) {
        slot.parts.push_back({place.component, ValueOf(v.builtin), e, stored[i][e]});
      }
    }
  }
  const LocationParts parts = PartsWritten(m);
  for (auto& [number, slot] : slots) {
    if (slot.what == VueContent::kLocation && slot.written) {
      out::VertexOutput& output = abi.outputs.emplace_back(out::VertexOutput{slot.location});
      if (const auto at = parts.find(slot.location); at != parts.end()) {
        for (const UsedPart& part : at->second) output.parts.push_back(part.part);
      }
    }
    abi.vue_slots = number + 1;
    std::sort(
        slot.parts.begin(), slot.parts.end(),
        [](const out::VuePart& a, const out::VuePart& b) { return a.component < b.component; });
    abi.vue.push_back(std::move(slot));
  }
  return absl::OkStatus();
}

}  // namespace

uint32_t VertexAbi::SetupSlots() const {
  const auto is_of_draw = std::find_if(system_values.begin(), system_values.end(), IsOfDraw);
  const bool numbers = is_of_draw != system_values.begin();
  const bool draw = is_of_draw != system_values.end();
  return static_cast<uint32_t>(attributes.size()) + (numbers ? 1 : 0) + (draw ? 1 : 0);
}

SlotComponent VertexAbi::SlotOf(VertexValue value) const {
  assert(std::find(system_values.begin(), system_values.end(), value) != system_values.end());
  const auto locations = static_cast<uint32_t>(attributes.size());
  return {IsOfDraw(value) ? SetupSlots() - 1 : locations, ComponentOf(value)};
}

SlotComponent OutputPlace(const Module& m, const Interface& v, uint32_t element,
                          uint32_t component) {
  switch (v.builtin) {
    case BuiltIn::kLayer: return {kVueHeader, 1};
    case BuiltIn::kViewportIndex: return {kVueHeader, 2};
    case BuiltIn::kPointSize: return {kVueHeader, 3};
    case BuiltIn::kPosition: return {kVuePosition, component};
    case BuiltIn::kClipDistance:
    case BuiltIn::kCullDistance: {
      const uint32_t n = DistanceNumber(m.outputs, v, element);
      return {kVueDistances + n / kDistancesPerSlot, n % kDistancesPerSlot};
    }
    default: return {kVueLocations + v.location + element, v.component + component};
  }
}

uint32_t AttributeRegisters(const VertexAbi& vertex) {
  constexpr uint32_t kSlotsOfPair = 2;
  const uint32_t slots = vertex.SetupSlots();
  return kAttributeRegisters * ((slots + kSlotsOfPair - 1) / kSlotsOfPair * kSlotsOfPair);
}

absl::StatusOr<VertexAbi> AssignVertex(const Module& m, const Views& views) {
  VertexAbi abi;
  const Reads reads = FindReads(m, views);
  if (absl::Status s = AssignSlots(m, reads, abi); !s.ok()) return s;
  if (absl::Status s = AssignOutputs(m, views, abi); !s.ok()) return s;
  return abi;
}

}  // namespace kiln::intel
