// Construction of ifs whose sides are given as functions. Internal to this folder.
#ifndef KILN_CORE_AMD_CULL_IF_H_
#define KILN_CORE_AMD_CULL_IF_H_

#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "core/mir/build.h"

namespace kiln::amd {

using Side = std::function<std::vector<mir::ValueId>()>;

// Emits an if whose sides are what the functions emit; they return the results. Without `otherwise`
// the results of that side are undefined.
std::vector<mir::ValueId> EmitIf(mir::Builder& b, mir::ValueId condition,
                                 absl::Span<const mir::Type> types, const Side& then,
                                 const Side& otherwise = {});

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_CULL_IF_H_
