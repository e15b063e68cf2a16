// Creates private arrays and constant tables of the MIR module, for variables whose parts are
// chosen by value. Each is made at its first use.
#ifndef KILN_CORE_FRONT_STATE_PRIVATE_ARRAYS_H_
#define KILN_CORE_FRONT_STATE_PRIVATE_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/front/plan/plan.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Returns the leaf range around `leaf` that the plan puts in memory; null: the leaf is in a slot.
const std::pair<uint32_t, uint32_t>* MemoryRange(const LocalVariable& v, uint32_t leaf);

// Lifetime: one import.
class PrivateArrays {
 public:
  PrivateArrays(const SpirvModule& spirv, const Plan& plan)
      : spirv_(spirv), plan_(plan), first_range_(plan.variables.size(), kNoValue) {}

  // Returns the index in Module::private_arrays for a range of a variable of the plan.
  uint32_t ArrayOf(const LocalVariable& v, size_t range, mir::Module& module);
  // Returns the byte offset in Module::constant_data of a constant whose leaves take `words` dwords
  // each. Linear in the number of tables.
  uint32_t ConstantDataOf(uint32_t constant, uint32_t type, uint32_t words, mir::Module& module);
  size_t constant_tables() const { return tables_.size(); }

 private:
  struct ConstantTable {
    uint32_t constant;
    uint32_t offset;
  };

  const SpirvModule& spirv_;
  const Plan& plan_;
  std::vector<uint32_t> first_range_;  // by index of Plan::variables: first of arrays_, or none
  // by range of a variable, consecutive; kNoValue: not made yet
  std::vector<uint32_t> arrays_;
  std::vector<ConstantTable> tables_;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_PRIVATE_ARRAYS_H_
