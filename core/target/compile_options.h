// A caller's requests to a back end.
#ifndef KILN_CORE_TARGET_COMPILE_OPTIONS_H_
#define KILN_CORE_TARGET_COMPILE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/pass_options.h"
#include "core/out/container.h"
#include "core/target/pipeline_state.h"

namespace kiln {

struct CompileOptions {
  std::vector<int> widths;              // dispatch widths wanted; empty: all that the target has
  int required_subgroup_size = 0;       // only this width, whatever it costs; 0: any
  bool require_full_subgroups = false;  // only widths that divide the workgroup's size in x
  out::Container container = out::Container::kRaw;  // the form of Variant::code
  // The form of scans of the workgroup, a name of Backend::scans; empty: the fastest by the cost
  // model.
  std::string scan = {};
  // The most vertices, and the most primitives, of a workgroup of a vertex program, one of
  // Backend::ngg_groups; 0: the target's own.
  uint32_t ngg_group = 0;
  PipelineState state;  // of graphics stages; compute leaves the default
  // Must have the same values as PrepareOptions::passes: bisection continues its count from there,
  // and if Prepare ended at stop_after there are no variants.
  PassOptions passes;
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_COMPILE_OPTIONS_H_
