#include "core/intel/abi/launch.h"

#include <algorithm>
#include <string>

#include "core/intel/abi/interface.h"

namespace kiln::intel {
namespace {

void AddPart(out::LaunchRecord& r, uint32_t byte, uint32_t bytes, out::PushSource source) {
  out::PushPart part;
  part.reg = r.push_first_register + byte / kGrfBytes;
  part.byte = byte % kGrfBytes;
  part.bytes = bytes;
  part.source = source;
  r.push.push_back(part);
}

out::ComputeLaunch ComputeOf(const mir::Module& m, const Abi& abi, const WidthAbi& at_width) {
  out::ComputeLaunch r;
  r.local_size = m.local_size;
  r.threads_per_group = at_width.threads_per_group;
  r.last_thread_mask = at_width.last_thread_mask;
  r.cross_thread_registers = abi.cross_thread_registers;
  r.per_thread_registers = abi.per_thread_registers;
  r.uses_barrier = abi.uses_barrier && r.threads_per_group != 1;
  r.uses_num_workgroups = abi.num_workgroups.has_value();
  r.requires_zero_base = abi.requires_zero_base;
  return r;
}

out::FragmentLaunch FragmentOf(const mir::Module& m, const Abi& abi, const WidthAbi& at_width) {
  const FragmentAbi& f = *abi.fragment;
  out::FragmentLaunch r;
  r.payload = at_width.payload.items;
  r.setup_first_register = at_width.first_push_register + abi.cross_thread_registers;
  r.setup_slots = f.setup_slots;
  r.attributes = f.attributes;
  for (const out::SetupAttribute& a : f.attributes) r.flat_mask |= a.flat ? 1u << a.slot : 0;
  r.depth = f.depth;
  r.writes_stencil = f.writes_stencil;
  r.writes_sample_mask = f.writes_sample_mask;
  r.dual_source = f.dual_source;
  r.uses_discard = f.kills;
  r.early_tests = m.fragment.early_tests;
  r.post_depth_coverage = m.fragment.post_depth;
  r.has_side_effects = f.side_effects;
  r.vector_mask = true;
  r.interpolator_messages = f.interpolator;
  r.nonperspective = f.nonperspective;
  r.per_sample = f.per_sample;
  r.beside_narrower = NeedsNarrower(at_width.width);
  r.samples = f.samples;
  r.sample_shading = m.fragment.sample_rate;
  r.alpha_to_coverage = f.alpha_to_coverage;
  return r;
}

out::VertexLaunch VertexOf(const Abi& abi, const WidthAbi& at_width) {
  constexpr uint32_t kSlotsOfUnit = 4;  // the unit of an entry's size
  const VertexAbi& v = *abi.vertex;
  out::VertexLaunch r;
  r.setup_first_register = at_width.first_push_register + abi.cross_thread_registers;
  r.setup_slots = static_cast<uint32_t>(v.attributes.size());
  r.attributes = v.attributes;
  r.vue = v.vue;
  r.view_mask = abi.views.mask;
  r.instance_multiplier = abi.views.count();
  r.vue_slots = v.vue_slots;
  r.separate = true;
  r.urb_entry_size = (std::max(r.setup_slots, r.vue_slots) + kSlotsOfUnit - 1) / kSlotsOfUnit;
  for (const out::VueSlot& slot : v.vue) {
    if (slot.what != out::VueContent::kDistances) continue;
    for (const out::VuePart& part : slot.parts) {
      if (!part.from_shader) continue;  // distances that the shader does not write cut nothing
      const uint32_t bit = 1u << ((slot.slot - kVueDistances) * kDistancesPerSlot + part.component);
      (part.what == out::VueValue::kClipDistance ? r.clip_distance_mask : r.cull_distance_mask) |=
          bit;
    }
  }
  return r;
}

}  // namespace

out::LaunchRecord LaunchOf(const mir::Module& m, const Abi& abi, const WidthAbi& at_width) {
  out::LaunchRecord r;
  r.target = std::string(abi.device->name);
  r.entry_point = m.entry_point;
  r.stage = abi.fragment ? "fragment" : abi.vertex ? "vertex" : "compute";
  r.dispatch_width = static_cast<uint32_t>(at_width.width);
  r.push_constant_bytes = m.push_constant_bytes;
  r.push_first_register = at_width.first_push_register;
  r.push_registers = abi.cross_thread_registers + abi.per_thread_registers;
  if (abi.client_bytes != 0) {
    AddPart(r, 0, abi.client_bytes, out::PushSource::kClientPushConstants);
  }
  if (abi.num_workgroups) AddPart(r, *abi.num_workgroups, 12, out::PushSource::kNumWorkgroups);
  if (abi.base_workgroup) AddPart(r, *abi.base_workgroup, 12, out::PushSource::kBaseWorkgroup);
  for (const Abi::BufferAddress& a : abi.buffer_addresses) {
    // A part does not cross a register.
    for (uint32_t half = 0; half < 8; half += 4) {
      AddPart(r, a.byte + half, 4, out::PushSource::kBufferAddress);
      const mir::Resource& resource = m.resources[a.resource];
      r.push.back().offset = half;
      r.push.back().ubo = {resource.set, resource.binding, a.element};
    }
  }
  for (const UniformRange& range : abi.uniform_ranges) {
    AddPart(r, range.push_register * kGrfBytes, range.registers * kGrfBytes, out::PushSource::kUbo);
    const mir::Resource& resource = m.resources[range.resource];
    r.push.back().offset = range.first * kRangeGranule;
    r.push.back().ubo = {resource.set, resource.binding, range.element};
  }
  if (abi.subgroup_id) AddPart(r, *abi.subgroup_id, 4, out::PushSource::kSubgroupId);
  if (abi.fragment) {
    r.fragment = FragmentOf(m, abi, at_width);
  } else if (abi.vertex) {
    r.vertex = VertexOf(abi, at_width);
  } else {
    r.compute = ComputeOf(m, abi, at_width);
  }
  r.binding_table = abi.binding_table;
  r.sampler_table = abi.sampler_table;
  r.descriptor_memory = abi.descriptor_memory;
  r.needs_descriptor_memory = !abi.descriptor_memory.empty();
  r.shared_bytes = m.shared_bytes;
  r.constant_data = m.constant_data;
  return r;
}

}  // namespace kiln::intel
