// SPIR-V -> MIR: the importer's public interface.
//
// In: a module with an entry point for compute, fragments or vertices. Out: MIR that satisfies
// mir/verify.h: everything inlined, scalar, SSA, structured; memory accesses as (resource, byte
// offset). Variables whose parts are never indexed by a value become SSA values; the others private
// arrays (or constant data).
//
// Safe on arbitrary words, with or without a validator before it. ImportOptions::max_instructions
// bounds the work that a well-formed but hostile module can cause.
//
// Stages: ParseSpirv (spirv.h) -> MakePlan (plan.h) -> the walk (emit.h, in the order of import.cc)
// -> Prune (prune.h).
#ifndef KILN_CORE_FRONT_IMPORT_H_
#define KILN_CORE_FRONT_IMPORT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/front/plan/import_options.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Imports a module. Errors: INVALID_ARGUMENT, NOT_FOUND (no such entry point), or a refusal
// (refusal.h).
absl::StatusOr<mir::Module> ImportSpirv(absl::Span<const uint32_t> words,
                                        const ImportOptions& options);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_IMPORT_H_
