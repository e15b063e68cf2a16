#include "core/mir/clone.h"

#include "absl/container/inlined_vector.h"
#include "core/mir/build.h"

namespace kiln::mir {

void Cloner::Map(ValueId from, ValueId to) {
  if (from.index >= to_.size()) to_.resize(m_.values.size());
  if (!to_[from.index].valid()) mapped_.push_back(from);
  to_[from.index] = to;
}

ValueId Cloner::Find(ValueId v) const {
  return v.index < to_.size() && to_[v.index].valid() ? to_[v.index] : v;
}

void Cloner::Clear() {
  for (ValueId v : mapped_) to_[v.index] = ValueId();
  mapped_.clear();
}

InstId Cloner::Copy(InstId old) {
  Inst copy = m_.inst(old);
  absl::InlinedVector<ValueId, 16> sources;
  for (ValueId v : m_.sources(old)) sources.push_back(Find(v));
  absl::InlinedVector<Type, 8> types;
  for (int r = 0; r < copy.num_results; ++r) types.push_back(m_.value(m_.result(old, r)).type);

  copy.num_results = 0;
  copy.first_result = ValueId();
  copy.first_source = static_cast<uint32_t>(m_.operands.size());
  m_.operands.insert(m_.operands.end(), sources.begin(), sources.end());
  m_.insts.push_back(copy);
  const InstId id(m_.insts.size() - 1);
  for (int r = 0; r < copy.num_regions; ++r) {
    const RegionId region = CopyRegion(copy.regions[r]);
    m_.inst(id).regions[r] = region;
  }
  if (!types.empty()) SetResults(m_, id, types);
  for (size_t r = 0; r < types.size(); ++r) {
    const int i = static_cast<int>(r);
    Map(m_.result(old, i), m_.result(id, i));
  }
  return id;
}

RegionId Cloner::CopyRegion(RegionId old) {
  const RegionId copy = NewRegion(m_);
  for (size_t i = 0; i < m_.region(old).params.size(); ++i) {
    const ValueId param = m_.region(old).params[i];
    Map(param, AddParam(m_, copy, m_.value(param).type));
  }
  m_.region(copy).insts.reserve(m_.region(old).insts.size());
  for (size_t i = 0; i < m_.region(old).insts.size(); ++i) {
    const InstId inst = Copy(m_.region(old).insts[i]);
    m_.region(copy).insts.push_back(inst);
  }
  return copy;
}

}  // namespace kiln::mir
