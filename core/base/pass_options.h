// A caller's choices about the passes that run (pass.h), common to all levels of a compile.
#ifndef KILN_CORE_BASE_PASS_OPTIONS_H_
#define KILN_CORE_BASE_PASS_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace kiln {

struct PassOptions {
  std::vector<std::string> disabled;  // optional passes not to run
  int64_t bisect_limit = -1;          // rewrites of optional passes allowed; -1: no limit
  std::string print_after;            // pass name, "all" or "changed": snapshots to the sink
  std::string stop_after;             // pass name: ends there, also where that pass is left out
  bool verify_each = false;           // check the IR after every pass (tests)
  int64_t max_instructions = 0;       // of a module after a pass; 0: no limit
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_PASS_OPTIONS_H_
