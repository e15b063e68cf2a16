// All state of an import, each part with the time for which it holds. Emitters are handles on this.
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

// Lifetime: a loop's body, while it is walked.
struct LoopExit {
  mir::InstId inst;  // the break, whose sources are given when the loop is complete
  uint32_t label = 0;
  std::vector<ValueId> values;
};
struct LoopContext {
  uint32_t header = 0;
  std::vector<uint32_t> slots;
  std::vector<LoopExit> exits;
};

// Lifetime: an inlined copy of a function, while it is walked.
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

  // Whether derivatives can be taken.
  bool HasQuads() const {
    return emission.module.stage == mir::Stage::kFragment ||
           derivative_group != DerivativeGroup::kNone;
  }

  // What is known before: constant.
  const SpirvModule& spirv;
  const Plan& plan;
  const ImportOptions& options;
  const Layouts layouts;
  const PointerTargets targets;
  const Selectors selectors;

  // What is made.
  Emission emission;

  // Where the walk is.
  Slots slots;
  Bindings bindings;
  FunctionContext place;
  int nesting = 0;

  // Decided by set-up, constant from then on.
  DerivativeGroup derivative_group = DerivativeGroup::kNone;
  SharedLayout shared;
  ValueId helper_at_start;  // whether the invocation began as a helper; invalid: nobody asks

  // Filled when first asked for.
  std::vector<std::vector<mir::Type>> leaf_types;  // by index of SpirvModule::types
  PrivateArrays private_arrays;
  // By index of SpirvModule::variables: of inputs and outputs.
  std::vector<std::vector<InterfacePart>> interface_parts;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_CONTEXT_H_
