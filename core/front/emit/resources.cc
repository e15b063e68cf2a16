// Descriptors: finds the Resource of each access, and handles arrays of descriptors.
//
// An access with a constant index gets a Resource of that one descriptor, one with an index chosen
// by value a Resource for the whole array. After all code is emitted, a binding that has an array
// gets only arrays: accesses by constant index then choose from the array too (mir.h requires it),
// so that a descriptor is never described twice. Several variables may share a set and binding and
// declare different kinds of descriptors or image types: each has its own Resource. Buffers and
// other kinds become arrays apart from one another.
#include <algorithm>
#include <tuple>

#include "core/front/emit/resources.h"
#include "core/front/state/descriptors.h"
#include "core/mir/build.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

bool SameDescriptors(const mir::Resource& a, const mir::Resource& b) {
  return std::tie(a.set, a.binding, a.element, a.array, a.kind) ==
             std::tie(b.set, b.binding, b.element, b.array, b.kind) &&
         a.image == b.image;
}

bool IsBuffer(const mir::Resource& r) {
  return !mir::HasImage(r.kind) && r.kind != mir::ResourceKind::kSampler;
}

// Returns true if `r` must be an array because `array`, of the same binding, is one.
bool SharesArrays(const mir::Resource& array, const mir::Resource& r) {
  const bool same_kind = array.kind == r.kind || (!IsBuffer(array) && !IsBuffer(r));
  return array.set == r.set && array.binding == r.binding && same_kind;
}

auto OrderKey(const mir::Resource& r) {
  return std::tuple(r.set, r.binding, r.element, r.kind, r.image.dim, r.image.arrayed,
                    r.image.multisampled, r.image.component, r.image.format);
}

}  // namespace

// Returns true if all members of the block are decorated NonWritable.
bool Resources::NeverWritable(const Pointer& pointer) const {
  uint32_t block = spirv().Variable(pointer.variable)->pointee;
  while (spirv().Type(block)->kind != SpirvType::kStruct) block = spirv().Type(block)->element;
  const SpirvType& type = *spirv().Type(block);
  for (uint32_t i = 0; i < type.count; ++i) {
    if (!spirv().members[type.first_member + i].non_writable) return false;
  }
  return type.count != 0;
}

mir::ResourceKind Resources::KindOf(const Pointer& pointer, const SpirvType& type) const {
  using mir::ResourceKind;
  if (pointer.space == Pointer::kUniform) return ResourceKind::kUniformBuffer;
  if (pointer.space == Pointer::kStorage) return ResourceKind::kStorageBuffer;
  if (type.kind == SpirvType::kSampler) return ResourceKind::kSampler;
  // A sampled image of a buffer is a plain texel buffer: older GLSL compilers declare samplerBuffer
  // so.
  const bool buffer = type.image.dim == mir::ImageDim::kBuffer;
  if (type.kind == SpirvType::kSampledImage && !buffer) return ResourceKind::kCombinedImageSampler;
  if (type.storage_image) {
    return buffer ? ResourceKind::kStorageTexelBuffer : ResourceKind::kStorageImage;
  }
  return buffer ? ResourceKind::kUniformTexelBuffer : ResourceKind::kSampledImage;
}

bool Resources::Resource(const Pointer& pointer, uint32_t* index) const {
  if (pointer.descriptors)
    return Malformed("access to a whole array of descriptors", pointer.variable);
  const SpirvDecorations& d = spirv().decorations[pointer.variable];
  if (d.set == kNoValue || d.binding == kNoValue) {
    return Malformed("resource has no descriptor set and binding", pointer.variable);
  }
  mir::Resource r;
  uint32_t count = 1;
  const SpirvType& type = DescriptorType(spirv(), pointer.variable, &count);
  r.kind = KindOf(pointer, type);
  r.set = d.set;
  r.binding = d.binding;
  r.array = pointer.descriptor.valid();
  r.element = r.array ? 0 : pointer.element;
  r.count = r.array ? count : 1;
  r.spirv_id = pointer.variable;
  if (mir::HasImage(r.kind)) r.image = type.image;
  if (r.kind == mir::ResourceKind::kStorageBuffer) {
    r.read_only = d.non_writable || NeverWritable(pointer);
  } else if (type.storage_image) {
    r.read_only = d.non_writable;
  }
  r.aliased = d.aliased;
  if (!Charge(module().resources.size() / 8)) return false;
  for (size_t i = 0; i < module().resources.size(); ++i) {
    mir::Resource& other = module().resources[i];
    if (!SameDescriptors(other, r)) continue;
    other.read_only = other.read_only && r.read_only;
    other.aliased = other.aliased || r.aliased;
    if (r.array)
      other.count = r.count == 0 || other.count == 0 ? 0 : std::max(other.count, r.count);
    *index = static_cast<uint32_t>(i);
    return true;
  }
  *index = static_cast<uint32_t>(module().resources.size());
  module().resources.push_back(r);
  return true;
}

// ---- After all code is emitted ----

// Makes every resource of a binding that has an array an array. Returns those that were none
// before.
std::vector<bool> Resources::MakeArrays() const {
  std::vector<bool> made(module().resources.size());
  std::vector<mir::Resource> arrays;
  for (const mir::Resource& r : module().resources) {
    if (r.array) arrays.push_back(r);
  }
  if (arrays.empty()) return made;
  for (size_t i = 0; i < module().resources.size(); ++i) {
    mir::Resource& r = module().resources[i];
    if (r.array) continue;
    const auto array = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const mir::Resource& a) { return SharesArrays(a, r); });
    if (array == arrays.end()) continue;
    r.array = made[i] = true;
    // Variables of one binding may be arrays of different lengths.
    r.count = array->count == 0 ? 0 : std::max(array->count, r.element + 1);
  }
  return made;
}

// Returns the entry of a texel op whose sampler has become an array.
uint32_t Resources::IndexSampler(const mir::TexelOp& texel) const {
  mir::TexelOp indexed = texel;
  indexed.params |= mir::kTexelSamplerIndex;
  return mir::AddTexelOp(module(), indexed);
}

// Adds the descriptor's index to accesses to resources that have become arrays.
void Resources::IndexArrays(const std::vector<bool>& made) const {
  for (size_t i = 0; i < module().insts.size(); ++i) {
    const mir::InstId id(i);
    const mir::Inst& inst = module().inst(id);
    if (mir::ImmediatesOf(inst.op).first != mir::First::kResource) continue;
    std::vector<ValueId> sources(module().sources(id).begin(), module().sources(id).end());
    const uint32_t resource = inst.imm0;
    const bool texel = mir::IsTexelOp(inst.op);
    const uint32_t sampler =
        texel ? module().texel_ops[inst.imm1].sampler : mir::TexelOp::kNoSampler;
    if (sampler != mir::TexelOp::kNoSampler && made[sampler]) {
      const ptrdiff_t at = (inst.flags & mir::kIndexed) != 0 ? 1 : 0;
      sources.insert(sources.begin() + at, Int(module().resources[sampler].element));
      const uint32_t entry = IndexSampler(module().texel_ops[module().inst(id).imm1]);
      module().inst(id).imm1 = entry;
    }
    if (made[resource]) {
      sources.insert(sources.begin(), Int(module().resources[resource].element));
      module().inst(id).flags |= mir::kIndexed;
    }
    if (sources.size() != module().inst(id).num_sources) mir::SetSources(module(), id, sources);
  }
}

// Sorts resources as mir.h requires, and merges those that have become equal.
void Resources::Finish() const {
  const std::vector<bool> made = MakeArrays();
  IndexArrays(made);
  for (size_t i = 0; i < made.size(); ++i) {
    if (made[i]) module().resources[i].element = 0;
  }
  std::vector<uint32_t> order(module().resources.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return OrderKey(module().resources[a]) < OrderKey(module().resources[b]);
  });
  std::vector<mir::Resource> sorted;
  std::vector<uint32_t> place(order.size());
  for (uint32_t i : order) {
    const mir::Resource& r = module().resources[i];
    if (sorted.empty() || OrderKey(sorted.back()) != OrderKey(r)) {
      sorted.push_back(r);
    } else {
      mir::Resource& same = sorted.back();
      same.read_only = same.read_only && r.read_only;
      same.aliased = same.aliased || r.aliased;
      same.count = same.count == 0 || r.count == 0 ? 0 : std::max(same.count, r.count);
    }
    place[i] = static_cast<uint32_t>(sorted.size() - 1);
  }
  module().resources = std::move(sorted);
  for (mir::Inst& inst : module().insts) {
    if (mir::ImmediatesOf(inst.op).first == mir::First::kResource) inst.imm0 = place[inst.imm0];
  }
  for (mir::TexelOp& texel : module().texel_ops) {
    if (texel.sampler != mir::TexelOp::kNoSampler) texel.sampler = place[texel.sampler];
  }
}

}  // namespace kiln::front
