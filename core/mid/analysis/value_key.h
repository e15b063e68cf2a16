// The key by which passes look for instructions that compute the same.
#ifndef KILN_CORE_MID_ANALYSIS_VALUE_KEY_H_
#define KILN_CORE_MID_ANALYSIS_VALUE_KEY_H_

#include <cstdint>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/mir/mir.h"

namespace kiln::mid {

using ValueKey = absl::InlinedVector<uint32_t, 16>;

// Equal keys mean equal op, flags, immediates, sources (in either order if the op is commutative)
// and result types, which do not always follow from the sources (bitcast, conversions, loads).
// Float arithmetic with different flags has different keys. `source` maps a source to the value
// that stands for it.
template <class Source>
ValueKey KeyOf(const mir::Module& m, mir::InstId id, Source&& source) {
  const mir::Inst& inst = m.inst(id);
  ValueKey key;
  key.push_back(static_cast<uint32_t>(inst.op));
  key.push_back(static_cast<uint32_t>(inst.flags) << 16 | inst.num_results);
  key.push_back(inst.imm0);
  key.push_back(inst.imm1);
  for (mir::ValueId v : m.sources(id)) key.push_back(source(v).index);
  if (mir::Info(inst.op).Has('C') && key[4] > key[5]) std::swap(key[4], key[5]);
  for (int r = 0; r < inst.num_results; ++r) {
    key.push_back(static_cast<uint32_t>(m.value(m.result(id, r)).type));
  }
  return key;
}

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ANALYSIS_VALUE_KEY_H_
