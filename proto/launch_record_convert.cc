// See launch_record_convert.h. The strings are in tables (launch_tables.h), which are searched in
// both directions.
#include "proto/launch_record_convert.h"

#include <optional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "proto/launch_amd_convert.h"
#include "proto/launch_intel_convert.h"
#include "proto/launch_names.h"
#include "proto/launch_parts.h"
#include "proto/launch_record_1.pb.h"
#include "proto/launch_record_1_convert.h"
#include "proto/launch_tables.h"

namespace kiln::proto {
namespace {

using Parts = google::protobuf::RepeatedPtrField<v1::LaunchLocationPart>;

bool NamesResource(out::PushSource source) {
  return source == out::PushSource::kUbo || source == out::PushSource::kBufferAddress;
}

absl::Status ReadResources(const v1::LaunchRecord& in, out::LaunchRecord& r) {
  for (const v1::LaunchResource& t : in.resources()) {
    const std::optional<out::ResourceKind> kind = Value(kResourceKinds, t.kind());
    if (!kind) return Unknown("kind of resource", t.kind());
    r.resources.push_back({*kind, t.set(), t.binding(), t.elements(), t.format()});
  }
  for (const v1::LaunchDescriptorRange& d : in.descriptor_memory()) {
    const std::optional<out::DescriptorForm> form = Value(kDescriptorForms, d.form());
    if (!form) return Unknown("form of descriptor", d.form());
    if (d.resource() >= r.resources.size()) return Wrong("descriptors of no resource");
    r.descriptor_memory.push_back(
        {d.memory(), d.resource(), d.element(), d.count(), d.offset(), d.stride(), *form});
  }
  for (const v1::LaunchPushPart& p : in.push_data()) {
    const std::optional<out::PushSource> source = Value(kPushSources, p.source());
    if (!source) return Unknown("push source", p.source());
    if (NamesResource(*source) && p.resource() >= r.resources.size()) {
      return Wrong("push data of no resource");
    }
    r.push.push_back(
        {p.at(), p.bytes(), *source, p.offset(), p.resource(), p.element(), p.memory()});
  }
  return absl::OkStatus();
}

absl::Status ReadCompute(const v1::LaunchCompute& c, out::ComputeLaunch& r) {
  if (c.local_size_size() != 3) return Wrong("local_size needs three numbers");
  for (int i = 0; i < 3; ++i) r.local_size[i] = c.local_size(i);
  r.uses_barrier = c.uses_barrier();
  r.requires_zero_base = c.requires_zero_base();
  return absl::OkStatus();
}

absl::Status ReadFragment(const v1::LaunchFragment& in, out::FragmentLaunch& r) {
  for (const v1::LaunchFragmentInput& i : in.inputs()) {
    out::FragmentInput& input =
        r.inputs.emplace_back(out::FragmentInput{i.location(), i.builtin(), i.flat()});
    ReadParts(i.parts(), input.parts);
    input.per_vertex = i.per_vertex();
  }
  const v1::LaunchFragmentOutputs& outputs = in.outputs();
  const std::optional<out::DepthOutput> depth = Value(kDepthOutputs, outputs.depth());
  if (!depth) return Unknown("depth output", outputs.depth());
  r.colors.assign(outputs.colors().begin(), outputs.colors().end());
  if (absl::Status s = CheckColors(r.colors); !s.ok()) return s;
  r.depth = *depth;
  r.writes_stencil = outputs.stencil();
  r.writes_sample_mask = outputs.sample_mask();
  r.dual_source = outputs.dual_source();
  r.uses_discard = in.uses_discard();
  r.early_tests = in.early_fragment_tests();
  r.post_depth_coverage = in.post_depth_coverage();
  r.has_side_effects = in.has_side_effects();
  r.per_sample = in.per_sample();
  r.samples = in.samples();
  r.alpha_to_coverage = in.alpha_to_coverage();
  return absl::OkStatus();
}

absl::Status ReadVertex(const v1::LaunchVertex& in, out::VertexLaunch& r) {
  r.attributes.assign(in.attributes().begin(), in.attributes().end());
  for (const std::string& name : in.system_values()) {
    const std::optional<out::VertexValue> value = Value(kVertexValues, name);
    if (!value) return Unknown("system value", name);
    r.system_values.push_back(*value);
  }
  for (const v1::LaunchVertexOutput& o : in.outputs()) {
    ReadParts(o.parts(), r.outputs.emplace_back(out::VertexOutput{o.location()}).parts);
  }
  if (!in.has_views()) return absl::OkStatus();
  r.view_mask = in.views().mask();
  r.instance_multiplier = in.views().instance_multiplier();
  return r.instance_multiplier < 1 ? Wrong("views without instances") : absl::OkStatus();
}

// Reads what records of every stage have.
absl::Status ReadCommon(const v1::LaunchRecord& in, out::LaunchRecord& r) {
  const std::optional<out::LoadableBy> loader = Value(kLoaders, in.loadable_by());
  if (!loader) return Unknown("loader", in.loadable_by());
  r.target = in.target();
  r.entry_point = in.entry_point();
  r.stage = in.stage();
  r.loadable_by = *loader;
  r.entry = in.entry();
  r.code_bytes = in.code_bytes();
  r.dispatch_width = in.dispatch_width();
  r.push_constant_bytes = in.push_constant_bytes();
  r.shared_bytes = in.shared_bytes();
  r.scratch_bytes_per_thread = in.scratch_bytes_per_thread();
  for (const v1::LaunchRelocation& l : in.relocations()) {
    r.relocations.push_back({l.what(), l.offset(), l.delta()});
  }
  if (absl::Status s = ReadResources(in, r); !s.ok()) return s;
  return ReadConstantData(in.constant_data().hex(), in.constant_data().bytes(), r);
}

absl::Status ReadStage(const v1::LaunchRecord& in, out::LaunchRecord& r) {
  absl::Status status;
  if (in.has_compute()) status = ReadCompute(in.compute(), r.compute);
  if (status.ok() && in.has_fragment()) status = ReadFragment(in.fragment(), r.fragment);
  if (status.ok() && in.has_vertex()) status = ReadVertex(in.vertex(), r.vertex);
  return status;
}

absl::Status ReadArchitecture(const v1::LaunchRecord& in, out::LaunchRecord& r) {
  switch (in.arch_case()) {
    case v1::LaunchRecord::kIntel: return ReadIntel(in.intel(), r);
    case v1::LaunchRecord::kAmd: return ReadAmd(in.amd(), r);
    case v1::LaunchRecord::ARCH_NOT_SET: break;
  }
  return Wrong("no part for an architecture");
}

void WriteParts(const std::vector<out::LocationPart>& in, Parts& result) {
  for (const out::LocationPart& p : in) {
    v1::LaunchLocationPart& part = *result.Add();
    part.set_component(p.component);
    part.set_components(p.components);
    part.set_type(p.type);
    part.set_bits(p.bits);
  }
}

void WriteResources(const out::LaunchRecord& r, v1::LaunchRecord& result) {
  for (const out::Resource& e : r.resources) {
    v1::LaunchResource& t = *result.add_resources();
    t.set_kind(NameFor(kResourceKinds, e.kind));
    t.set_set(e.set);
    t.set_binding(e.binding);
    t.set_elements(e.elements);
    t.set_format(e.format);
  }
  for (const out::DescriptorRange& range : r.descriptor_memory) {
    v1::LaunchDescriptorRange& d = *result.add_descriptor_memory();
    d.set_memory(range.memory);
    d.set_resource(range.resource);
    d.set_element(range.element);
    d.set_count(range.count);
    d.set_offset(range.offset);
    d.set_stride(range.stride);
    d.set_form(NameFor(kDescriptorForms, range.form));
  }
  for (const out::PushPart& p : r.push) {
    v1::LaunchPushPart& part = *result.add_push_data();
    part.set_at(p.at);
    part.set_bytes(p.bytes);
    part.set_source(NameFor(kPushSources, p.source));
    part.set_offset(p.offset);
    part.set_resource(p.resource);
    part.set_element(p.element);
    part.set_memory(p.memory);
  }
}

void WriteCompute(const out::ComputeLaunch& c, v1::LaunchCompute& result) {
  for (uint32_t n : c.local_size) result.add_local_size(n);
  result.set_uses_barrier(c.uses_barrier);
  result.set_requires_zero_base(c.requires_zero_base);
}

void WriteFragment(const out::FragmentLaunch& in, v1::LaunchFragment& result) {
  for (const out::FragmentInput& i : in.inputs) {
    v1::LaunchFragmentInput& t = *result.add_inputs();
    t.set_location(i.location);
    t.set_builtin(i.builtin);
    t.set_flat(i.flat);
    t.set_per_vertex(i.per_vertex);
    WriteParts(i.parts, *t.mutable_parts());
  }
  v1::LaunchFragmentOutputs& outputs = *result.mutable_outputs();
  for (const uint32_t location : in.colors) outputs.add_colors(location);
  outputs.set_depth(NameFor(kDepthOutputs, in.depth));
  outputs.set_stencil(in.writes_stencil);
  outputs.set_sample_mask(in.writes_sample_mask);
  outputs.set_dual_source(in.dual_source);
  result.set_uses_discard(in.uses_discard);
  result.set_early_fragment_tests(in.early_tests);
  result.set_post_depth_coverage(in.post_depth_coverage);
  result.set_has_side_effects(in.has_side_effects);
  result.set_per_sample(in.per_sample);
  result.set_samples(in.samples);
  result.set_alpha_to_coverage(in.alpha_to_coverage);
}

void WriteVertex(const out::VertexLaunch& in, v1::LaunchVertex& result) {
  for (const uint32_t location : in.attributes) result.add_attributes(location);
  for (const out::VertexValue v : in.system_values) {
    result.add_system_values(NameFor(kVertexValues, v));
  }
  for (const out::VertexOutput& o : in.outputs) {
    v1::LaunchVertexOutput& t = *result.add_outputs();
    t.set_location(o.location);
    WriteParts(o.parts, *t.mutable_parts());
  }
  if (in.view_mask == 0) return;
  result.mutable_views()->set_mask(in.view_mask);
  result.mutable_views()->set_instance_multiplier(in.instance_multiplier);
}

// Reads JSON into a message; unknown keys are ignored.
absl::Status ParseJson(absl::string_view json, google::protobuf::Message& result) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const google::protobuf::util::Status status =
      google::protobuf::util::JsonStringToMessage(std::string(json), &result, options);
  return status.ok() ? absl::OkStatus() : Wrong(status.ToString());
}

}  // namespace

absl::Status CheckColors(const std::vector<uint32_t>& locations) {
  constexpr uint32_t kTargets = 8;
  if (locations.size() > kTargets) {
    return Wrong(absl::StrCat(locations.size(), " colour outputs; at most ", kTargets));
  }
  for (const uint32_t location : locations) {
    if (location >= kTargets) return Wrong(absl::StrCat("a colour output at location ", location));
  }
  return absl::OkStatus();
}

absl::Status ReadConstantData(const std::string& hex, uint32_t bytes, out::LaunchRecord& r) {
  if (hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdefABCDEF") != hex.npos) {
    return Wrong("constant_data.hex");
  }
  const std::string data = absl::HexStringToBytes(hex);
  if (data.size() != bytes) return Wrong("constant_data.bytes differs from hex");
  r.constant_data.assign(data.begin(), data.end());
  return absl::OkStatus();
}

absl::Status CheckVersion(const v1::LaunchRecord& record) {
  if (record.record_version() == kRecordVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the service's launch records are of version ", record.record_version(),
                   ", those of this program of version ", kRecordVersion,
                   ": use a client and a service of the same version of Kiln"));
}

absl::StatusOr<out::LaunchRecord> FromProto(const v1::LaunchRecord& in) {
  if (absl::Status s = CheckVersion(in); !s.ok()) return s;
  out::LaunchRecord r;
  absl::Status status = ReadCommon(in, r);
  if (status.ok()) status = ReadStage(in, r);
  if (status.ok()) status = ReadArchitecture(in, r);
  if (!status.ok()) return status;
  return r;
}

v1::LaunchRecord ToProto(const out::LaunchRecord& r) {
  v1::LaunchRecord result;
  result.set_record_version(kRecordVersion);
  result.set_target(r.target);
  result.set_entry_point(r.entry_point);
  result.set_stage(r.stage);
  result.set_loadable_by(NameFor(kLoaders, r.loadable_by));
  result.set_entry(r.entry);
  result.set_code_bytes(r.code_bytes);
  result.set_dispatch_width(r.dispatch_width);
  result.set_push_constant_bytes(r.push_constant_bytes);
  result.set_shared_bytes(r.shared_bytes);
  result.set_scratch_bytes_per_thread(r.scratch_bytes_per_thread);
  WriteResources(r, result);
  for (const out::Relocation& l : r.relocations) {
    v1::LaunchRelocation& t = *result.add_relocations();
    t.set_what(l.what);
    t.set_offset(l.offset);
    t.set_delta(l.delta);
  }
  if (r.stage == "compute") WriteCompute(r.compute, *result.mutable_compute());
  if (r.stage == "fragment") WriteFragment(r.fragment, *result.mutable_fragment());
  if (r.stage == "vertex") WriteVertex(r.vertex, *result.mutable_vertex());
  v1::LaunchConstantData& data = *result.mutable_constant_data();
  data.set_bytes(static_cast<uint32_t>(r.constant_data.size()));
  data.set_hex(absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(r.constant_data.data()), r.constant_data.size())));
  if (std::holds_alternative<out::IntelLaunch>(r.arch)) WriteIntel(r, *result.mutable_intel());
  if (std::holds_alternative<out::AmdLaunch>(r.arch)) WriteAmd(r, *result.mutable_amd());
  return result;
}

absl::StatusOr<out::LaunchRecord> LaunchRecordFromJson(absl::string_view json) {
  launch_record_1::LaunchRecordVersion version;
  if (absl::Status s = ParseJson(json, version); !s.ok()) return s;
  if (version.record_version() > kRecordVersion) {
    return Wrong(absl::StrCat("unknown version ", version.record_version(),
                              "; this program reads versions 1 and ", kRecordVersion));
  }
  if (version.record_version() < kRecordVersion) {
    launch_record_1::LaunchRecord1 record;
    if (absl::Status s = ParseJson(json, record); !s.ok()) return s;
    return FromVersion1(record);
  }
  v1::LaunchRecord record;
  if (absl::Status s = ParseJson(json, record); !s.ok()) return s;
  return FromProto(record);
}

std::string LaunchRecordToJson(const out::LaunchRecord& record) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  // Cannot fail: the message has no Any or unset presence rules.
  const auto status = google::protobuf::util::MessageToJsonString(ToProto(record), &json, options);
  static_cast<void>(status);
  return json;
}

}  // namespace kiln::proto
