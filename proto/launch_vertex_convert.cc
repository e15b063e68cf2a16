// See launch_vertex_convert.h.
//
// The payload before the constants has only one form, so LaunchVertex has it and VertexLaunch does
// not; registers of attributes follow from their slots. A record that differs from either is
// refused.
#include "proto/launch_vertex_convert.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "proto/launch_names.h"
#include "proto/launch_parts.h"

namespace kiln::proto {
namespace {

using out::VertexValue;
using out::VueContent;
using out::VueValue;

constexpr NameOf<VertexValue> kSystemValues[] = {
    {"first_vertex", VertexValue::kFirstVertex},
    {"base_instance", VertexValue::kBaseInstance},
    {"vertex_id_from_zero", VertexValue::kVertexIdFromZero},
    {"instance_id_from_zero", VertexValue::kInstanceIdFromZero},
    {"draw_id", VertexValue::kDrawId},
    {"is_indexed_draw", VertexValue::kIsIndexedDraw},
};

constexpr NameOf<VueContent> kContents[] = {
    {"header", VueContent::kHeader},
    {"position", VueContent::kPosition},
    {"distances", VueContent::kDistances},
    {"location", VueContent::kLocation},
};

constexpr NameOf<VueValue> kParts[] = {
    {"shading_rate", VueValue::kShadingRate},   {"layer", VueValue::kLayer},
    {"viewport", VueValue::kViewport},          {"point_size", VueValue::kPointSize},
    {"clip_distance", VueValue::kClipDistance}, {"cull_distance", VueValue::kCullDistance},
};

constexpr uint32_t kComponents = 4;        // of a slot; an attribute has a register for each
constexpr uint32_t kPayloadRegisters = 2;  // header, URB handles

absl::Status Wrong(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("launch record: ", what));
}

absl::Status CheckPayload(const v1alpha::LaunchVertex& in) {
  constexpr const char* kNames[kPayloadRegisters] = {"header", "urb_handles"};
  bool same = in.registers_size() == static_cast<int>(kPayloadRegisters);
  for (uint32_t i = 0; same && i < kPayloadRegisters; ++i) {
    const v1alpha::LaunchPayloadItem& item = in.registers(static_cast<int>(i));
    same = item.register_() == i && item.registers() == 1 && item.what() == kNames[i];
  }
  return same ? absl::OkStatus() : Wrong("a vertex payload is r0, header, and r1, URB handles");
}

absl::Status ReadSetup(const v1alpha::LaunchVertexSetup& in, out::VertexLaunch& result) {
  result.setup_first_register = in.first_register();
  result.setup_slots = in.slots();
  for (const v1alpha::LaunchVertexAttribute& a : in.attributes()) {
    if (a.slot() >= in.slots() || a.register_() != in.first_register() + kComponents * a.slot()) {
      return Wrong(
          absl::StrCat("attribute slot ", a.slot(), " of ", in.slots(), " at r", a.register_()));
    }
    out::VertexAttribute attribute{a.slot(), a.location()};
    for (const v1alpha::LaunchVertexSystemValue& v : a.system_values()) {
      const std::optional<VertexValue> what = Value(kSystemValues, v.builtin());
      if (!what) return Unknown("system value", v.builtin());
      if (v.component() >= kComponents) return Wrong("component of a system value");
      attribute.system_values.push_back({v.component(), *what});
    }
    result.attributes.push_back(std::move(attribute));
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const v1alpha::LaunchVertexOutputs& in, out::VertexLaunch& result) {
  result.vue_slots = in.slots();
  result.separate = in.separate();
  result.urb_entry_size = in.urb_entry_size();
  result.clip_distance_mask = in.clip_distance_mask();
  result.cull_distance_mask = in.cull_distance_mask();
  for (const v1alpha::LaunchVueSlot& s : in.vue()) {
    if (s.slot() >= in.slots()) return Wrong(absl::StrCat("VUE slot ", s.slot()));
    out::VueSlot slot;
    slot.slot = s.slot();
    slot.what = Value(kContents, s.what()).value_or(VueContent::kBuiltin);
    if (slot.what == VueContent::kBuiltin) slot.builtin = s.what();
    slot.location = s.location();
    slot.written = s.written();
    ReadParts(s.outputs(), slot.outputs);
    for (const v1alpha::LaunchVuePart& p : s.parts()) {
      const std::optional<VueValue> what = Value(kParts, p.builtin());
      if (!what) return Unknown("part of the VUE", p.builtin());
      if (p.component() >= kComponents) return Wrong("component of a part of the VUE");
      slot.parts.push_back({p.component(), *what, p.element(), p.from_shader()});
    }
    result.vue.push_back(std::move(slot));
  }
  return absl::OkStatus();
}

void WriteSetup(const out::VertexLaunch& in, v1alpha::LaunchVertexSetup& result) {
  result.set_first_register(in.setup_first_register);
  result.set_slots(in.setup_slots);
  result.set_urb_read_length((in.setup_slots + 1) / 2);
  for (const out::VertexAttribute& a : in.attributes) {
    v1alpha::LaunchVertexAttribute& t = *result.add_attributes();
    const uint32_t first = in.setup_first_register + kComponents * a.slot;
    t.set_slot(a.slot);
    t.set_register_(first);
    t.set_registers(kComponents);
    t.set_location(a.location);
    for (const out::VertexSystemValue& v : a.system_values) {
      v1alpha::LaunchVertexSystemValue& value = *t.add_system_values();
      value.set_component(v.component);
      value.set_register_(first + v.component);
      value.set_builtin(NameFor(kSystemValues, v.what));
    }
  }
}

void WriteOutputs(const out::VertexLaunch& in, v1alpha::LaunchVertexOutputs& result) {
  result.set_slots(in.vue_slots);
  result.set_separate(in.separate);
  result.set_urb_entry_size(in.urb_entry_size);
  result.set_clip_distance_mask(in.clip_distance_mask);
  result.set_cull_distance_mask(in.cull_distance_mask);
  for (const out::VueSlot& s : in.vue) {
    v1alpha::LaunchVueSlot& t = *result.add_vue();
    t.set_slot(s.slot);
    t.set_what(s.what == VueContent::kBuiltin ? s.builtin : NameFor(kContents, s.what));
    t.set_location(s.location);
    t.set_written(s.written);
    WriteParts(s.outputs, *t.mutable_outputs());
    for (const out::VuePart& p : s.parts) {
      v1alpha::LaunchVuePart& part = *t.add_parts();
      part.set_component(p.component);
      part.set_builtin(NameFor(kParts, p.what));
      part.set_element(p.element);
      part.set_from_shader(p.from_shader);
    }
  }
}

}  // namespace

absl::Status ReadVertex(const v1alpha::LaunchVertex& in, out::VertexLaunch& result) {
  if (in.has_views()) {
    result.view_mask = in.views().mask();
    result.instance_multiplier = in.views().instance_multiplier();
    if (result.instance_multiplier < 1) return Wrong("views without instances");
  }
  for (const absl::Status& s :
       {CheckPayload(in), ReadSetup(in.setup(), result), ReadOutputs(in.outputs(), result)}) {
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

void WriteVertex(const out::VertexLaunch& in, v1alpha::LaunchVertex& result) {
  constexpr const char* kNames[kPayloadRegisters] = {"header", "urb_handles"};
  for (uint32_t i = 0; i < kPayloadRegisters; ++i) {
    v1alpha::LaunchPayloadItem& item = *result.add_registers();
    item.set_register_(i);
    item.set_registers(1);
    item.set_what(kNames[i]);
  }
  result.set_payload_registers(kPayloadRegisters);
  if (in.view_mask != 0) {
    result.mutable_views()->set_mask(in.view_mask);
    result.mutable_views()->set_instance_multiplier(in.instance_multiplier);
  }
  WriteSetup(in, *result.mutable_setup());
  WriteOutputs(in, *result.mutable_outputs());
}

}  // namespace kiln::proto
