// Which descriptor each lane of an instruction means, and what is undefined about that.
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

  // InvalidArgument where what is bound does not fit the module.
  absl::Status Prepare();

  // Before an instruction with the flag kIndexed is executed: counts what its indices leave
  // undefined.
  void CheckIndex(mir::InstId id, const BitSet& active);
  // Where the lane's descriptor is in the list of its kind.
  size_t PlaceOf(mir::InstId id, size_t lane);
  // Of the sampler of a texel op.
  size_t SamplerPlaceOf(mir::InstId id, size_t lane);
  // Whether what the lane's descriptor describes is anything.
  bool ReadsBeyond(mir::InstId id, size_t lane);

 private:
  uint32_t IndexOf(mir::InstId id, size_t lane);

  Execution& e_;
  const mir::Module& m_;
  const LaunchInputs& in_;
  Descriptors descriptors_{m_, in_};
  std::vector<uint32_t> counts_;  // by resource: how many its array has
  const BitSet* one_index_ =
      nullptr;  // lanes that take the descriptor of the first of their subgroup
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_DESCRIPTOR_CHOICE_H_
