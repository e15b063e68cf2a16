#include "core/intel/abi/abi.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/abi/descriptor_tables.h"
#include "core/intel/abi/width_abi.h"
#include "core/mir/build.h"

namespace kiln::intel {
namespace {

using mir::InstId;
using mir::Module;
using mir::Op;

struct Uses {
  const Device* device = nullptr;
  std::vector<bool> resource;
  std::vector<bool> sampler;  // by resource: used as a sampler
  std::vector<bool> loaded;   // by resource: storage image that is read
  std::vector<bool> atomic;   // by resource: storage image with atomics
  std::vector<Abi::BufferAddress> addresses;
  uint32_t push_bytes = 0;
  bool push_dynamic = false;
  bool constant_data = false;
  bool num_workgroups = false;
  bool base_workgroup = false;
  bool workgroup_id = false;
  bool subgroup_id = false;
  bool barrier = false;
  bool writes_shared = false;
  bool writes_buffers = false;
};

void NotePush(const Module& m, InstId id, Uses& uses) {
  const mir::Inst& inst = m.inst(id);
  const mir::Value& offset = m.value(m.source(id, 0));
  if (offset.kind != mir::Value::Kind::kConstant) {
    uses.push_dynamic = true;
    return;
  }
  const uint32_t element = mir::BytesOf(m.value(m.result(id)).type);
  const uint32_t end = static_cast<uint32_t>(offset.bits) + element * inst.num_results;
  uses.push_bytes = std::max(uses.push_bytes, (end + 3) & ~3u);
}

void NoteTexelOp(const Module& m, InstId id, Uses& uses) {
  const mir::Inst& inst = m.inst(id);
  switch (inst.op) {
    case Op::kSample:
    case Op::kSampleImplicit:
    case Op::kImageLod:
    case Op::kGather: {
      const uint32_t sampler = m.texel_ops[inst.imm1].sampler;
      uses.sampler[sampler == mir::TexelOp::kNoSampler ? inst.imm0 : sampler] = true;
      break;
    }
    case Op::kFetch:
    case Op::kImageSize:
    case Op::kImageLevels:
    case Op::kImageSamples: break;
    case Op::kImageLoad: uses.loaded[inst.imm0] = true; break;
    case Op::kImageAtomic: uses.atomic[inst.imm0] = true; [[fallthrough]];
    case Op::kImageStore: uses.writes_buffers = true; break;
    default: return;
  }
  uses.resource[inst.imm0] = true;
}

// Notes a buffer that is accessed by address. The descriptor must be known, since push registers
// hold its address.
void NoteAddress(const Module& m, InstId id, Uses& uses) {
  const mir::Inst& inst = m.inst(id);
  uint32_t element = m.resources[inst.imm0].element;
  if ((inst.flags & mir::kIndexed) != 0) {
    const mir::Value& index = m.value(m.source(id, 0));
    if (index.kind != mir::Value::Kind::kConstant) return;  // selection refuses it
    element += KnownElement(*uses.device, m.resources[inst.imm0], index.bits);
  }
  for (const Abi::BufferAddress& a : uses.addresses) {
    if (a.resource == inst.imm0 && a.element == element) return;
  }
  uses.addresses.push_back({inst.imm0, element, 0});
}

Uses FindUses(const Module& m, const Device& device) {
  Uses uses;
  uses.device = &device;
  uses.resource.resize(m.resources.size());
  uses.sampler.resize(m.resources.size());
  uses.loaded.resize(m.resources.size());
  uses.atomic.resize(m.resources.size());
  mir::ForEachInst(m, m.body, [&](InstId id) {
    const mir::Inst& inst = m.inst(id);
    NoteTexelOp(m, id, uses);
    const bool buffer = inst.op == Op::kStoreSsbo || inst.op == Op::kSsboAtomic ||
                        inst.op == Op::kStoreGlobal || inst.op == Op::kGlobalAtomic ||
                        inst.op == Op::kGlobalAtomic64;
    uses.writes_buffers = uses.writes_buffers || buffer;
    switch (inst.op) {
      case Op::kLoadUbo:
      case Op::kLoadSsbo:
      case Op::kStoreSsbo:
      case Op::kSsboSize:
      case Op::kSsboAtomic: uses.resource[inst.imm0] = true; break;
      case Op::kSsboAddress: NoteAddress(m, id, uses); break;
      case Op::kLoadPush: NotePush(m, id, uses); break;
      case Op::kLoadConstant: uses.constant_data = true; break;
      case Op::kNumWorkgroups: uses.num_workgroups = true; break;
      case Op::kBaseWorkgroup: uses.base_workgroup = true; break;
      case Op::kWorkgroupId: uses.workgroup_id = true; break;
      case Op::kLocalIndex:
      case Op::kSubgroupId: uses.subgroup_id = true; break;
      case Op::kControlBarrier:
        uses.barrier |= inst.imm1 == static_cast<uint32_t>(mir::Scope::kWorkgroup);
        break;
      case Op::kStoreShared:
      case Op::kSharedAtomic: uses.writes_shared = true; break;
      default: break;
    }
  });
  return uses;
}

// Adds an entry to the binding table; returns its index.
uint32_t AddSurface(const TableSurface& surface, Abi& abi) {
  abi.binding_table.push_back(surface);
  return static_cast<uint32_t>(abi.binding_table.size() - 1);
}

// Adds entries for the descriptors of a resource; returns the first one's index.
uint32_t AddSurfaces(const Module& m, size_t resource, Abi& abi) {
  const auto first = static_cast<uint32_t>(abi.binding_table.size());
  const mir::Resource& r = m.resources[resource];
  for (uint32_t i = 0; i < r.count; ++i) {
    AddSurface({.what = out::SurfaceContent::kResource,
                .resource = static_cast<uint32_t>(resource),
                .element = r.element + i},
               abi);
  }
  return first;
}

uint32_t AddSamplers(const Module& m, size_t resource, Abi& abi) {
  const auto first = static_cast<uint32_t>(abi.sampler_table.size());
  const mir::Resource& r = m.resources[resource];
  for (uint32_t i = 0; i < r.count; ++i) {
    abi.sampler_table.push_back({static_cast<uint32_t>(resource), r.element + i});
  }
  return first;
}

// Adds entries for the memories with handles, after all others.
void AddDescriptorMemory(const std::vector<Binding>& bindings, Abi& abi) {
  for (const Binding& b : bindings) {
    if (!b.surfaces_in_memory && !b.samplers_in_memory) continue;
    const auto number = static_cast<uint32_t>(abi.descriptor_memory.size());
    const uint32_t index =
        AddSurface({.what = out::SurfaceContent::kDescriptorMemory, .memory = number}, abi);
    abi.descriptor_memory.push_back(
        {static_cast<uint32_t>(b.resources[0]), b.unsized ? 0 : static_cast<uint32_t>(b.elements)});
    for (size_t i : b.resources) {
      if (b.surfaces_in_memory) abi.surface_memory[i] = index;
      if (b.samplers_in_memory) abi.sampler_memory[i] = index;
    }
  }
}

// Adds render targets, which are the first surfaces. Depth, stencil and a sample mask need one even
// without a colour (Mesa 25.0.7, brw_nir.h, brw_nir_fs_needs_null_rt): then it is a null surface.
void AddTargets(Abi& abi) {
  const FragmentAbi& f = *abi.fragment;
  for (const ColourTarget& target : f.targets) {
    AddSurface({.what = out::SurfaceContent::kColorOutput, .location = target.location}, abi);
  }
  const bool wants_one =
      f.writes_sample_mask || f.writes_stencil || f.depth != out::DepthOutput::kOff;
  if (f.targets.empty() && wants_one) abi.binding_table.emplace_back();
}

// Module::resources is in (set, binding, element) order, and so are the tables.
absl::Status AssignSurfaces(const Module& m, const Uses& uses, Abi& abi) {
  abi.resource_surface.assign(m.resources.size(), Abi::kNoSurface);
  abi.resource_sampler.assign(m.resources.size(), Abi::kNoSurface);
  abi.surface_memory.assign(m.resources.size(), Abi::kNoSurface);
  abi.sampler_memory.assign(m.resources.size(), Abi::kNoSurface);
  abi.raw_image.assign(m.resources.size(), false);
  for (size_t i = 0; i < m.resources.size(); ++i) {
    const mir::ImageInfo& image = m.resources[i].image;
    abi.raw_image[i] = (uses.loaded[i] && IsUnreadableFormat(image.format)) ||
                       (uses.atomic[i] && image.component == mir::ComponentType::kFloat);
  }
  std::vector<bool> surface_in_memory(m.resources.size()), sampler_in_memory(m.resources.size());
  if (abi.fragment) AddTargets(abi);
  const uint64_t others =
      abi.binding_table.size() + (uses.constant_data ? 1 : 0) + (uses.push_dynamic ? 1 : 0);
  const absl::StatusOr<std::vector<Binding>> bindings =
      ChooseTables(m, abi.device->limits, {uses.resource, uses.sampler, abi.raw_image, others});
  if (!bindings.ok()) return bindings.status();
  for (const Binding& b : *bindings) {
    for (size_t i : b.resources) {
      surface_in_memory[i] = b.surfaces_in_memory;
      sampler_in_memory[i] = b.samplers_in_memory;
    }
  }
  for (size_t i = 0; i < m.resources.size(); ++i) {
    if (uses.resource[i] && !surface_in_memory[i]) {
      abi.resource_surface[i] = AddSurfaces(m, i, abi);
    }
    if (uses.sampler[i] && !sampler_in_memory[i]) abi.resource_sampler[i] = AddSamplers(m, i, abi);
  }
  if (uses.constant_data) {
    abi.constant_surface = AddSurface({.what = out::SurfaceContent::kConstantData}, abi);
  }
  if (uses.push_dynamic) {
    abi.push_surface = AddSurface({.what = out::SurfaceContent::kPushConstants}, abi);
  }
  AddDescriptorMemory(*bindings, abi);
  return absl::OkStatus();
}

void AssignPush(const Module& m, const Uses& uses, Abi& abi) {
  abi.client_bytes = std::min(uses.push_bytes, (m.push_constant_bytes + 3) & ~3u);
  uint32_t byte = abi.client_bytes;
  if (uses.num_workgroups) {
    abi.num_workgroups = byte;
    byte += 12;
  }
  if (uses.base_workgroup) {
    abi.base_workgroup = byte;
    byte += 12;
  }
  for (Abi::BufferAddress a : uses.addresses) {
    a.byte = byte;
    abi.buffer_addresses.push_back(a);
    byte += 8;
  }
  abi.cross_thread_registers = static_cast<uint32_t>(GrfsOf(static_cast<int>(byte)));
  if (uses.subgroup_id) {
    abi.subgroup_id = abi.cross_thread_registers * kGrfBytes;
    abi.per_thread_registers = 1;
  }
}

absl::Status AssignPrivateArrays(const Module& m, Abi& abi) {
  constexpr int kNarrowest = 8;
  for (const mir::PrivateArray& array : m.private_arrays) {
    abi.array_offset.push_back(abi.scratch_bytes_per_lane);
    const uint64_t end = uint64_t{abi.scratch_bytes_per_lane} + ((array.bytes + 3) & ~3u);
    if (absl::Status s = CheckScratch(m, *abi.device, end * kNarrowest, kNarrowest); !s.ok())
      return s;
    abi.scratch_bytes_per_lane = static_cast<uint32_t>(end);
  }
  return absl::OkStatus();
}

absl::Status CheckDispatch(const Module& m, const Limits& limits) {
  const uint64_t invocations = uint64_t{m.local_size[0]} * m.local_size[1] * m.local_size[2];
  if (invocations > limits.invocations) {
    const std::string what = absl::StrCat("invocations of the workgroup (", m.local_size[0], " x ",
                                          m.local_size[1], " x ", m.local_size[2], ")");
    return BeyondLimit("too_many_invocations", {what, invocations, limits.invocations},
                       m.local_size_id);
  }
  if (m.shared_bytes > limits.shared_bytes) {
    return BeyondLimit("shared_memory_too_large",
                       {"bytes of shared memory", m.shared_bytes, limits.shared_bytes},
                       m.shared_id);
  }
  return absl::OkStatus();
}

// By default, a dispatch flushes subnormals of single precision and rounds to nearest even in all
// precisions; its handling of half-precision subnormals is not known (ABI.md, "State"). The
// rounding mode is one for all precisions, as the module's is (Features::rounding_by_width).
void AssignControl(const Module& m, Abi& abi) {
  constexpr uint32_t kKeepSingle = 1u << 7, kKeepHalf = 1u << 10, kRoundToZero = 3u << 4;
  if (mir::RoundsToZero(m, Op::kFadd, mir::Type::kF32)) abi.control_set |= kRoundToZero;
  if (m.f32_mode.denorms == mir::DenormMode::kPreserve) abi.control_set |= kKeepSingle;
  if (m.f16_mode.denorms == mir::DenormMode::kPreserve) abi.control_set |= kKeepHalf;
  if (m.f16_mode.denorms == mir::DenormMode::kFlush) abi.control_clear |= kKeepHalf;
}

// The math unit always keeps the subnormals of halfs (PRM, "math": "half-float denorms are always
// retained").
absl::Status CheckControl(const Module& m) {
  if (m.f16_mode.denorms != mir::DenormMode::kFlush) return absl::OkStatus();
  InstId math;
  mir::ForEachInst(m, m.body, [&](InstId id) {
    switch (m.inst(id).op) {
      case Op::kFsqrt:
      case Op::kFrsq:
      case Op::kFrcp:
      case Op::kFdiv:
      case Op::kFexp2:
      case Op::kFlog2:
      case Op::kFsin:
      case Op::kFcos:
      case Op::kFpow:
        if (!math.valid() && m.value(m.result(id)).type == mir::Type::kF16) math = id;
        break;
      default: break;
    }
  });
  if (!math.valid()) return absl::OkStatus();
  return Unsupported("float_controls", "function of half floats whose subnormals are to be flushed",
                     m.inst(math).spirv_id);
}

}  // namespace

uint32_t KnownElement(const Device& device, const mir::Resource& resource, uint64_t index) {
  const uint32_t last =
      resource.count == 0 ? device.limits.bindless_surfaces - 1 : resource.count - 1;
  return static_cast<uint32_t>(std::min<uint64_t>(index, last));
}

bool IsUnreadableFormat(mir::ImageFormat format) {
  switch (format) {
    case mir::ImageFormat::kRgb10a2:
    case mir::ImageFormat::kRgb10a2ui:
    case mir::ImageFormat::kR11g11b10f: return true;
    default: return false;
  }
}

void PushRanges(std::vector<UniformRange> ranges, Abi& abi) {
  assert((abi.fragment || abi.vertex) && abi.per_thread_registers == 0 &&
         abi.uniform_ranges.empty());
  for (UniformRange& range : ranges) {
    range.push_register = abi.cross_thread_registers;
    abi.cross_thread_registers += range.registers;
  }
  abi.uniform_ranges = std::move(ranges);
}

std::optional<uint32_t> PushedRegister(const Abi& abi, uint32_t resource, uint32_t element,
                                       uint32_t index) {
  for (const UniformRange& r : abi.uniform_ranges) {
    if (r.resource == resource && r.element == element && index >= r.first &&
        index - r.first < r.registers) {
      return r.push_register + (index - r.first);
    }
  }
  return std::nullopt;
}

absl::StatusOr<Abi> AssignAbi(const Module& m, const Device& device, const PipelineState& state) {
  Abi abi;
  abi.device = &device;
  abi.views.mask = state.view_mask;
  if (absl::Status s = CheckViews(abi.views); !s.ok()) return s;
  if (m.stage == mir::Stage::kFragment) {
    absl::StatusOr<FragmentAbi> fragment = AssignFragment(m, state.fragment);
    if (!fragment.ok()) return fragment.status();
    abi.fragment = *std::move(fragment);
  }
  if (m.stage == mir::Stage::kVertex) {
    absl::StatusOr<VertexAbi> vertex = AssignVertex(m, abi.views);
    if (!vertex.ok()) return vertex.status();
    abi.vertex = *std::move(vertex);
  }
  if (absl::Status s = CheckDispatch(m, device.limits); !s.ok()) return s;
  const Uses uses = FindUses(m, device);
  if (absl::Status s = AssignSurfaces(m, uses, abi); !s.ok()) return s;
  if (absl::Status s = CheckControl(m); !s.ok()) return s;
  AssignPush(m, uses, abi);
  if (abi.cross_thread_registers > device.limits.push_registers) {
    return BeyondLimit(
        "push_constants_too_large",
        {"registers of push constants", abi.cross_thread_registers, device.limits.push_registers},
        m.push_constant_id);
  }
  if (absl::Status s = AssignPrivateArrays(m, abi); !s.ok()) return s;
  AssignControl(m, abi);
  abi.requires_zero_base = uses.workgroup_id && !uses.base_workgroup;
  abi.uses_barrier = uses.barrier;
  abi.writes_shared = uses.writes_shared;
  abi.writes_buffers = uses.writes_buffers;
  return abi;
}

}  // namespace kiln::intel
