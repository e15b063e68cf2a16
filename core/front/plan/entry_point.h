// Which entry point of a module is meant.
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

// `name` empty: the only one, or of several the one with no name. `stage` nothing: compute if such
// entry points are among those meant, else the stage that they all are of. Errors: NOT_FOUND,
// INVALID_ARGUMENT (several; no function), refusals of stages.
absl::StatusOr<EntryPoint> FindEntryPoint(const SpirvModule& spirv, const std::string& name,
                                          std::optional<mir::Stage> stage);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_ENTRY_POINT_H_
