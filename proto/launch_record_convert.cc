// See launch_record_convert.h. The strings are in tables, which are searched in both directions.
#include "proto/launch_record_convert.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/util/json_util.h"
#include "proto/launch_fragment_convert.h"
#include "proto/launch_names.h"
#include "proto/launch_vertex_convert.h"

namespace kiln::proto {
namespace {

using out::PushSource;
using out::SurfaceKind;

// Several names of the peer tool have the same meaning here; the first name of a value is written.
constexpr NameOf<PushSource> kSources[] = {
    {"client_push_constants", PushSource::kClientPushConstants},
    {"ubo", PushSource::kUbo},
    {"base_workgroup", PushSource::kBaseWorkgroup},
    {"num_workgroups", PushSource::kNumWorkgroups},
    {"subgroup_id", PushSource::kSubgroupId},
    {"descriptor_memory", PushSource::kDescriptorMemory},
    {"constant_data", PushSource::kConstantData},
    {"buffer_address", PushSource::kBufferAddress},
    {"driver_internal", PushSource::kDriverInternal},
    {"descriptor_set_offset", PushSource::kDriverInternal},
    {"sampler_set_offset", PushSource::kDriverInternal},
    {"dynamic_buffer_offset", PushSource::kDriverInternal},
    {"surfaces_base_offset", PushSource::kDriverInternal},
    {"ray_query_globals", PushSource::kDriverInternal},
    {"msaa_flags", PushSource::kDriverInternal},
    {"push_register_mask", PushSource::kDriverAllOnes},
    {"nothing", PushSource::kNothing},
};

constexpr NameOf<SurfaceKind> kKinds[] = {
    {"ubo", SurfaceKind::kUbo},
    {"ssbo", SurfaceKind::kSsbo},
    {"sampled_image", SurfaceKind::kSampledImage},
    {"combined_image_sampler", SurfaceKind::kCombinedImageSampler},
    {"storage_image", SurfaceKind::kStorageImage},
    {"uniform_texel_buffer", SurfaceKind::kUniformTexelBuffer},
    {"storage_texel_buffer", SurfaceKind::kStorageTexelBuffer},
    {"input_attachment", SurfaceKind::kInputAttachment},
    {"color_output", SurfaceKind::kColorOutput},
    {"descriptor_memory", SurfaceKind::kDescriptorMemory},
    {"constant_data", SurfaceKind::kConstantData},
    {"push_constants", SurfaceKind::kPushConstants},
    {"sampler", SurfaceKind::kSampler},
    {"null", SurfaceKind::kNull},
    {"null_color_output", SurfaceKind::kNull},
};

constexpr NameOf<out::DescriptorForm> kForms[] = {
    {"handles", out::DescriptorForm::kHandles},
    {"address", out::DescriptorForm::kAddress},
};

constexpr NameOf<out::LoadableBy> kLoaders[] = {
    {"none", out::LoadableBy::kNone},
    {"", out::LoadableBy::kNone},
    {"level_zero", out::LoadableBy::kLevelZero},
    {"rocm", out::LoadableBy::kRocm},
};

absl::Status ReadPush(const v1alpha::LaunchPush& push, out::LaunchRecord& r) {
  r.push_first_register = push.first_register();
  r.push_registers = push.registers();
  r.compute.cross_thread_registers = push.cross_thread_registers();
  r.compute.per_thread_registers = push.per_thread_registers();
  for (const v1alpha::LaunchPushPart& p : push.parts()) {
    const std::optional<PushSource> source = Value(kSources, p.source());
    if (!source) return Unknown("push source", p.source());
    out::PushPart part;
    part.reg = p.register_();
    part.byte = p.byte();
    part.bytes = p.bytes();
    part.source = *source;
    part.offset = p.offset();
    part.ubo = {p.ubo().set(), p.ubo().binding(), p.ubo().element()};
    if (*source == PushSource::kDescriptorMemory) part.ubo = {p.set(), 0, 0};
    r.push.push_back(part);
  }
  return absl::OkStatus();
}

absl::Status ReadTables(const v1alpha::LaunchRecord& in, out::LaunchRecord& r) {
  for (const v1alpha::LaunchSurface& s : in.binding_table()) {
    const std::optional<SurfaceKind> kind = Value(kKinds, s.kind());
    if (!kind) return Unknown("surface kind", s.kind());
    r.binding_table.push_back(
        {s.index(), *kind, {s.set(), s.binding(), s.element()}, s.location(), s.format()});
  }
  for (const v1alpha::LaunchSampler& s : in.sampler_table()) {
    r.sampler_table.push_back({s.index(), {s.set(), s.binding(), s.element()}});
  }
  for (const v1alpha::LaunchRelocation& l : in.relocations()) {
    r.relocations.push_back({l.what(), l.offset(), l.delta()});
  }
  return absl::OkStatus();
}

absl::Status ReadDescriptors(const v1alpha::LaunchRecord& in, out::LaunchRecord& r) {
  r.needs_descriptor_memory = in.needs_descriptor_memory();
  for (const v1alpha::LaunchDescriptorRange& d : in.descriptor_memory()) {
    const std::optional<SurfaceKind> kind = Value(kKinds, d.kind());
    if (!kind) return Unknown("kind of descriptor", d.kind());
    const std::optional<out::DescriptorForm> form = Value(kForms, d.form());
    if (!form) return Unknown("form of descriptor", d.form());
    r.descriptor_memory.push_back({d.memory(),
                                   *kind,
                                   {d.set(), d.binding(), d.element()},
                                   d.count(),
                                   d.offset(),
                                   d.stride(),
                                   *form,
                                   d.format()});
  }
  return absl::OkStatus();
}

absl::Status ReadCompute(const v1alpha::LaunchCompute& c, out::ComputeLaunch& r) {
  if (c.local_size_size() != 3) {
    return absl::InvalidArgumentError("launch record: local_size needs three numbers");
  }
  for (int i = 0; i < 3; ++i) r.local_size[i] = c.local_size(i);
  r.threads_per_group = c.threads_per_group();
  r.last_thread_mask = c.last_thread_mask();
  r.uses_barrier = c.uses_barrier();
  r.uses_num_workgroups = c.uses_num_workgroups();
  r.requires_zero_base = c.requires_zero_base();
  return absl::OkStatus();
}

absl::Status ReadConstants(const v1alpha::LaunchConstantData& data, out::LaunchRecord& r) {
  const std::string& hex = data.hex();
  if (hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdefABCDEF") != hex.npos) {
    return absl::InvalidArgumentError("launch record: constant_data.hex");
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  if (bytes.size() != data.bytes()) {
    return absl::InvalidArgumentError("launch record: constant_data.bytes differs from hex");
  }
  r.constant_data.assign(bytes.begin(), bytes.end());
  return absl::OkStatus();
}

void WritePush(const out::LaunchRecord& r, v1alpha::LaunchPush& push) {
  push.set_first_register(r.push_first_register);
  push.set_registers(r.push_registers);
  push.set_cross_thread_registers(r.compute.cross_thread_registers);
  push.set_per_thread_registers(r.compute.per_thread_registers);
  for (const out::PushPart& p : r.push) {
    v1alpha::LaunchPushPart& part = *push.add_parts();
    part.set_register_(p.reg);
    part.set_byte(p.byte);
    part.set_bytes(p.bytes);
    part.set_source(NameFor(kSources, p.source));
    part.set_offset(p.offset);
    if (p.source == PushSource::kUbo || p.source == PushSource::kBufferAddress) {
      part.mutable_ubo()->set_kind(p.source == PushSource::kUbo ? "ubo" : "ssbo");
      part.mutable_ubo()->set_set(p.ubo.set);
      part.mutable_ubo()->set_binding(p.ubo.binding);
      part.mutable_ubo()->set_element(p.ubo.element);
    } else if (p.source == PushSource::kDescriptorMemory) {
      part.set_set(p.ubo.set);
    } else if (p.source == PushSource::kSubgroupId) {
      push.mutable_subgroup_id()->set_register_(p.reg);
      push.mutable_subgroup_id()->set_byte(p.byte);
    }
  }
}

void WriteTables(const out::LaunchRecord& r, v1alpha::LaunchRecord& result) {
  for (const out::SurfaceEntry& e : r.binding_table) {
    v1alpha::LaunchSurface& s = *result.add_binding_table();
    s.set_index(e.index);
    s.set_kind(NameFor(kKinds, e.kind));
    s.set_set(e.descriptor.set);
    s.set_binding(e.descriptor.binding);
    s.set_element(e.descriptor.element);
    s.set_location(e.location);
    s.set_format(e.format);
  }
  for (const out::SamplerEntry& e : r.sampler_table) {
    v1alpha::LaunchSampler& s = *result.add_sampler_table();
    s.set_index(e.index);
    s.set_kind("sampler");
    s.set_set(e.descriptor.set);
    s.set_binding(e.descriptor.binding);
    s.set_element(e.descriptor.element);
  }
  for (const out::Relocation& l : r.relocations) {
    v1alpha::LaunchRelocation& t = *result.add_relocations();
    t.set_what(l.what);
    t.set_offset(l.offset);
    t.set_delta(l.delta);
  }
}

void WriteDescriptors(const out::LaunchRecord& r, v1alpha::LaunchRecord& result) {
  result.set_needs_descriptor_memory(r.needs_descriptor_memory);
  for (const out::DescriptorRange& range : r.descriptor_memory) {
    v1alpha::LaunchDescriptorRange& d = *result.add_descriptor_memory();
    d.set_memory(range.memory);
    d.set_kind(NameFor(kKinds, range.kind));
    d.set_set(range.first.set);
    d.set_binding(range.first.binding);
    d.set_element(range.first.element);
    d.set_count(range.count);
    d.set_offset(range.offset);
    d.set_stride(range.stride);
    d.set_form(NameFor(kForms, range.form));
    d.set_format(range.format);
  }
}

void WriteCompute(const out::ComputeLaunch& c, v1alpha::LaunchCompute& result) {
  for (uint32_t n : c.local_size) result.add_local_size(n);
  result.set_threads_per_group(c.threads_per_group);
  result.set_last_thread_mask(c.last_thread_mask);
  result.set_uses_barrier(c.uses_barrier);
  result.set_uses_num_workgroups(c.uses_num_workgroups);
  result.set_requires_zero_base(c.requires_zero_base);
}

}  // namespace

absl::StatusOr<out::LaunchRecord> FromProto(const v1alpha::LaunchRecord& in) {
  if (in.record_version() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("launch record: unknown version ", in.record_version()));
  }
  out::LaunchRecord r;
  r.target = in.target();
  r.entry_point = in.entry_point();
  r.stage = in.stage();
  const std::optional<out::LoadableBy> loader = Value(kLoaders, in.loadable_by());
  if (!loader) return Unknown("loader", in.loadable_by());
  r.loadable_by = *loader;
  r.entry = in.entry();
  r.code_bytes = in.code_bytes();
  r.dispatch_width = in.dispatch_width();
  r.grf_used = in.grf_used();
  r.push_constant_bytes = in.push_constant_bytes();
  r.shared_bytes = in.shared_bytes();
  r.scratch_bytes_per_thread = in.scratch_bytes_per_thread();
  absl::Status status = ReadPush(in.push(), r);
  if (status.ok()) status = ReadTables(in, r);
  if (status.ok()) status = ReadDescriptors(in, r);
  if (status.ok() && in.has_compute()) status = ReadCompute(in.compute(), r.compute);
  if (status.ok() && in.has_fragment()) status = ReadFragment(in.fragment(), r.fragment);
  if (status.ok() && in.has_vertex()) status = ReadVertex(in.vertex(), r.vertex);
  if (status.ok()) status = ReadConstants(in.constant_data(), r);
  if (!status.ok()) return status;
  return r;
}

v1alpha::LaunchRecord ToProto(const out::LaunchRecord& r) {
  v1alpha::LaunchRecord result;
  result.set_record_version(1);
  result.set_target(r.target);
  result.set_entry_point(r.entry_point);
  result.set_stage(r.stage);
  result.set_loadable_by(NameFor(kLoaders, r.loadable_by));
  result.set_entry(r.entry);
  result.set_code_bytes(r.code_bytes);
  result.set_dispatch_width(r.dispatch_width);
  result.set_grf_used(r.grf_used);
  result.set_push_constant_bytes(r.push_constant_bytes);
  result.set_shared_bytes(r.shared_bytes);
  result.set_scratch_bytes_per_thread(r.scratch_bytes_per_thread);
  WritePush(r, *result.mutable_push());
  WriteTables(r, result);
  WriteDescriptors(r, result);
  if (r.stage == "compute") WriteCompute(r.compute, *result.mutable_compute());
  if (r.stage == "fragment") WriteFragment(r.fragment, *result.mutable_fragment());
  if (r.stage == "vertex") WriteVertex(r.vertex, *result.mutable_vertex());
  v1alpha::LaunchConstantData& data = *result.mutable_constant_data();
  data.set_bytes(static_cast<uint32_t>(r.constant_data.size()));
  data.set_hex(absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(r.constant_data.data()), r.constant_data.size())));
  return result;
}

absl::StatusOr<out::LaunchRecord> LaunchRecordFromJson(absl::string_view json) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1alpha::LaunchRecord record;
  const google::protobuf::util::Status status =
      google::protobuf::util::JsonStringToMessage(std::string(json), &record, options);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("launch record: ", status.ToString()));
  }
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
