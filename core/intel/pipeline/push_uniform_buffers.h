// Chooses pieces of uniform buffers that a fragment's threads start with in registers, so that no
// message reads them (core/intel/ABI.md, "Fragments").
//
// In: a module and its Abi. Out: the Abi with ranges, at best those that save the most messages
// (abi/uniform_ranges.h). A draw sets constants up once for all widths of its program, so the
// ranges are the same at all requested widths.
//
// Pushed data is live from the first instruction on, so the number of ranges is limited by
// registers: no width that is compiled may spill more than it would without ranges. If the values
// of MIR are few, or few registers are live at once in the program as it is selected, this holds.
// Otherwise the program is compiled up to the allocation of its registers; if it spills there, a
// third of the ranges is tried. A width that spills anyway is dropped in favour of a narrower one
// and does not count, unless it was asked for. The passes of such a trial are recorded like those
// of the compile (PassContext::Try), before this pass's own record.
//
// Cost: the choice, and ValueLives for most programs; a selection for each width at which more
// values are live at once; up to four compiles at a width where registers are short. Half of the
// corpus' 1,388 fragment programs pay 1 % of their compile time; all together pay a seventh.
#ifndef KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_
#define KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

absl::StatusOr<bool> PushUniformBuffers(AllWidths& all, PassContext& context);

// Returns a text: "set 0 binding 2: 4 registers from byte 128".
std::string TextOf(const mir::Module& module, const UniformRange& range);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_
