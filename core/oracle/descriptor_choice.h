// Chooses the descriptor that each lane of an instruction uses, and counts undefined choices.
#ifndef KILN_CORE_ORACLE_DESCRIPTOR_CHOICE_H_
#define KILN_CORE_ORACLE_DESCRIPTOR_CHOICE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/descriptors.h"
#include "core/oracle/execution.h"

namespace kiln::oracle {

class DescriptorChoice {
 public:
  explicit DescriptorChoice(Execution& execution) : e_(execution), m_(e_.m), in_(e_.in) {}

  // Returns InvalidArgument if the bindings do not fit the module.
  absl::Status Prepare();

  // Called before an instruction with the flag kIndexed is executed: counts the undefined choices
  // that its indices cause.
  void CheckIndex(mir::InstId id, const BitSet& active);
  // Returns the index of the lane's descriptor in the list of its kind.
  size_t DescriptorOf(mir::InstId id, size_t lane);
  // The same for the sampler of a texel op.
  size_t SamplerOf(mir::InstId id, size_t lane);
  // Returns true if reads through the lane's descriptor return undefined values.
  bool ReadsBeyond(mir::InstId id, size_t lane);

 private:
  uint32_t IndexOf(mir::InstId id, size_t lane);

  Execution& e_;
  const mir::Module& m_;
  const LaunchInputs& in_;
  Descriptors descriptors_{m_, in_};
  std::vector<uint32_t> counts_;  // by resource: the number of descriptors in its array
  // Lanes that use the descriptor of the first active one of their subgroup.
  const BitSet* one_index_ = nullptr;
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_DESCRIPTOR_CHOICE_H_
