// An error of Prepare, Compile or front/glsl in parts, from which messages for users are composed.
#ifndef KILN_CORE_DRIVER_EXPLAIN_H_
#define KILN_CORE_DRIVER_EXPLAIN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/base/cause.h"

namespace kiln {

struct Explanation {
  std::string cause;
  std::string_view sentence;  // why, of the cause; empty for one without a row of causes.def
  std::string_view remedy;    // what the user can do, likewise
  Detail detail;
  uint32_t spirv_id = 0;  // 0: none
  std::string name;       // that the module has for the id (OpName); empty: none
  std::string file;       // of OpLine, debug information or GLSL; empty: none
  uint32_t line = 0;      // from 1; 0: none, or the whole file
  uint32_t column = 0;    // from 1, of OpLine or debug information; 0: none
};

// `spirv`: the words that Prepare was given; empty where there was no module. All texts are UTF-8
// without control characters (core/base/utf8.h). Cost: a walk over the words if the status has an
// id or an instruction.
Explanation Explain(const absl::Status& status, absl::Span<const uint32_t> spirv);

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_EXPLAIN_H_
