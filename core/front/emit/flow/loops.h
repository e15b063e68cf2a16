// Loops: what they carry, and the jumps out of them.
//
// In a loop, a way to a label beyond it is a `break` and one to its header a `continue`, at once. A
// loop has a parameter and a result for each slot that the plan says is written in it. If its
// breaks mean several labels, each carries a bool for every one of them as well, and the labels are
// sorted out behind the loop.
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

  // Whether a way to the label is a jump of the innermost loop. Never outside of loops.
  bool IsJump(uint32_t label) const;
  // Emits it. The flow is empty.
  Flow Jump(uint32_t label) const;
  // The loop of a header, by local index, whose body is what `body` emits.
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
