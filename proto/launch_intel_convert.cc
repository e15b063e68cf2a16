// See launch_intel_convert.h.
#include "proto/launch_intel_convert.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/launch_names.h"
#include "proto/launch_parts.h"
#include "proto/launch_tables.h"

namespace kiln::proto {
namespace {

absl::Status ReadTables(const v1::LaunchIntel& in, size_t resources, out::IntelLaunch& r) {
  for (const v1::LaunchIntelSurface& s : in.binding_table()) {
    const std::optional<out::SurfaceContent> what = Value(kSurfaceContents, s.what());
    if (!what) return Unknown("content of a surface", s.what());
    if (*what == out::SurfaceContent::kResource && s.resource() >= resources) {
      return Wrong(absl::StrCat("surface ", s.index(), " has no resource"));
    }
    r.binding_table.push_back(
        {s.index(), *what, s.resource(), s.element(), s.location(), s.memory()});
  }
  for (const v1::LaunchIntelSampler& s : in.sampler_table()) {
    if (s.resource() >= resources) {
      return Wrong(absl::StrCat("sampler ", s.index(), " has no resource"));
    }
    r.sampler_table.push_back({s.index(), s.resource(), s.element()});
  }
  return absl::OkStatus();
}

void ReadCompute(const v1::LaunchIntelCompute& in, out::IntelCompute& r) {
  r.threads_per_group = in.threads_per_group();
  r.last_thread_mask = in.last_thread_mask();
  r.cross_thread_registers = in.cross_thread_registers();
  r.per_thread_registers = in.per_thread_registers();
}

absl::Status ReadFragment(const v1::LaunchIntelFragment& in, size_t inputs, out::IntelFragment& r) {
  for (const v1::LaunchIntelPayload& item : in.payload()) {
    const std::optional<out::PayloadPart> part = Value(kPayloadParts, item.what());
    if (!part) return Unknown("payload part", item.what());
    r.payload.push_back({item.register_(), item.registers(), *part, item.first_lane()});
  }
  r.setup_first_register = in.setup_first_register();
  r.setup_slots = in.setup_slots();
  if (static_cast<size_t>(in.input_slots_size()) != inputs) {
    return Wrong(absl::StrCat("slots of ", in.input_slots_size(), " inputs, there are ", inputs));
  }
  for (const uint32_t slot : in.input_slots()) {
    if (slot >= in.setup_slots()) {
      return Wrong(absl::StrCat("slot ", slot, " of an input, of ", in.setup_slots()));
    }
    r.input_slots.push_back(slot);
  }
  r.vector_mask = in.vector_mask();
  r.interpolator_messages = in.interpolator_messages();
  r.nonperspective = in.nonperspective_barycentrics();
  r.beside_narrower = in.beside_narrower();
  return absl::OkStatus();
}

absl::Status ReadSlot(const v1::LaunchIntelVueSlot& in, out::VueSlot& r) {
  r.slot = in.slot();
  r.what = Value(kVueContents, in.what()).value_or(out::VueContent::kBuiltin);
  if (r.what == out::VueContent::kBuiltin) r.builtin = in.what();
  r.location = in.location();
  r.written = in.written();
  for (const v1::LaunchIntelVuePart& p : in.parts()) {
    const std::optional<out::VueValue> what = Value(kVueValues, p.builtin());
    if (!what) return Unknown("part of the VUE", p.builtin());
    if (p.component() >= kComponents) return Wrong("component of a part of the VUE");
    r.parts.push_back({p.component(), *what, p.element(), p.from_shader()});
  }
  return absl::OkStatus();
}

absl::Status ReadVertex(const v1::LaunchIntelVertex& in, out::IntelVertex& r) {
  r.setup_first_register = in.setup_first_register();
  r.setup_slots = in.setup_slots();
  r.vue_slots = in.vue_slots();
  r.urb_entry_size = in.urb_entry_size();
  r.clip_distance_mask = in.clip_distance_mask();
  r.cull_distance_mask = in.cull_distance_mask();
  for (const v1::LaunchIntelVueSlot& s : in.vue()) {
    if (s.slot() >= in.vue_slots()) return Wrong(absl::StrCat("VUE slot ", s.slot()));
    if (absl::Status status = ReadSlot(s, r.vue.emplace_back()); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void WriteTables(const out::IntelLaunch& r, v1::LaunchIntel& result) {
  for (const out::SurfaceEntry& e : r.binding_table) {
    v1::LaunchIntelSurface& s = *result.add_binding_table();
    s.set_index(e.index);
    s.set_what(NameFor(kSurfaceContents, e.what));
    s.set_resource(e.resource);
    s.set_element(e.element);
    s.set_location(e.location);
    s.set_memory(e.memory);
  }
  for (const out::SamplerEntry& e : r.sampler_table) {
    v1::LaunchIntelSampler& s = *result.add_sampler_table();
    s.set_index(e.index);
    s.set_resource(e.resource);
    s.set_element(e.element);
  }
}

void WriteCompute(const out::IntelCompute& r, v1::LaunchIntelCompute& result) {
  result.set_threads_per_group(r.threads_per_group);
  result.set_last_thread_mask(r.last_thread_mask);
  result.set_cross_thread_registers(r.cross_thread_registers);
  result.set_per_thread_registers(r.per_thread_registers);
}

void WriteFragment(const out::IntelFragment& r, v1::LaunchIntelFragment& result) {
  for (const out::PayloadItem& item : r.payload) {
    v1::LaunchIntelPayload& t = *result.add_payload();
    t.set_register_(item.reg);
    t.set_registers(item.registers);
    t.set_what(NameFor(kPayloadParts, item.what));
    t.set_first_lane(item.first_lane);
  }
  result.set_setup_first_register(r.setup_first_register);
  result.set_setup_slots(r.setup_slots);
  for (const uint32_t slot : r.input_slots) result.add_input_slots(slot);
  result.set_vector_mask(r.vector_mask);
  result.set_interpolator_messages(r.interpolator_messages);
  result.set_nonperspective_barycentrics(r.nonperspective);
  result.set_beside_narrower(r.beside_narrower);
}

void WriteVertex(const out::IntelVertex& r, v1::LaunchIntelVertex& result) {
  result.set_setup_first_register(r.setup_first_register);
  result.set_setup_slots(r.setup_slots);
  result.set_vue_slots(r.vue_slots);
  result.set_urb_entry_size(r.urb_entry_size);
  result.set_clip_distance_mask(r.clip_distance_mask);
  result.set_cull_distance_mask(r.cull_distance_mask);
  for (const out::VueSlot& s : r.vue) {
    v1::LaunchIntelVueSlot& t = *result.add_vue();
    t.set_slot(s.slot);
    t.set_what(s.what == out::VueContent::kBuiltin ? s.builtin : NameFor(kVueContents, s.what));
    t.set_location(s.location);
    t.set_written(s.written);
    for (const out::VuePart& p : s.parts) {
      v1::LaunchIntelVuePart& part = *t.add_parts();
      part.set_component(p.component);
      part.set_builtin(NameFor(kVueValues, p.what));
      part.set_element(p.element);
      part.set_from_shader(p.from_shader);
    }
  }
}

}  // namespace

absl::Status ReadIntel(const v1::LaunchIntel& in, out::LaunchRecord& result) {
  out::IntelLaunch& r = result.arch.emplace<out::IntelLaunch>();
  r.push_first_register = in.push_registers().first();
  r.push_registers = in.push_registers().count();
  if (absl::Status s = ReadTables(in, result.resources.size(), r); !s.ok()) return s;
  if (in.has_compute()) ReadCompute(in.compute(), r.compute);
  if (in.has_fragment()) {
    absl::Status s = ReadFragment(in.fragment(), result.fragment.inputs.size(), r.fragment);
    if (!s.ok()) return s;
  }
  return in.has_vertex() ? ReadVertex(in.vertex(), r.vertex) : absl::OkStatus();
}

void WriteIntel(const out::LaunchRecord& record, v1::LaunchIntel& result) {
  const out::IntelLaunch& r = out::IntelOf(record);
  result.mutable_push_registers()->set_first(r.push_first_register);
  result.mutable_push_registers()->set_count(r.push_registers);
  WriteTables(r, result);
  if (record.stage == "compute") WriteCompute(r.compute, *result.mutable_compute());
  if (record.stage == "fragment") WriteFragment(r.fragment, *result.mutable_fragment());
  if (record.stage == "vertex") WriteVertex(r.vertex, *result.mutable_vertex());
}

}  // namespace kiln::proto
