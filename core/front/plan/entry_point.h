// Selects the entry point of a module.
#ifndef KILN_CORE_FRONT_PLAN_ENTRY_POINT_H_
#define KILN_CORE_FRONT_PLAN_ENTRY_POINT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/front/spirv/spirv.h"
#include "core/mir/mir.h"

namespace kiln::front {

struct EntryPoint {
  const SpirvEntryPoint* spirv = nullptr;  // never null
  mir::Stage stage = mir::Stage::kCompute;
};

// Finds the entry point of this name and stage. An empty `name` selects the only entry point, or if
// there are several, the one with an empty name. Without `stage`: compute if one of the entry
// points selected by name is compute, otherwise the stage that they all share. Errors: NOT_FOUND,
// INVALID_ARGUMENT (several; no function), refusals of stages.
absl::StatusOr<EntryPoint> FindEntryPoint(const SpirvModule& spirv, const std::string& name,
                                          std::optional<mir::Stage> stage);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_ENTRY_POINT_H_
