// The descriptors of variables, and the numbers (selectors) that tell descriptors apart in pointers
// held as values.
#ifndef KILN_CORE_FRONT_STATE_DESCRIPTORS_H_
#define KILN_CORE_FRONT_STATE_DESCRIPTORS_H_

#include <cstdint>
#include <vector>

#include "core/front/spirv/spirv.h"

namespace kiln::front {

constexpr uint32_t kMaxDescriptors = 1u << 20;  // elements of an array of descriptors

// Returns the variable's type without its arrays; sets *count to their total length, 0 if unknown.
const SpirvType& DescriptorType(const SpirvModule& spirv, uint32_t variable, uint32_t* count);

// Numbers the descriptors of all storage buffers of the module from 1 on. An array of them takes
// one number for each element (kMaxDescriptors if its length is unknown). Constant once made.
class Selectors {
 public:
  explicit Selectors(const SpirvModule& spirv);

  // Returns the first number of a variable, by index in SpirvModule::variables; kNoValue: it has
  // none, or the numbers ran out.
  uint32_t First(uint32_t variable_index) const { return first_[variable_index]; }
  // Returns how many numbers a variable has.
  uint32_t Count(uint32_t variable) const;

 private:
  const SpirvModule& spirv_;
  std::vector<uint32_t> first_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_DESCRIPTORS_H_
