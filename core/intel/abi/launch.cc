#include "core/intel/abi/launch.h"
#include "core/target/interface.h"

#include <algorithm>
#include <string>

#include "core/target/resource_kind.h"

namespace kiln::intel {
namespace {

// Lists the client's resources: those in the tables, in descriptor memory, and behind push data.
class Resources {
 public:
  Resources(const mir::Module& m, const Abi& abi) : m_(m), abi_(abi) {
    for (const TableSurface& s : abi.binding_table) {
      if (s.what == out::SurfaceContent::kResource) Add(s.resource, s.element + 1);
    }
    for (const TableSampler& s : abi.sampler_table) Add(s.resource, s.element + 1);
    for (const DescriptorMemory& d : abi.descriptor_memory) Add(d.resource, d.count);
    for (const Abi::BufferAddress& a : abi.buffer_addresses) Add(a.resource, a.element + 1);
    for (const UniformRange& r : abi.uniform_ranges) Add(r.resource, r.element + 1);
  }

  // Returns the number of a MIR resource in the list.
  uint32_t NumberOf(uint32_t resource) const {
    return *out::FindResource(Described(resource, 0), list_);
  }
  const std::vector<out::Resource>& list() const { return list_; }

 private:
  out::Resource Described(uint32_t resource, uint32_t elements) const {
    const mir::Resource& r = m_.resources[resource];
    return {ResourceKindOf(r.kind), r.set, r.binding, elements,
            abi_.raw_image[resource] ? "r32ui" : ""};
  }
  void Add(uint32_t resource, uint32_t elements) {
    out::AddResource(Described(resource, elements), list_);
  }

  const mir::Module& m_;
  const Abi& abi_;
  std::vector<out::Resource> list_;
};

void AddTables(const Abi& abi, const Resources& resources, out::LaunchRecord& r) {
  out::IntelLaunch& intel = out::IntelOf(r);
  for (const TableSurface& s : abi.binding_table) {
    out::SurfaceEntry entry;
    entry.index = static_cast<uint32_t>(intel.binding_table.size());
    entry.what = s.what;
    if (s.what == out::SurfaceContent::kResource) entry.resource = resources.NumberOf(s.resource);
    entry.element = s.element;
    entry.location = s.location;
    entry.memory = s.memory;
    intel.binding_table.push_back(entry);
  }
  for (const TableSampler& s : abi.sampler_table) {
    intel.sampler_table.push_back({static_cast<uint32_t>(intel.sampler_table.size()),
                                   resources.NumberOf(s.resource), s.element});
  }
  for (const DescriptorMemory& d : abi.descriptor_memory) {
    out::DescriptorRange range;
    range.memory = static_cast<uint32_t>(r.descriptor_memory.size());
    range.resource = resources.NumberOf(d.resource);
    range.count = d.count;
    range.stride = kDescriptorBytes;
    r.descriptor_memory.push_back(range);
  }
}

// Returns the part of the push data that is added.
out::PushPart& AddPart(out::LaunchRecord& r, uint32_t at, uint32_t bytes, out::PushSource source) {
  out::PushPart& part = r.push.emplace_back();
  part.at = at;
  part.bytes = bytes;
  part.source = source;
  return part;
}

void AddPush(const Abi& abi, const Resources& resources, out::LaunchRecord& r) {
  if (abi.client_bytes != 0) {
    AddPart(r, 0, abi.client_bytes, out::PushSource::kClientPushConstants);
  }
  if (abi.num_workgroups) AddPart(r, *abi.num_workgroups, 12, out::PushSource::kNumWorkgroups);
  if (abi.base_workgroup) AddPart(r, *abi.base_workgroup, 12, out::PushSource::kBaseWorkgroup);
  for (const Abi::BufferAddress& a : abi.buffer_addresses) {
    // A part does not cross a register.
    for (uint32_t half = 0; half < 8; half += 4) {
      out::PushPart& part = AddPart(r, a.byte + half, 4, out::PushSource::kBufferAddress);
      part.offset = half;
      part.resource = resources.NumberOf(a.resource);
      part.element = a.element;
    }
  }
  for (const UniformRange& range : abi.uniform_ranges) {
    out::PushPart& part = AddPart(r, range.push_register * kGrfBytes, range.registers * kGrfBytes,
                                  out::PushSource::kUbo);
    part.offset = range.first * kRangeGranule;
    part.resource = resources.NumberOf(range.resource);
    part.element = range.element;
  }
  if (abi.subgroup_id) AddPart(r, *abi.subgroup_id, 4, out::PushSource::kSubgroupId);
}

void AddCompute(const mir::Module& m, const Abi& abi, const WidthAbi& at_width,
                out::LaunchRecord& r) {
  r.compute.local_size = m.local_size;
  r.compute.uses_barrier = abi.uses_barrier && at_width.threads_per_group != 1;
  r.compute.requires_zero_base = abi.requires_zero_base;
  out::IntelCompute& intel = out::IntelOf(r).compute;
  intel.threads_per_group = at_width.threads_per_group;
  intel.last_thread_mask = at_width.last_thread_mask;
  intel.cross_thread_registers = abi.cross_thread_registers;
  intel.per_thread_registers = abi.per_thread_registers;
}

void AddFragment(const mir::Module& m, const Abi& abi, const WidthAbi& at_width,
                 out::LaunchRecord& r) {
  const FragmentAbi& f = *abi.fragment;
  r.fragment.inputs = f.attributes;
  for (const ColourTarget& target : f.targets) r.fragment.colors.push_back(target.location);
  r.fragment.depth = f.depth;
  r.fragment.writes_stencil = f.writes_stencil;
  r.fragment.writes_sample_mask = f.writes_sample_mask;
  r.fragment.dual_source = f.dual_source;
  r.fragment.uses_discard = f.kills;
  r.fragment.early_tests = m.fragment.early_tests;
  r.fragment.post_depth_coverage = m.fragment.post_depth;
  r.fragment.has_side_effects = f.side_effects;
  r.fragment.per_sample = f.per_sample;
  r.fragment.samples = f.samples;
  r.fragment.alpha_to_coverage = f.alpha_to_coverage;
  out::IntelFragment& intel = out::IntelOf(r).fragment;
  intel.payload = at_width.payload.items;
  intel.setup_first_register = at_width.first_push_register + abi.cross_thread_registers;
  intel.setup_slots = f.setup_slots;
  intel.input_slots = f.attribute_slots;
  intel.vector_mask = true;
  intel.interpolator_messages = f.interpolator;
  intel.nonperspective = f.nonperspective;
  intel.beside_narrower = NeedsNarrower(at_width.width);
}

void AddVertex(const Abi& abi, const WidthAbi& at_width, out::LaunchRecord& r) {
  constexpr uint32_t kSlotsOfUnit = 4;  // the unit of an entry's size
  const VertexAbi& v = *abi.vertex;
  r.vertex.attributes = v.attributes;
  r.vertex.system_values = v.system_values;
  r.vertex.outputs = v.outputs;
  r.vertex.view_mask = abi.views.mask;
  r.vertex.instance_multiplier = abi.views.count();
  out::IntelVertex& intel = out::IntelOf(r).vertex;
  intel.setup_first_register = at_width.first_push_register + abi.cross_thread_registers;
  intel.setup_slots = v.SetupSlots();
  intel.vue = v.vue;
  intel.vue_slots = v.vue_slots;
  intel.urb_entry_size =
      (std::max(intel.setup_slots, intel.vue_slots) + kSlotsOfUnit - 1) / kSlotsOfUnit;
  for (const out::VueSlot& slot : v.vue) {
    if (slot.what != out::VueContent::kDistances) continue;
    for (const out::VuePart& part : slot.parts) {
      if (!part.from_shader) continue;  // distances that the shader does not write cut nothing
      const uint32_t bit = 1u << ((slot.slot - kVueDistances) * kDistancesPerSlot + part.component);
      (part.what == out::VueValue::kClipDistance ? intel.clip_distance_mask
                                                 : intel.cull_distance_mask) |= bit;
    }
  }
}

}  // namespace

out::LaunchRecord LaunchOf(const mir::Module& m, const Abi& abi, const WidthAbi& at_width) {
  out::LaunchRecord r;
  out::IntelLaunch& intel = r.arch.emplace<out::IntelLaunch>();
  const Resources resources(m, abi);
  r.target = std::string(abi.device->name);
  r.entry_point = m.entry_point;
  r.stage = abi.fragment ? "fragment" : abi.vertex ? "vertex" : "compute";
  r.dispatch_width = static_cast<uint32_t>(at_width.width);
  r.resources = resources.list();
  if (abi.client_bytes != 0 || abi.push_surface) r.push_constant_bytes = m.push_constant_bytes;
  intel.push_first_register = at_width.first_push_register;
  intel.push_registers = abi.cross_thread_registers + abi.per_thread_registers;
  AddTables(abi, resources, r);
  AddPush(abi, resources, r);
  if (abi.fragment) {
    AddFragment(m, abi, at_width, r);
  } else if (abi.vertex) {
    AddVertex(abi, at_width, r);
  } else {
    AddCompute(m, abi, at_width, r);
  }
  r.shared_bytes = m.shared_bytes;
  r.constant_data = m.constant_data;
  return r;
}

}  // namespace kiln::intel
