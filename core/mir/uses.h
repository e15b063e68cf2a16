// Def-use lists, built on demand: for each value its uses as a source.
//
// Compressed rows: one offset per value and one array of uses, in program order. A snapshot: stale
// once operands change. Linear to build.
#ifndef KILN_CORE_MIR_USES_H_
#define KILN_CORE_MIR_USES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mir {

struct Use {
  InstId inst;
  uint32_t source = 0;  // which source of it
};

class Uses {
 public:
  explicit Uses(const Module& module) : offsets_(module.values.size() + 1) {
    ForEachInst(module, module.body, [&](InstId id) {
      for (ValueId v : module.sources(id)) ++offsets_[v.index + 1];
    });
    for (size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
    uses_.resize(offsets_.back());
    std::vector<uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    ForEachInst(module, module.body, [&](InstId id) {
      const absl::Span<const ValueId> sources = module.sources(id);
      for (uint32_t s = 0; s < sources.size(); ++s) uses_[next[sources[s].index]++] = {id, s};
    });
  }

  absl::Span<const Use> Of(ValueId v) const {
    return absl::MakeConstSpan(uses_).subspan(offsets_[v.index],
                                              offsets_[v.index + 1] - offsets_[v.index]);
  }
  bool Unused(ValueId v) const { return offsets_[v.index] == offsets_[v.index + 1]; }

 private:
  std::vector<uint32_t> offsets_;
  std::vector<Use> uses_;
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_USES_H_
