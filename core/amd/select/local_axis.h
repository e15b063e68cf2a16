// Recognises coordinates of a lane in its workgroup. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_LOCAL_AXIS_H_
#define KILN_CORE_AMD_SELECT_LOCAL_AXIS_H_

#include <optional>

#include "core/mir/mir.h"

namespace kiln::amd {

// Returns the axis (0 to 2) of the local id that the operation computes from the local index, which
// MIR has instead of ids: a field of its bits where sizes are powers of two. The hardware gives
// each id in a register of its own.
std::optional<int> LocalAxisOf(const mir::Module& m, mir::InstId id);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_LOCAL_AXIS_H_
