// Options of an import, besides the module.
#ifndef KILN_CORE_FRONT_PLAN_IMPORT_OPTIONS_H_
#define KILN_CORE_FRONT_PLAN_IMPORT_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

struct ImportOptions {
  std::string entry;  // empty: the only one of the stage, or the one with an empty name
  // Absent: compute if the module has it, otherwise the only stage that it has.
  std::optional<mir::Stage> stage;
  std::vector<SpecConstant> spec_constants;  // must be of the constants' types (specialise.h)
  uint64_t max_instructions = 200'000;       // after inlining, both SPIR-V's and MIR's
  bool zero_workgroup_memory = false;        // clear shared memory before anything else
  bool dispatch_base = false;                // WorkgroupId includes base_workgroup
  // For reference executions in tests, never for compiling: results that SPIR-V leaves undefined
  // for their operands become selects of undefined values (emit_undefined.cc;
  // oracle::LaunchInputs::prefers_defined), and a variable that only one arm of a branch writes is
  // undefined after the other arm instead of the same after both.
  bool mark_undefined = false;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_IMPORT_OPTIONS_H_
