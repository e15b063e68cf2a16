#include "tests/exec/unsized.h"

#include <cstddef>
#include <vector>

#include "core/mir/build.h"
#include "core/mir/immediates.h"

namespace kiln::exec {
namespace {

void IndexTexelSampler(mir::Module& m, mir::InstId id, const std::vector<mir::Resource>& before,
                       mir::Builder& b, std::vector<mir::ValueId>& sources) {
  mir::TexelOp texel = m.texel_ops[m.inst(id).imm1];
  if (texel.sampler == mir::TexelOp::kNoSampler || before[texel.sampler].array) return;
  const ptrdiff_t behind_image = (m.inst(id).flags & mir::kIndexed) != 0 ? 1 : 0;
  sources.insert(sources.begin() + behind_image, b.Int(before[texel.sampler].element));
  texel.params |= mir::kTexelSamplerIndex;
  m.inst(id).imm1 = mir::AddTexelOp(m, texel);
}

}  // namespace

mir::Module WithUnsizedArrays(mir::Module m) {
  const std::vector<mir::Resource> before = m.resources;
  for (mir::Resource& r : m.resources) {
    r.array = true;
    r.element = 0;
    r.count = 0;
  }
  mir::Builder b(m);
  for (size_t i = 0; i < m.insts.size(); ++i) {
    const mir::InstId id(i);
    if (mir::ImmediatesOf(m.inst(id).op).first != mir::First::kResource) continue;
    std::vector<mir::ValueId> sources(m.sources(id).begin(), m.sources(id).end());
    if (mir::IsTexelOp(m.inst(id).op)) IndexTexelSampler(m, id, before, b, sources);
    if (const mir::Resource& r = before[m.inst(id).imm0]; !r.array) {
      sources.insert(sources.begin(), b.Int(r.element));
      m.inst(id).flags |= mir::kIndexed;
    }
    mir::SetSources(m, id, sources);
  }
  return m;
}

}  // namespace kiln::exec
