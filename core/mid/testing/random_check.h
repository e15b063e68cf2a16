// Random programs before and after passes, for the unit test and the long run.
#ifndef KILN_CORE_MID_TESTING_RANDOM_CHECK_H_
#define KILN_CORE_MID_TESTING_RANDOM_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

struct RandomPass {
  const char* name;
  absl::StatusOr<bool> (*run)(mir::Module&, PassContext&);
  bool required = false;      // counts no rewrites then
  bool rare = false;          // finds little to do in random programs
  bool of_fragments = false;  // changes nothing in other stages
};

// Every pass over MIR that preserves what the interpreter computes.
absl::Span<const RandomPass> RandomPasses();

struct RandomOutcome {
  std::string error;  // empty: the results are the same, and the program is well-formed
  bool changed = false;
  int64_t before = 0;  // instructions
  int64_t after = 0;
};

// Runs one pass on the program of this seed and stage. With `doubles` it computes with floats of 64
// bits too, without permissions to transform them.
RandomOutcome CheckPass(const RandomPass& pass, uint64_t seed,
                        mir::Stage stage = mir::Stage::kCompute, bool doubles = false);

// Runs all passes, three times over, and compares after each. `limit`: rewrites allowed in total,
// -1 for any number.
RandomOutcome CheckAllPasses(uint64_t seed, int64_t limit, mir::Stage stage = mir::Stage::kCompute);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_TESTING_RANDOM_CHECK_H_
