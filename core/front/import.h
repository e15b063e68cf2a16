// SPIR-V -> MIR: the importer's public face.
//
// In: a module with an entry point for compute, fragments or vertices. Out: MIR that satisfies
// mir/verify.h: everything inlined, scalar, SSA, structured; memory accesses as (resource, byte
// offset). Variables whose parts are never indexed by a value arrive as SSA; the others are private
// arrays (or constant data).
//
// Safe on arbitrary words, with or without a validator before it. What a well-formed but hostile
// module can make it do is bounded by ImportOptions::max_instructions.
//
// Stages: ParseSpirv (spirv.h) -> MakePlan (plan.h) -> the walk (emit.h, in the order of import.cc)
// -> Prune (prune.h).
#ifndef KILN_CORE_FRONT_IMPORT_H_
#define KILN_CORE_FRONT_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/front/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

struct ImportOptions {
  std::string entry;  // empty: the only one of the stage, or that with no name
  // Nothing: compute if the module has that, else the only stage that it has.
  std::optional<mir::Stage> stage;
  std::vector<SpecConstant> spec_constants;  // of the module's types, else an error (specialise.h)
  uint64_t max_instructions = 200'000;       // after inlining, both SPIR-V's and MIR's
  bool zero_workgroup_memory = false;        // clear shared memory before anything else
  bool dispatch_base = false;                // WorkgroupId includes base_workgroup
  // For judges, never for compiling: results that SPIR-V leaves undefined for their operands become
  // selects of undefined values (emit_undefined.cc; oracle::LaunchInputs::prefers_defined), and a
  // variable that only one arm of a branch writes is undefined behind the other one instead of the
  // same behind both.
  bool mark_undefined = false;
};

// Errors: INVALID_ARGUMENT, NOT_FOUND (no such entry point), or a refusal (refusal.h).
absl::StatusOr<mir::Module> ImportSpirv(absl::Span<const uint32_t> words,
                                        const ImportOptions& options);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_IMPORT_H_
