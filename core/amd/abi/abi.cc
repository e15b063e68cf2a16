#include "core/amd/abi/abi.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/abi/float_mode.h"
#include "core/base/cause.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"
#include "core/target/resource_kind.h"

namespace kiln::amd {
namespace {

constexpr uint32_t kKernargAlignment = 16;  // of the segment and its parts, bytes

// The parts of the launch that the module reads.
struct Reads {
  std::array<bool, 3> workgroup_id = {};
  bool num_workgroups = false;
  bool base_workgroup = false;
  bool wave = false;
  bool push = false;
  bool push_by_offset = false;  // at an offset that is not a constant
  bool barrier = false;
  bool barycentric = false;
  std::vector<bool> resources;
};

Reads ReadsOf(const mir::Module& m) {
  using mir::Op;
  Reads r;
  r.resources.resize(m.resources.size());
  mir::ForEachInst(m, m.body, [&](mir::InstId id) {
    const mir::Inst& inst = m.inst(id);
    switch (inst.op) {
      case Op::kWorkgroupId: r.workgroup_id[inst.imm0] = true; break;
      case Op::kNumWorkgroups: r.num_workgroups = true; break;
      case Op::kBaseWorkgroup: r.base_workgroup = true; break;
      case Op::kSubgroupId: r.wave = true; break;
      case Op::kLoadInput:
      case Op::kInterpolate:
        if (mir::IsBarycentric(m.inputs[inst.imm0].builtin)) r.barycentric = true;
        break;
      case Op::kControlBarrier:
      case Op::kWorkgroupScan: r.barrier = true; break;
      case Op::kLoadPush:
        r.push = true;
        if (!m.IsConstant(m.source(id, 0))) r.push_by_offset = true;
        break;
      default: break;
    }
    if (mir::ImmediatesOf(inst.op).first == mir::First::kResource) r.resources[inst.imm0] = true;
    if (!mir::IsTexelOp(inst.op)) return;
    const uint32_t sampler = m.texel_ops[inst.imm1].sampler;
    if (sampler != mir::TexelOp::kNoSampler) r.resources[sampler] = true;
  });
  return r;
}

bool IsImage(mir::ResourceKind kind) {
  return kind == mir::ResourceKind::kSampledImage || kind == mir::ResourceKind::kStorageImage ||
         kind == mir::ResourceKind::kCombinedImageSampler;
}

uint32_t BytesOf(mir::ResourceKind kind) {
  switch (kind) {
    case mir::ResourceKind::kCombinedImageSampler: return 64;
    case mir::ResourceKind::kSampledImage:
    case mir::ResourceKind::kStorageImage: return kImageDescriptorBytes;
    default: return kBufferDescriptorBytes;
  }
}

// Lays out descriptors; images first, since their descriptors are aligned to 32 bytes.
void PlaceDescriptors(const mir::Module& m, const Reads& reads, Abi& abi, uint32_t* memories) {
  abi.places.resize(m.resources.size());
  uint32_t bytes = 0;
  *memories = 0;
  for (const bool images : {true, false}) {
    for (size_t i = 0; i < m.resources.size(); ++i) {
      const mir::Resource& r = m.resources[i];
      if (!reads.resources[i] || IsImage(r.kind) != images || (r.array && r.count == 0)) continue;
      const uint32_t size = BytesOf(r.kind);
      abi.places[i] = {0, bytes, size};
      bytes += size * (r.array ? r.count : 1);
      *memories = 1;
    }
  }
  for (size_t i = 0; i < m.resources.size(); ++i) {
    const mir::Resource& r = m.resources[i];
    if (!reads.resources[i] || !(r.array && r.count == 0)) continue;
    abi.places[i] = {(*memories)++, 0, BytesOf(r.kind)};
  }
}

// Places what the driver's launch record describes: descriptors in memory, push data in SGPRs.
absl::Status AssignDriver(const mir::Module& m, const Reads& reads, Abi& abi) {
  uint32_t memories = 0;
  PlaceDescriptors(m, reads, abi, &memories);
  uint32_t next = kScratchSgpr + 2;
  uint32_t most = m.stage == mir::Stage::kCompute ? kMaxUserSgprs : kMaxGraphicsUserSgprs;
  if (abi.vertex) {
    abi.first_user_sgpr = next = kFirstVertexUserSgpr;
    most += kFirstVertexUserSgpr;
    next = abi.vertex->PlaceSgprs(next);
  }
  for (uint32_t i = 0; i < memories; ++i) abi.descriptor_sgprs.push_back(next++);
  if (reads.barycentric) abi.pixel_state = next++;
  const uint32_t launch_dwords = (reads.num_workgroups ? 3 : 0) + (reads.base_workgroup ? 3 : 0);
  if (next + launch_dwords + 1 > most) {
    return Unsupported("too_many_descriptors", "arrays of descriptors without known length");
  }
  // Push constants: as many as there are registers left.
  const uint32_t dwords = reads.push ? (m.push_constant_bytes + 3) / 4 : 0;
  const uint32_t room = most - next - launch_dwords;
  const bool pointer = dwords > room || reads.push_by_offset;
  abi.push_dwords = std::min(dwords, pointer ? room - 1 : room);
  if (pointer) abi.push_pointer = next++;
  if (reads.num_workgroups) {
    abi.num_workgroups = next;
    next += 3;
  }
  if (reads.base_workgroup) {
    abi.base_workgroup = next;
    next += 3;
  }
  abi.push_sgpr = next;
  next += abi.push_dwords;
  abi.user_sgprs = next;
  return absl::OkStatus();
}

bool IsBuffer(mir::ResourceKind kind) {
  return kind == mir::ResourceKind::kUniformBuffer || kind == mir::ResourceKind::kStorageBuffer;
}

bool SameBinding(const mir::Resource& a, const mir::Resource& b) {
  return a.set == b.set && a.binding == b.binding;
}

// Places a kernel's arguments. Push constants are first, so that their address is the segment's.
absl::Status AssignKernarg(const mir::Module& m, const Reads& reads, Abi& abi) {
  const auto place = [&abi](uint32_t bytes) {
    const uint32_t at = abi.kernarg_bytes;
    abi.kernarg_bytes += (bytes + kKernargAlignment - 1) / kKernargAlignment * kKernargAlignment;
    return at;
  };
  if (reads.push) {
    abi.push_pointer = kKernargSgpr;
    place(m.push_constant_bytes);
  }
  if (reads.num_workgroups) abi.num_workgroups_offset = place(12);
  if (reads.base_workgroup) abi.base_workgroup_offset = place(12);
  abi.places.resize(m.resources.size());
  for (size_t i = 0; i < m.resources.size(); ++i) {
    const mir::Resource& r = m.resources[i];
    if (!reads.resources[i]) continue;
    if (!IsBuffer(r.kind)) {
      return Unsupported("kernel_arguments", "an image, sampler or texel buffer", r.spirv_id);
    }
    if (r.array && r.count == 0) {
      return Unsupported("kernel_arguments", "an array of buffers without length", r.spirv_id);
    }
    // An argument's name says no kind.
    for (size_t k = i; k-- > 0 && SameBinding(m.resources[k], r);) {
      if (reads.resources[k] && m.resources[k].kind != r.kind) {
        return Unsupported("mutable_descriptors", "a kernel's binding with two kinds of buffers",
                           r.spirv_id);
      }
    }
    abi.places[i] = {0, place(kBufferDescriptorBytes * (r.array ? r.count : 1)),
                     kBufferDescriptorBytes};
  }
  abi.descriptor_sgprs = {kKernargSgpr};
  abi.user_sgprs = kKernelScratchSgpr + 2;
  return absl::OkStatus();
}

// Places the driver's data. A program that would cull by default does not if there are no SGPRs
// left for the draw's settings.
absl::Status PlaceDriverData(const mir::Module& m, const Reads& reads, PrimitiveCulling culling,
                             Abi& abi) {
  Abi placed = abi;
  absl::Status s = AssignDriver(m, reads, placed);
  if (!s.ok() && abi.vertex && abi.vertex->culls) {
    placed = abi;
    placed.vertex->culls = false;
    s = AssignDriver(m, reads, placed);
    if (s.ok() && culling == PrimitiveCulling::kOn) {
      return Unsupported("primitive_culling",
                         "descriptors leave no scalar registers for the draw's settings", 0);
    }
  }
  if (s.ok()) abi = std::move(placed);
  return s;
}

}  // namespace

absl::StatusOr<Abi> AssignAbi(const mir::Module& m, AbiKind kind, const PipelineState& state,
                              uint32_t ngg_group) {
  Abi abi;
  abi.kind = kind;
  abi.module = &m;
  const Reads reads = ReadsOf(m);
  if (m.stage == mir::Stage::kVertex) {
    absl::StatusOr<VertexAbi> vertex = AssignVertex(m, state, ngg_group);
    if (!vertex.ok()) return vertex.status();
    abi.vertex = *std::move(vertex);
  }
  const absl::Status s = kind == AbiKind::kKernarg
                             ? AssignKernarg(m, reads, abi)
                             : PlaceDriverData(m, reads, state.primitive_culling, abi);
  if (!s.ok()) return s;
  uint32_t next = abi.user_sgprs;
  if (m.stage == mir::Stage::kFragment) {
    absl::StatusOr<FragmentAbi> fragment = AssignFragment(m, state.fragment);
    if (!fragment.ok()) return fragment.status();
    abi.fragment = *std::move(fragment);
    abi.fragment->prim_mask = next++;
    if (abi.fragment->barycentric) abi.fragment->provoking_vertex = next++;
    abi.start_sgprs = abi.scratch_offset_sgpr = next;
    return abi;
  }
  if (abi.vertex) {
    abi.start_sgprs = next;
    abi.scratch_offset_sgpr = kVertexScratchSgpr;
    return abi;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (reads.workgroup_id[i]) abi.workgroup_id[i] = next++;
  }
  if (reads.wave) abi.wave_word = next++;
  abi.start_sgprs = abi.scratch_offset_sgpr = next;
  abi.local_ids = m.local_size[2] > 1 ? 3 : m.local_size[1] > 1 ? 2 : 1;
  abi.uses_barrier = reads.barrier;
  abi.needs_base = reads.base_workgroup;
  return abi;
}

namespace {

// Lists the client's resources that the program uses, and, for a driver, where their descriptors
// are.
void AddResources(const Abi& abi, out::LaunchRecord& r) {
  const mir::Module& m = *abi.module;
  const Reads reads = ReadsOf(m);
  const auto described = [&](size_t i) {
    const mir::Resource& resource = m.resources[i];
    const uint32_t last = resource.array && resource.count == 0
                              ? 0
                              : resource.element + (resource.array ? resource.count : 1);
    return out::Resource{ResourceKindOf(resource.kind), resource.set, resource.binding, last, ""};
  };
  for (size_t i = 0; i < m.resources.size(); ++i) {
    if (reads.resources[i]) out::AddResource(described(i), r.resources);
  }
  if (abi.kind == AbiKind::kKernarg) return;
  for (size_t i = 0; i < m.resources.size(); ++i) {
    if (!reads.resources[i]) continue;
    const mir::Resource& resource = m.resources[i];
    out::DescriptorRange range;
    range.memory = abi.places[i].memory;
    range.resource = *out::FindResource(described(i), r.resources);
    range.element = resource.element;
    range.count = resource.array ? resource.count : 1;
    range.offset = abi.places[i].offset;
    range.stride = abi.places[i].stride;
    range.form = IsImage(resource.kind) ? out::DescriptorForm::kImageResource
                 : resource.kind == mir::ResourceKind::kSampler
                     ? out::DescriptorForm::kSamplerResource
                     : out::DescriptorForm::kBufferResource;
    r.descriptor_memory.push_back(range);
    if (resource.kind != mir::ResourceKind::kCombinedImageSampler) continue;
    range.offset += kImageDescriptorBytes;
    range.form = out::DescriptorForm::kSamplerResource;
    r.descriptor_memory.push_back(range);
  }
}

void AddPush(const Abi& abi, out::LaunchRecord& r, out::AmdLaunch& amd) {
  const uint32_t first = abi.num_workgroups.value_or(abi.base_workgroup.value_or(abi.push_sgpr));
  amd.push_first_sgpr = first;
  amd.push_sgprs = abi.user_sgprs - first;
  const auto add = [&](uint32_t sgpr, uint32_t dwords, out::PushSource source) {
    r.push.push_back({4 * (sgpr - first), 4 * dwords, source});
  };
  if (abi.num_workgroups) add(*abi.num_workgroups, 3, out::PushSource::kNumWorkgroups);
  if (abi.base_workgroup) add(*abi.base_workgroup, 3, out::PushSource::kBaseWorkgroup);
  if (abi.push_dwords != 0) {
    add(abi.push_sgpr, abi.push_dwords, out::PushSource::kClientPushConstants);
  }
}

// COMPUTE_PGM_RSRC1: VGPRs in units of 8 (4 for 64 lanes) minus 1; FLOAT_MODE; DX10_CLAMP;
// MEM_ORDERED, which graphics stages have elsewhere; LOAD_PROVOKING_VTX (SPI_SHADER_PGM_RSRC1_PS).
uint32_t Rsrc1(const Abi& abi, const ProgramShape& shape) {
  const mir::Module& m = *abi.module;
  constexpr uint32_t kDx10Clamp = 1u << 21, kLoadProvokingVertex = 1u << 27;
  const uint32_t mem_ordered = m.stage == mir::Stage::kCompute ? 1u << 30 : 1u << 25;
  const uint32_t granule = shape.width == 32 ? 8 : 4;
  const uint32_t granules = (std::max(shape.vgprs, 1u) + granule - 1) / granule;
  const bool provoking = abi.fragment && abi.fragment->barycentric;
  return (granules - 1) | FloatModeOf(m) << 12 | kDx10Clamp | mem_ordered |
         (provoking ? kLoadProvokingVertex : 0);
}

uint32_t LdsSize(const ProgramShape& shape) { return (shape.shared_bytes + 511) / 512; }

uint32_t Rsrc2(const Abi& abi, const ProgramShape& shape) {
  const uint32_t user_sgprs = abi.user_sgprs - abi.first_user_sgpr;
  uint32_t r = (user_sgprs & 31) << 1;
  if (shape.scratch_bytes_per_lane != 0) r |= 1;
  if (abi.fragment) return r;
  if (abi.vertex) {
    constexpr int kEsVgprCompCnt = 16, kGsLdsSize = 19;
    return r | abi.vertex->EsVgprCompCnt() << kEsVgprCompCnt | LdsSize(shape) << kGsLdsSize;
  }
  for (size_t i = 0; i < 3; ++i) {
    if (abi.workgroup_id[i]) r |= 1u << (7 + i);
  }
  if (abi.wave_word) r |= 1u << 10;
  r |= (abi.local_ids - 1) << 11;
  r |= LdsSize(shape) << 15;
  return r;
}

}  // namespace

namespace {

// Lists the SGPRs with values of the draw.
void AddDrawSgprs(const Abi& abi, out::AmdLaunch& amd) {
  using out::SgprContent;
  if (!abi.vertex) return;
  const VertexAbi& v = *abi.vertex;
  const std::pair<std::optional<uint32_t>, SgprContent> kValues[] = {
      {v.vertex_buffers, SgprContent::kVertexBuffers},
      {v.first_vertex, SgprContent::kFirstVertex},
      {v.draw_id, SgprContent::kDrawId},
      {v.base_instance, SgprContent::kBaseInstance},
      {v.view_index, SgprContent::kViewIndex},
      {v.culling_settings, SgprContent::kNggCulling},
      {v.viewport, SgprContent::kNggViewport}};
  for (const auto& [sgpr, what] : kValues) {
    if (sgpr) amd.user_sgprs.push_back({*sgpr, what, 0});
  }
}

void DescribeCompute(const Abi& abi, out::LaunchRecord& r) {
  r.compute.local_size = abi.module->local_size;
  r.compute.uses_barrier = abi.uses_barrier;
  const bool reads_id = std::any_of(abi.workgroup_id.begin(), abi.workgroup_id.end(),
                                    [](const auto& id) { return id.has_value(); });
  r.compute.requires_zero_base = reads_id && !abi.needs_base;
}

}  // namespace

out::LaunchRecord LaunchOf(const Abi& abi, const ProgramShape& shape) {
  const mir::Module& m = *abi.module;
  out::LaunchRecord r;
  out::AmdLaunch& amd = r.arch.emplace<out::AmdLaunch>();
  r.target = "gfx1030";
  r.entry_point = m.entry_point;
  r.stage = mir::kStageNames[static_cast<int>(m.stage)];
  r.code_bytes = shape.code_bytes;
  r.dispatch_width = shape.width;
  AddResources(abi, r);
  if (abi.push_dwords != 0 || abi.push_pointer) r.push_constant_bytes = m.push_constant_bytes;
  r.shared_bytes = shape.shared_bytes;
  r.scratch_bytes_per_thread = shape.scratch_bytes_per_lane * shape.width;
  if (abi.fragment) {
    DescribeFragment(m, *abi.fragment, r);
  } else if (abi.vertex) {
    DescribeVertex(*abi.vertex, r);
  } else {
    DescribeCompute(abi, r);
  }
  amd.rsrc1 = Rsrc1(abi, shape);
  if (abi.vertex) amd.rsrc1 |= abi.vertex->GsVgprCompCnt() << 29;
  amd.rsrc2 = Rsrc2(abi, shape);
  amd.vgprs = shape.vgprs;
  amd.instruction_bytes = shape.instruction_bytes;
  if (abi.kind == AbiKind::kKernarg) {
    r.loadable_by = out::LoadableBy::kRocm;
    return r;
  }
  AddPush(abi, r, amd);
  amd.address_high = kAddressHigh;
  amd.user_sgprs.push_back({kScratchSgpr, out::SgprContent::kScratchBase, 0});
  AddDrawSgprs(abi, amd);
  for (uint32_t i = 0; i < abi.descriptor_sgprs.size(); ++i) {
    amd.user_sgprs.push_back({abi.descriptor_sgprs[i], out::SgprContent::kDescriptorMemory, i});
  }
  if (abi.fragment && abi.fragment->barycentric) {
    amd.user_sgprs.push_back({abi.pixel_state, out::SgprContent::kPixelState, 0});
  }
  if (abi.push_pointer) {
    amd.user_sgprs.push_back({*abi.push_pointer, out::SgprContent::kPushConstants, 0});
  }
  return r;
}

namespace {

void AddBufferArguments(const mir::Resource& r, const DescriptorLocation& place,
                        out::AmdHsaKernel& k) {
  for (uint32_t i = 0; i < (r.array ? r.count : 1); ++i) {
    const std::string name = absl::StrCat("buffer_", r.set, "_", r.binding, "_", r.element + i);
    const uint32_t at = place.offset + i * place.stride;
    const bool read_only = r.read_only || r.kind == mir::ResourceKind::kUniformBuffer;
    k.arguments.push_back({name, at, 8, true, read_only});
    k.arguments.push_back({name + "_bytes", at + 8, 4, false, false});
  }
}

}  // namespace

out::AmdHsaKernel KernelOf(const Abi& abi, const ProgramShape& shape) {
  constexpr uint32_t kLdsSize = 0x1ffu << 15;  // the packet processor fills it in
  const mir::Module& m = *abi.module;
  out::AmdHsaKernel k;
  k.name = m.entry_point;
  k.rsrc1 = Rsrc1(abi, shape);
  k.rsrc2 = Rsrc2(abi, shape) & ~kLdsSize;
  k.lanes = shape.width;
  k.vgprs = shape.vgprs;
  k.sgprs = shape.sgprs;
  k.lds_bytes = shape.shared_bytes;
  k.scratch_bytes_per_lane = shape.scratch_bytes_per_lane;
  k.kernarg_bytes = abi.kernarg_bytes;
  k.kernarg_alignment = kKernargAlignment;
  k.local_size = m.local_size;
  if (abi.push_pointer) {
    k.arguments.push_back({"push_constants", 0, m.push_constant_bytes, false, false});
  }
  if (abi.num_workgroups_offset) {
    k.arguments.push_back({"num_workgroups", *abi.num_workgroups_offset, 12, false, false});
  }
  if (abi.base_workgroup_offset) {
    k.arguments.push_back({"base_workgroup", *abi.base_workgroup_offset, 12, false, false});
  }
  const Reads reads = ReadsOf(m);
  for (size_t i = 0; i < m.resources.size(); ++i) {
    if (reads.resources[i]) AddBufferArguments(m.resources[i], abi.places[i], k);
  }
  return k;
}

}  // namespace kiln::amd
