// The output of a back end for a module.
#ifndef KILN_CORE_TARGET_COMPILED_H_
#define KILN_CORE_TARGET_COMPILED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/out/launch_record.h"

namespace kiln {

struct Statistics {
  int64_t instructions = 0;  // of the encoded program, without nop and sync
  int64_t sync_instructions = 0;
  int64_t sends = 0;
  int64_t cycles = 0;          // one thread, by the target's model
  int64_t exit_cycles = 0;     // of these, before the first exit (a discard jump); 0: no exit
  int64_t busiest_cycles = 0;  // cycles for which it occupies its busiest unit; not reported
  int64_t spills = 0;
  int64_t fills = 0;
  int64_t spill_bytes = 0;  // moved by one thread if every message runs once
  int64_t fill_bytes = 0;
  int64_t loops = 0;
  int64_t registers = 0;  // maximum of live registers, from the bytes
  int64_t bytes = 0;
};

struct Variant {
  std::string name;  // as the target names programs of the width
  int width = 0;
  std::vector<uint8_t> code;
  out::LaunchRecord launch;
  Statistics statistics;
};

struct Compiled {
  std::string stage;
  std::vector<Variant> variants;  // at least one, unless stopped on request
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_COMPILED_H_
