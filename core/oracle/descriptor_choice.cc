#include "core/oracle/descriptor_choice.h"

namespace kiln::oracle {
namespace {

using mir::Inst;
using mir::InstId;
using mir::kIndexed;
using mir::kNonUniform;
using mir::Resource;
using mir::TexelOp;
using mir::TexelSourcesOf;

}  // namespace

absl::Status DescriptorChoice::Prepare() {
  if (absl::Status status = descriptors_.Check(); !status.ok()) return status;
  for (const Resource& r : m_.resources) counts_.push_back(descriptors_.CountOf(r));
  return absl::OkStatus();
}

size_t DescriptorChoice::DescriptorOf(InstId id, size_t lane) {
  const Inst& inst = m_.inst(id);
  return descriptors_.Index(inst.imm0, IndexOf(id, lane));
}

uint32_t DescriptorChoice::IndexOf(InstId id, size_t lane) {
  if ((m_.inst(id).flags & kIndexed) == 0) return 0;
  if (one_index_ != nullptr && (m_.inst(id).flags & kNonUniform) == 0) {
    lane = e_.FirstActive(*one_index_,
                          static_cast<uint32_t>(lane) / in_.subgroup_size * in_.subgroup_size);
  }
  const uint32_t index = static_cast<uint32_t>(e_.Lanes(m_.source(id, 0))[lane]);
  const uint32_t count = counts_[m_.inst(id).imm0];
  const bool wild = in_.undefined_seed != 0 && count != 0 && index >= count;
  return wild ? (index + in_.undefined_seed) % count : index;
}

// With random undefined results an index beyond the array chooses another of its descriptors
// (IndexOf); for even seeds a read through it returns an undefined value.
bool DescriptorChoice::ReadsBeyond(InstId id, size_t lane) {
  if (in_.undefined_seed == 0 || in_.undefined_seed % 2 != 0) return false;
  if ((m_.inst(id).flags & kIndexed) == 0) return false;
  const uint32_t count = counts_[m_.inst(id).imm0];
  return count != 0 && e_.Lanes(m_.source(id, 0))[lane] >= count;
}

// If active lanes of a subgroup have different descriptor indices without kNonUniform, it is
// undefined which index is used. With random undefined results all use the first lane's. An index
// beyond the array is undefined too.
void DescriptorChoice::CheckIndex(InstId id, const BitSet& active) {
  one_index_ = nullptr;
  const uint64_t* index = e_.Lanes(m_.source(id, 0));
  const uint32_t count = counts_[m_.inst(id).imm0];
  const bool shared = (m_.inst(id).flags & kNonUniform) == 0;
  bool differs = false;
  const int64_t before = e_.statistics.outside_descriptors;
  e_.ForSubgroups(active, [&](uint32_t first) {
    const uint64_t elected = index[e_.FirstActive(active, first)];
    for (uint32_t lane = first; lane < e_.SubgroupEnd(first); ++lane) {
      if (!active.test(lane)) continue;
      differs |= shared && index[lane] != elected;
      e_.statistics.outside_descriptors += count != 0 && index[lane] >= count;
    }
  });
  e_.statistics.undefined_results += e_.statistics.outside_descriptors - before;
  if (!differs) return;
  ++e_.statistics.undefined_results;
  if (in_.undefined_seed != 0) one_index_ = &active;
}

size_t DescriptorChoice::SamplerOf(InstId id, size_t lane) {
  const Inst& inst = m_.inst(id);
  const uint32_t sampler = m_.texel_ops[inst.imm1].sampler;
  if (sampler == TexelOp::kNoSampler) {
    return descriptors_.SamplerIndex(inst.imm0, IndexOf(id, lane));
  }
  const int source = TexelSourcesOf(m_, id).sampler_index;
  const uint64_t index = source < 0 ? 0 : e_.Lanes(m_.source(id, source))[lane];
  return descriptors_.Index(sampler, static_cast<uint32_t>(index));
}

}  // namespace kiln::oracle
