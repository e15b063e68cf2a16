// Descriptors that variables stand for, and the numbers by which pointers as values tell them
// apart.
#ifndef KILN_CORE_FRONT_STATE_DESCRIPTORS_H_
#define KILN_CORE_FRONT_STATE_DESCRIPTORS_H_

#include <cstdint>
#include <vector>

#include "core/front/spirv/spirv.h"

namespace kiln::front {

constexpr uint32_t kMaxDescriptors = 1u << 20;  // in an array of them

// What the variable is without its arrays; *count becomes their length, 0 if it is not known.
const SpirvType& DescriptorType(const SpirvModule& spirv, uint32_t variable, uint32_t* count);

// Selectors number the descriptors of all storage buffers of the module from 1 on, arrays of them
// taking as many numbers as they have elements (as many as there can be where that is not known).
// Constant once made.
class Selectors {
 public:
  explicit Selectors(const SpirvModule& spirv);

  // Of a variable, by index in SpirvModule::variables; kNoValue: it has none, or they ran out.
  uint32_t First(uint32_t variable_index) const { return first_[variable_index]; }
  // How many a variable has.
  uint32_t Count(uint32_t variable) const;

 private:
  const SpirvModule& spirv_;
  std::vector<uint32_t> first_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_DESCRIPTORS_H_
