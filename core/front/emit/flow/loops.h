// Emits loops: the values that they carry, and the jumps out of them.
//
// In a loop, control going to a label outside of it is immediately a `break`, and to its header a
// `continue`. A loop has a parameter and a result for each slot that the plan lists as written in
// it. If its breaks lead to several labels, each break also carries a bool for every label, and the
// code after the loop branches on these.
#ifndef KILN_CORE_FRONT_EMIT_FLOW_LOOPS_H_
#define KILN_CORE_FRONT_EMIT_FLOW_LOOPS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/front/emit/context.h"
#include "core/front/emit/flow.h"
#include "core/front/emit/flow/regions.h"
#include "core/front/plan/plan.h"
#include "core/mir/mir.h"

namespace kiln::front {

class Loops : public Regions {
 public:
  using Regions::Regions;

  // Returns true if control going to the label is a jump of the innermost loop; false outside of
  // loops.
  bool IsJump(uint32_t label) const;
  // Emits that jump. The flow is empty.
  Flow Jump(uint32_t label) const;
  // Emits the loop of a header, by local index; `body` emits its body.
  Flow EmitLoop(uint32_t header, absl::FunctionRef<Flow()> body) const;

 private:
  void EmitContinue() const;
  void EmitBreak(uint32_t label) const;
  void AddWrittenSlots(const Write& write, std::vector<uint32_t>* slots) const;
  std::vector<uint32_t> WrittenSlots(uint32_t header) const;
  LoopContext WalkBody(mir::InstId inst, uint32_t header, const std::vector<uint32_t>& slots,
                       absl::FunctionRef<Flow()> body) const;
  Flow Complete(mir::InstId inst, LoopContext& loop) const;
  Flow Dispatch(Flow flow) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_FLOW_LOOPS_H_
