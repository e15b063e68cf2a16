#include "core/front/state/descriptors.h"

#include <algorithm>

namespace kiln::front {
namespace {

constexpr uint32_t kMaxSelectors = 1u << 31;

bool IsArray(const SpirvType& type) {
  return type.kind == SpirvType::kArray || type.kind == SpirvType::kRuntimeArray;
}

}  // namespace

const SpirvType& DescriptorType(const SpirvModule& spirv, uint32_t variable, uint32_t* count) {
  const SpirvType* type = spirv.Type(spirv.Variable(variable)->pointee);
  uint64_t product = 1;
  for (; IsArray(*type); type = spirv.Type(type->element)) {
    product *= type->kind == SpirvType::kArray ? type->count : 0;
    product =
        std::min<uint64_t>(product, kMaxDescriptors + 1);  // the target's back end refuses too many
  }
  *count = static_cast<uint32_t>(product);
  return *type;
}

Selectors::Selectors(const SpirvModule& spirv)
    : spirv_(spirv), first_(spirv.variables.size(), kNoValue) {
  uint32_t next = 1;
  for (size_t i = 0; i < spirv.variables.size(); ++i) {
    const SpirvVariable& v = spirv.variables[i];
    if (v.storage != spv::StorageClass::StorageBuffer) continue;
    const uint32_t count = Count(v.id);
    if (count > kMaxSelectors - next) break;
    first_[i] = next;
    next += count;
  }
}

uint32_t Selectors::Count(uint32_t variable) const {
  uint32_t count = 1;
  DescriptorType(spirv_, variable, &count);
  return count == 0 ? kMaxDescriptors : count;
}

}  // namespace kiln::front
