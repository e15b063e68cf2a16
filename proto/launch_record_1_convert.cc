// See launch_record_1_convert.h.
//
// Version 1 named the client's descriptors in each place that uses them; they are collected into
// the list of resources first. It said where the data of a vertex program are, value by value; such
// places must be those that intel_launch.h states.
#include "proto/launch_record_1_convert.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proto/launch_names.h"
#include "proto/launch_parts.h"
#include "proto/launch_tables.h"

namespace kiln::proto {
namespace {

using out::PushSource;
using out::ResourceKind;
using out::SurfaceContent;
using out::VertexValue;
using Record = launch_record_1::LaunchRecord1;

constexpr uint32_t kGrfBytes = 32;

// How often something holds: "sometimes" means that a driver decides it at each draw, by state that
// a record does not carry.
enum class Often : uint8_t { kNever, kSometimes, kAlways };
constexpr NameOf<Often> kOften[] = {
    {"never", Often::kNever},
    {"", Often::kNever},
    {"sometimes", Often::kSometimes},
    {"always", Often::kAlways},
};

absl::Status ReadOften(const char* what, const std::string& name, bool& result) {
  const std::optional<Often> often = Value(kOften, name);
  if (!often || *often == Often::kSometimes) return Unknown(what, name);
  result = *often == Often::kAlways;
  return absl::OkStatus();
}

std::optional<SurfaceContent> ContentOf(const std::string& kind) {
  if (Value(kResourceKinds, kind)) return SurfaceContent::kResource;
  if (kind == "null_color_output") return SurfaceContent::kNull;
  const std::optional<SurfaceContent> what = Value(kSurfaceContents, kind);
  return what == SurfaceContent::kResource ? std::nullopt : what;
}

// The names that are not known are refused here; later steps rely on it.
absl::Status CheckNames(const Record& in) {
  for (const Record::Surface& s : in.binding_table()) {
    if (!ContentOf(s.kind())) return Unknown("surface kind", s.kind());
  }
  for (const Record::DescriptorRange& d : in.descriptor_memory()) {
    if (!Value(kResourceKinds, d.kind())) return Unknown("kind of descriptor", d.kind());
    if (!Value(kDescriptorForms, d.form())) return Unknown("form of descriptor", d.form());
  }
  for (const Record::PushPart& p : in.push().parts()) {
    if (!Value(kPushSources, p.source())) return Unknown("push source", p.source());
  }
  return absl::OkStatus();
}

// The client's resources of a record.
class Resources {
 public:
  explicit Resources(const Record& in) {
    for (const Record::Surface& s : in.binding_table()) {
      if (ContentOf(s.kind()) == SurfaceContent::kResource) Add(OfSurface(s));
    }
    for (const Record::DescriptorRange& d : in.descriptor_memory()) Add(OfRange(d));
    for (const Record::Descriptor& s : in.sampler_table()) Add(OfSampler(s));
    for (const Record::PushPart& p : in.push().parts()) {
      if (const std::optional<out::Resource> r = OfPush(p)) Add(*r);
    }
  }

  static out::Resource OfSurface(const Record::Surface& s) {
    return {*Value(kResourceKinds, s.kind()), s.set(), s.binding(), s.element() + 1, s.format()};
  }
  static out::Resource OfRange(const Record::DescriptorRange& d) {
    return {*Value(kResourceKinds, d.kind()), d.set(), d.binding(),
            d.count() == 0 ? 0 : d.element() + d.count(), d.format()};
  }
  // Kiln's tables of samplers do not say which of them belong to images; those are surfaces, too.
  out::Resource OfSampler(const Record::Descriptor& s) const {
    out::Resource combined{ResourceKind::kCombinedImageSampler, s.set(), s.binding(),
                           s.element() + 1};
    if (s.kind() == "combined_image_sampler" || out::FindResource(combined, list_)) return combined;
    return {ResourceKind::kSampler, s.set(), s.binding(), s.element() + 1};
  }
  // Nothing if the part is not of a resource.
  static std::optional<out::Resource> OfPush(const Record::PushPart& p) {
    const PushSource source = *Value(kPushSources, p.source());
    if (source != PushSource::kUbo && source != PushSource::kBufferAddress) return std::nullopt;
    return out::Resource{source == PushSource::kUbo ? ResourceKind::kUbo : ResourceKind::kSsbo,
                         p.ubo().set(), p.ubo().binding(), p.ubo().element() + 1};
  }

  uint32_t NumberOf(const out::Resource& r) const { return *out::FindResource(r, list_); }
  const std::vector<out::Resource>& list() const { return list_; }

 private:
  void Add(const out::Resource& r) { out::AddResource(r, list_); }

  std::vector<out::Resource> list_;
};

absl::Status ReadPush(const Record& in, const Resources& resources, out::LaunchRecord& r) {
  out::IntelLaunch& intel = out::IntelOf(r);
  intel.push_first_register = in.push().first_register();
  intel.push_registers = in.push().registers();
  intel.compute.cross_thread_registers = in.push().cross_thread_registers();
  intel.compute.per_thread_registers = in.push().per_thread_registers();
  for (const Record::PushPart& p : in.push().parts()) {
    if (p.register_() < intel.push_first_register) {
      return Wrong(absl::StrCat("r", p.register_(), " is in front of the push constants"));
    }
    out::PushPart& part = r.push.emplace_back();
    part.at = (p.register_() - intel.push_first_register) * kGrfBytes + p.byte();
    part.bytes = p.bytes();
    part.source = *Value(kPushSources, p.source());
    part.offset = p.offset();
    if (part.source == PushSource::kDescriptorMemory) part.memory = p.set();
    if (const std::optional<out::Resource> resource = Resources::OfPush(p)) {
      part.resource = resources.NumberOf(*resource);
      part.element = p.ubo().element();
    }
  }
  return absl::OkStatus();
}

void ReadTables(const Record& in, const Resources& resources, out::LaunchRecord& r) {
  out::IntelLaunch& intel = out::IntelOf(r);
  for (const Record::Surface& s : in.binding_table()) {
    out::SurfaceEntry entry;
    entry.index = s.index();
    entry.what = *ContentOf(s.kind());
    switch (entry.what) {
      case SurfaceContent::kResource:
        entry.resource = resources.NumberOf(Resources::OfSurface(s));
        entry.element = s.element();
        break;
      case SurfaceContent::kColorOutput:
        entry.location = s.location();
        r.fragment.colors.push_back(s.location());
        break;
      case SurfaceContent::kDescriptorMemory: entry.memory = s.set(); break;
      default: break;
    }
    intel.binding_table.push_back(entry);
  }
  for (const Record::Descriptor& s : in.sampler_table()) {
    intel.sampler_table.push_back(
        {s.index(), resources.NumberOf(resources.OfSampler(s)), s.element()});
  }
  for (const Record::DescriptorRange& d : in.descriptor_memory()) {
    r.descriptor_memory.push_back({d.memory(), resources.NumberOf(Resources::OfRange(d)),
                                   d.element(), d.count(), d.offset(), d.stride(),
                                   *Value(kDescriptorForms, d.form())});
  }
  for (const Record::Relocation& l : in.relocations()) {
    r.relocations.push_back({l.what(), l.offset(), l.delta()});
  }
}

// Returns the size of the client's block; 0 if the program reads none of it.
uint32_t PushConstantBytes(const Record& in) {
  bool reads = false;
  for (const Record::PushPart& p : in.push().parts()) {
    reads |= Value(kPushSources, p.source()) == PushSource::kClientPushConstants;
  }
  for (const Record::Surface& s : in.binding_table()) {
    reads |= ContentOf(s.kind()) == SurfaceContent::kPushConstants;
  }
  return reads ? in.push_constant_bytes() : 0;
}

absl::Status ReadCompute(const Record::Compute& in, out::LaunchRecord& r) {
  if (in.local_size_size() != 3) return Wrong("local_size needs three numbers");
  for (int i = 0; i < 3; ++i) r.compute.local_size[i] = in.local_size(i);
  r.compute.uses_barrier = in.uses_barrier();
  r.compute.requires_zero_base = in.requires_zero_base();
  out::IntelOf(r).compute.threads_per_group = in.threads_per_group();
  out::IntelOf(r).compute.last_thread_mask = in.last_thread_mask();
  return absl::OkStatus();
}

absl::Status ReadSetup(const Record::FragmentSetup& in, out::LaunchRecord& r) {
  if (in.per_primitive_slots() != 0) return Wrong("per-primitive attributes are not known");
  out::IntelFragment& intel = out::IntelOf(r).fragment;
  intel.setup_first_register = in.first_register();
  intel.setup_slots = in.slots();
  for (const Record::FragmentAttribute& a : in.attributes()) {
    if (a.slot() >= in.slots()) {
      return Wrong(absl::StrCat("attribute slot ", a.slot(), " of ", in.slots()));
    }
    intel.input_slots.push_back(a.slot());
    const bool flat = a.flat() || (a.slot() < 32 && (in.flat_mask() >> a.slot() & 1) != 0);
    out::FragmentInput& input =
        r.fragment.inputs.emplace_back(out::FragmentInput{a.location(), a.builtin(), flat});
    ReadParts(a.inputs(), input.parts);
  }
  return absl::OkStatus();
}

absl::Status ReadFragment(const Record::Fragment& in, out::LaunchRecord& r) {
  out::FragmentLaunch& f = r.fragment;
  out::IntelFragment& intel = out::IntelOf(r).fragment;
  for (const Record::PayloadItem& item : in.registers()) {
    const std::optional<out::PayloadPart> part = Value(kPayloadParts, item.what());
    if (!part) return Unknown("payload part", item.what());
    intel.payload.push_back({item.register_(), item.registers(), *part, item.first_lane()});
  }
  const std::optional<out::DepthOutput> depth = Value(kDepthOutputs, in.outputs().depth());
  if (!depth) return Unknown("depth output", in.outputs().depth());
  absl::Status s = ReadSetup(in.setup(), r);
  if (s.ok()) s = ReadOften("per-sample dispatch", in.per_sample_dispatch(), f.per_sample);
  if (s.ok()) s = ReadOften("alpha to coverage", in.alpha_to_coverage(), f.alpha_to_coverage);
  if (!s.ok()) return s;
  f.depth = *depth;
  f.writes_stencil = in.outputs().stencil();
  f.writes_sample_mask = in.outputs().sample_mask();
  f.dual_source = in.outputs().dual_source();
  f.uses_discard = in.uses_discard();
  f.early_tests = in.early_fragment_tests();
  f.post_depth_coverage = in.post_depth_coverage();
  f.has_side_effects = in.has_side_effects();
  f.samples = in.samples();
  intel.vector_mask = in.uses_vector_mask();
  intel.interpolator_messages = in.interpolator_messages();
  intel.nonperspective = in.nonperspective_barycentrics();
  intel.beside_narrower = in.beside_narrower();
  return absl::OkStatus();
}

absl::Status CheckVertexPayload(const Record::Vertex& in) {
  constexpr const char* kNames[] = {"header", "urb_handles"};
  constexpr uint32_t kRegisters = std::size(kNames);
  bool same = in.registers_size() == static_cast<int>(kRegisters);
  for (uint32_t i = 0; same && i < kRegisters; ++i) {
    const Record::PayloadItem& item = in.registers(static_cast<int>(i));
    same = item.register_() == i && item.registers() == 1 && item.what() == kNames[i];
  }
  return same ? absl::OkStatus() : Wrong("a vertex payload is r0, header, and r1, URB handles");
}

bool IsDrawValue(VertexValue v) {
  return v == VertexValue::kDrawId || v == VertexValue::kIsIndexedDraw;
}

// Returns the component that intel_launch.h states for a value.
uint32_t ComponentOf(VertexValue v) {
  return static_cast<uint32_t>(v) -
         static_cast<uint32_t>(IsDrawValue(v) ? VertexValue::kDrawId : VertexValue::kFirstVertex);
}

absl::Status ReadAttributes(const Record::VertexSetup& in, out::VertexLaunch& r) {
  uint32_t place = 0;
  for (const Record::VertexAttribute& a : in.attributes()) {
    if (a.slot() != place || a.slot() >= in.slots() ||
        a.register_() != in.first_register() + kComponents * a.slot()) {
      return Wrong(
          absl::StrCat("attribute slot ", a.slot(), " of ", in.slots(), " at r", a.register_()));
    }
    ++place;
    if (a.system_values().empty()) {
      if (!r.system_values.empty()) return Wrong(absl::StrCat("slot ", a.slot(), " out of order"));
      r.attributes.push_back(a.location());
      continue;
    }
    std::optional<bool> of_draw;
    for (const Record::SystemValue& v : a.system_values()) {
      const std::optional<VertexValue> what = Value(kVertexValues, v.builtin());
      if (!what) return Unknown("system value", v.builtin());
      const bool later = r.system_values.empty() || r.system_values.back() < *what;
      if (v.component() != ComponentOf(*what) || !later ||
          of_draw.value_or(IsDrawValue(*what)) != IsDrawValue(*what)) {
        return Wrong(
            absl::StrCat(v.builtin(), " in component ", v.component(), " of slot ", a.slot()));
      }
      of_draw = IsDrawValue(*what);
      r.system_values.push_back(*what);
    }
  }
  return absl::OkStatus();
}

absl::Status ReadSlot(const Record::VueSlot& in, out::VueSlot& r) {
  r.slot = in.slot();
  r.what = Value(kVueContents, in.what()).value_or(out::VueContent::kBuiltin);
  if (r.what == out::VueContent::kBuiltin) r.builtin = in.what();
  r.location = in.location();
  r.written = in.written();
  for (const Record::VuePart& p : in.parts()) {
    const std::optional<out::VueValue> what = Value(kVueValues, p.builtin());
    if (!what) return Unknown("part of the VUE", p.builtin());
    if (p.component() >= kComponents) return Wrong("component of a part of the VUE");
    r.parts.push_back({p.component(), *what, p.element(), p.from_shader()});
  }
  return absl::OkStatus();
}

absl::Status ReadOutputs(const Record::VertexOutputs& in, out::LaunchRecord& r) {
  out::IntelVertex& intel = out::IntelOf(r).vertex;
  intel.vue_slots = in.slots();
  intel.urb_entry_size = in.urb_entry_size();
  intel.clip_distance_mask = in.clip_distance_mask();
  intel.cull_distance_mask = in.cull_distance_mask();
  for (const Record::VueSlot& s : in.vue()) {
    if (s.slot() >= in.slots()) return Wrong(absl::StrCat("VUE slot ", s.slot()));
    out::VueSlot& slot = intel.vue.emplace_back();
    if (absl::Status status = ReadSlot(s, slot); !status.ok()) return status;
    if (slot.what != out::VueContent::kLocation || !slot.written) continue;
    ReadParts(s.outputs(), r.vertex.outputs.emplace_back(out::VertexOutput{s.location()}).parts);
  }
  return absl::OkStatus();
}

absl::Status ReadVertex(const Record::Vertex& in, out::LaunchRecord& r) {
  if (in.has_views()) {
    r.vertex.view_mask = in.views().mask();
    r.vertex.instance_multiplier = in.views().instance_multiplier();
    if (r.vertex.instance_multiplier < 1) return Wrong("views without instances");
  }
  out::IntelOf(r).vertex.setup_first_register = in.setup().first_register();
  out::IntelOf(r).vertex.setup_slots = in.setup().slots();
  absl::Status s = CheckVertexPayload(in);
  if (s.ok()) s = ReadAttributes(in.setup(), r.vertex);
  return s.ok() ? ReadOutputs(in.outputs(), r) : s;
}

}  // namespace

absl::StatusOr<out::LaunchRecord> FromVersion1(const Record& in) {
  if (absl::Status s = CheckNames(in); !s.ok()) return s;
  const std::optional<out::LoadableBy> loader = Value(kLoaders, in.loadable_by());
  if (!loader) return Unknown("loader", in.loadable_by());
  const Resources resources(in);
  out::LaunchRecord r;
  r.arch.emplace<out::IntelLaunch>();  // version 1 had no others
  r.target = in.target();
  r.entry_point = in.entry_point();
  r.stage = in.stage();
  r.loadable_by = *loader;
  r.entry = in.entry();
  r.code_bytes = in.code_bytes();
  r.dispatch_width = in.dispatch_width();
  r.resources = resources.list();
  r.push_constant_bytes = PushConstantBytes(in);
  r.shared_bytes = in.shared_bytes();
  r.scratch_bytes_per_thread = in.scratch_bytes_per_thread();
  ReadTables(in, resources, r);
  absl::Status status = CheckColors(r.fragment.colors);
  if (status.ok()) status = ReadPush(in, resources, r);
  if (status.ok() && in.has_compute()) status = ReadCompute(in.compute(), r);
  if (status.ok() && in.has_fragment()) status = ReadFragment(in.fragment(), r);
  if (status.ok() && in.has_vertex()) status = ReadVertex(in.vertex(), r);
  if (status.ok()) {
    status = ReadConstantData(in.constant_data().hex(), in.constant_data().bytes(), r);
  }
  if (!status.ok()) return status;
  return r;
}

}  // namespace kiln::proto
