// All state of an import, each part with its lifetime. Emitters are handles on this.
#ifndef KILN_CORE_FRONT_EMIT_CONTEXT_H_
#define KILN_CORE_FRONT_EMIT_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/front/emit/modes.h"
#include "core/front/emit/shared_memory.h"
#include "core/front/ops/op_emitter.h"
#include "core/front/plan/import_options.h"
#include "core/front/plan/interface_parts.h"
#include "core/front/plan/layout.h"
#include "core/front/plan/plan.h"
#include "core/front/plan/pointer_targets.h"
#include "core/front/spirv/spirv.h"
#include "core/front/state/bindings.h"
#include "core/front/state/descriptors.h"
#include "core/front/state/private_arrays.h"
#include "core/front/state/slots.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Lifetime: the walk of a loop's body.
struct LoopExit {
  mir::InstId inst;  // the break, which gets its sources when the loop is complete
  uint32_t label = 0;
  std::vector<ValueId> values;
};
struct LoopContext {
  uint32_t header = 0;
  std::vector<uint32_t> slots;
  std::vector<LoopExit> exits;
};

// Lifetime: the walk of one inlined copy of a function.
struct FunctionContext {
  uint32_t index = kNoValue;
  const SpirvFunction* function = nullptr;
  const FunctionPlan* plan = nullptr;
  std::vector<LoopContext> loops;
};

struct ImportContext {
  ImportContext(const SpirvModule& module, const Plan& the_plan, const ImportOptions& the_options)
      : spirv(module),
        plan(the_plan),
        options(the_options),
        layouts(module),
        targets(module, the_plan),
        selectors(module),
        emission(module.capabilities, the_options.max_instructions, the_options.mark_undefined),
        slots(the_plan.slot_types),
        bindings(module.bound),
        leaf_types(module.types.size()),
        private_arrays(module, the_plan),
        interface_parts(module.variables.size()) {}

  // Returns true if derivatives are available.
  bool HasQuads() const {
    return emission.module.stage == mir::Stage::kFragment ||
           derivative_group != DerivativeGroup::kNone;
  }

  // Known before the walk: constant.
  const SpirvModule& spirv;
  const Plan& plan;
  const ImportOptions& options;
  const Layouts layouts;
  const PointerTargets targets;
  const Selectors selectors;

  // The MIR being made.
  Emission emission;

  // State at the current point of the walk.
  Slots slots;
  Bindings bindings;
  FunctionContext place;
  int nesting = 0;

  // Set at set-up, constant from then on.
  DerivativeGroup derivative_group = DerivativeGroup::kNone;
  SharedLayout shared;
  ValueId helper_at_start;  // true if the invocation began as a helper; invalid: unused

  // Filled at first use.
  std::vector<std::vector<mir::Type>> leaf_types;  // by index of SpirvModule::types
  PrivateArrays private_arrays;
  // By index of SpirvModule::variables, for inputs and outputs.
  std::vector<std::vector<InterfacePart>> interface_parts;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_CONTEXT_H_
