// Fragments: pieces of uniform buffers that threads start with in registers, so that no message
// reads them (core/intel/ABI.md, "Fragments").
//
// In: a module and its Abi. Out: the Abi with ranges. A draw sets constants up once for all widths
// of its program: the ranges are the same at all of those that are wanted.
//
// What is pushed lives from the first instruction on. So the program is selected with the ranges at
// the widest width wanted, and where more registers live at once than kMostLive, fewer are pushed.
// A width that does not fit without any is left to spill, or to be given up for a narrower one, and
// that one judges.
//
// Cost: the choice (abi/uniform_ranges.h) and one selection, few more where registers are short.
#ifndef KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_
#define KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

absl::StatusOr<bool> PushUniformBuffers(AllWidths& all, PassContext& context);

// "set 0 binding 2: 4 registers from byte 128"
std::string TextOf(const mir::Module& module, const UniformRange& range);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_PUSH_UNIFORM_BUFFERS_H_
