// Walks regions of MIR, and joins them after an `if`: SSA under construction.
#ifndef KILN_CORE_FRONT_EMIT_FLOW_REGIONS_H_
#define KILN_CORE_FRONT_EMIT_FLOW_REGIONS_H_

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "core/front/emit/flow.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/state/slots.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Maximum number of values that an `if` or a loop carries (mir::Inst counts in 16 bits).
constexpr size_t kMaxCarried = 0xff00;

struct WalkedRegion {
  mir::RegionId region;
  Flow flow;             // where control goes at its end
  Slots::Writes writes;  // slots written, with their values at its end
};

class Regions : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  // Emits into a region. Afterwards slots have their previous values; the builder stays in the
  // region.
  WalkedRegion Walk(mir::RegionId region, absl::FunctionRef<Flow()> emit) const;
  // Emits an `if` whose arms the two functions emit, and binds the joined values.
  Flow EmitIf(ValueId condition, absl::FunctionRef<Flow()> then_arm,
              absl::FunctionRef<Flow()> else_arm) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_FLOW_REGIONS_H_
