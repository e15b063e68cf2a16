// The output of a back end for a module.
#ifndef KILN_CORE_TARGET_COMPILED_H_
#define KILN_CORE_TARGET_COMPILED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/out/launch_record.h"
#include "core/target/statistics.h"

namespace kiln {

struct Variant {
  std::string name;  // as the target names programs of the width
  int width = 0;
  std::vector<uint8_t> code;  // in the container that was asked for
  out::LaunchRecord launch;
  Statistics statistics;  // all rows of the target are known
};

struct Compiled {
  std::string stage;
  std::vector<Variant> variants;  // at least one, unless stopped on request
};

}  // namespace kiln

#endif  // KILN_CORE_TARGET_COMPILED_H_
