#include "core/front/spirv/spirv_decorations.h"

#include <algorithm>
#include <utility>

#include "core/front/check/refusal.h"

namespace kiln::front {
namespace {

constexpr size_t kMaxGroupScan = size_t{1} << 26;  // decorations searched for groups

// Applies an interface decoration. Returns false if the decoration is none of these.
bool ApplyToInterface(SpirvInterface& v, spv::Decoration kind, uint32_t operand) {
  switch (kind) {
    case spv::Decoration::Location: v.location = operand; return true;
    case spv::Decoration::Component: v.component = operand; return true;
    case spv::Decoration::Index: v.index = operand; return true;
    case spv::Decoration::Flat: return v.flat = true;
    case spv::Decoration::NoPerspective: return v.no_perspective = true;
    case spv::Decoration::Centroid: return v.centroid = true;
    case spv::Decoration::Sample: return v.sample = true;
    case spv::Decoration::Invariant: return v.invariant = true;
    case spv::Decoration::PerVertexKHR: return v.per_vertex = true;
    case spv::Decoration::PerPrimitiveEXT: v.unsupported = "mesh_stages"; return true;
    case spv::Decoration::ExplicitInterpAMD:
    case spv::Decoration::OverrideCoverageNV:
    case spv::Decoration::PassthroughNV:
    case spv::Decoration::PerViewNV: v.unsupported = "vendor_extension"; return true;
    default: return false;
  }
}

}  // namespace

absl::Status DecorationReader::Read(const SpirvInst& inst) {
  switch (inst.op) {
    case spv::Op::OpDecorate:
      return Decorate({inst.operand(1), kNoValue, static_cast<spv::Decoration>(inst.operand(2)),
                       inst.operand(3)});
    case spv::Op::OpMemberDecorate:
      return Decorate({inst.operand(1), inst.operand(2),
                       static_cast<spv::Decoration>(inst.operand(3)), inst.operand(4)});
    case spv::Op::OpDecorationGroup: return m_.Define(inst.result, {SpirvDef::kOther});
    case spv::Op::OpGroupDecorate: return GroupDecorate(inst, false);
    case spv::Op::OpGroupMemberDecorate: return GroupDecorate(inst, true);
    default:  // decorations with ids or strings are ignored
      return absl::OkStatus();
  }
}

absl::Status DecorationReader::Decorate(const Decoration& decoration) {
  if (decoration.target == 0 || decoration.target >= m_.bound) {
    return Invalid("decoration of an id outside the id bound", decoration.target);
  }
  all_.push_back(decoration);
  if (decoration.member == kNoValue) {
    ApplyToId(m_.decorations[decoration.target], decoration);
  } else {
    members_.push_back(decoration);
    members_sorted_ = false;
  }
  return absl::OkStatus();
}

absl::Status DecorationReader::GroupDecorate(const SpirvInst& inst, bool members) {
  const uint32_t group = inst.operand(1);
  const size_t step = members ? 2 : 1;
  for (size_t i = 2; i + step <= inst.size(); i += step) {
    group_scan_ += all_.size();
    if (group_scan_ > kMaxGroupScan) {
      return Refused("module_too_large",
                     {"decorations looked up for groups", std::nullopt, kMaxGroupScan}, group);
    }
    const size_t count = all_.size();
    for (size_t k = 0; k < count; ++k) {
      if (all_[k].target != group || all_[k].member != kNoValue) continue;
      Decoration copy = all_[k];
      copy.target = inst.words[i];
      if (members) copy.member = inst.words[i + 1];
      if (absl::Status s = Decorate(copy); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

void DecorationReader::ApplyToId(SpirvDecorations& d, const Decoration& decoration) {
  if (ApplyToInterface(d.interface, decoration.kind, decoration.operand)) return;
  switch (decoration.kind) {
    case spv::Decoration::SpecId: d.spec_id = decoration.operand; break;
    case spv::Decoration::BuiltIn: d.builtin = decoration.operand; break;
    case spv::Decoration::DescriptorSet: d.set = decoration.operand; break;
    case spv::Decoration::Binding: d.binding = decoration.operand; break;
    case spv::Decoration::ArrayStride: d.array_stride = decoration.operand; break;
    case spv::Decoration::FPRoundingMode: d.rounding = decoration.operand; break;
    case spv::Decoration::FPFastMathMode: d.fast_math = decoration.operand; break;
    case spv::Decoration::Block: d.block = true; break;
    case spv::Decoration::BufferBlock: d.buffer_block = true; break;
    case spv::Decoration::NoContraction: d.no_contraction = true; break;
    case spv::Decoration::NonWritable: d.non_writable = true; break;
    case spv::Decoration::Coherent: d.coherent = true; break;
    case spv::Decoration::Volatile: d.is_volatile = true; break;
    case spv::Decoration::NonUniform: d.non_uniform = true; break;
    case spv::Decoration::Aliased: d.aliased = true; break;
    default:  // names, precision and Restrict are ignored
      break;
  }
}

void DecorationReader::ApplyToMember(uint32_t struct_id, uint32_t index, SpirvMember& member) {
  const auto before = [](const Decoration& a, const Decoration& b) {
    return std::pair(a.target, a.member) < std::pair(b.target, b.member);
  };
  if (!members_sorted_) {
    std::stable_sort(members_.begin(), members_.end(), before);
    members_sorted_ = true;
  }
  const Decoration key{struct_id, index};
  const auto [first, last] = std::equal_range(members_.begin(), members_.end(), key, before);
  for (auto it = first; it != last; ++it) {
    if (ApplyToInterface(member.interface, it->kind, it->operand)) continue;
    switch (it->kind) {
      case spv::Decoration::Offset: member.offset = it->operand; break;
      case spv::Decoration::MatrixStride: member.matrix_stride = it->operand; break;
      case spv::Decoration::RowMajor: member.row_major = true; break;
      case spv::Decoration::NonWritable: member.non_writable = true; break;
      case spv::Decoration::Coherent: member.coherent = true; break;
      case spv::Decoration::Volatile: member.is_volatile = true; break;
      case spv::Decoration::BuiltIn: member.builtin = it->operand; break;
      default: break;
    }
  }
}

void DecorationReader::Finish() {
  for (uint32_t id = 0; id < m_.bound; ++id) {
    if (m_.decorations[id].builtin == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize) &&
        m_.defs[id].kind == SpirvDef::kConstant) {
      m_.workgroup_size_constant = id;
    }
  }
}

}  // namespace kiln::front
