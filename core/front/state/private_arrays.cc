#include "core/front/state/private_arrays.h"

#include <algorithm>

namespace kiln::front {

const std::pair<uint32_t, uint32_t>* MemoryRange(const LocalVariable& v, uint32_t leaf) {
  const auto it = std::upper_bound(
      v.memory.begin(), v.memory.end(), leaf,
      [](uint32_t x, const std::pair<uint32_t, uint32_t>& r) { return x < r.second; });
  return it != v.memory.end() && it->first <= leaf ? &*it : nullptr;
}

uint32_t PrivateArrays::ArrayOf(const LocalVariable& v, size_t range, mir::Module& module) {
  uint32_t& first = first_range_[&v - plan_.variables.data()];
  if (first == kNoValue) {
    first = static_cast<uint32_t>(arrays_.size());
    arrays_.resize(arrays_.size() + v.memory.size(), kNoValue);
  }
  uint32_t& array = arrays_[first + range];
  if (array == kNoValue) {
    array = static_cast<uint32_t>(module.private_arrays.size());
    const uint32_t leaves = v.memory[range].second - v.memory[range].first;
    module.private_arrays.push_back({4 * v.words * leaves, v.id});
  }
  return array;
}

uint32_t PrivateArrays::ConstantDataOf(uint32_t constant, uint32_t type, uint32_t words,
                                       mir::Module& module) {
  for (const ConstantTable& t : tables_) {
    if (t.constant == constant) return t.offset;
  }
  const auto offset = static_cast<uint32_t>(module.constant_data.size());
  const SpirvConstant& c = *spirv_.Constant(constant);
  const uint32_t count = spirv_.Type(type)->leaves;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t bits = spirv_.ConstantLeaf(c, i);
    for (uint32_t byte = 0; byte < 4 * words; ++byte) {
      module.constant_data.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
    }
  }
  while (module.constant_data.size() % 16 != 0) module.constant_data.push_back(0);
  tables_.push_back({constant, offset});
  return offset;
}

}  // namespace kiln::front
