// Random programs before and after passes: what the unit test and the long run share.
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
  bool required = false;      // then it counts no rewrites
  bool rare = false;          // finds little to do in random programs
  bool of_fragments = false;  // finds nothing to do in others
};

// Every pass over MIR that keeps what the interpreter sees.
absl::Span<const RandomPass> RandomPasses();

struct RandomOutcome {
  std::string error;  // empty: the program still does what it did, and is well-formed
  bool changed = false;
  int64_t before = 0;  // instructions
  int64_t after = 0;
};

// The program of this seed and stage through one pass.
RandomOutcome CheckPass(const RandomPass& pass, uint64_t seed,
                        mir::Stage stage = mir::Stage::kCompute);

// Through all of them, three times over, compared after each; `limit`: rewrites allowed in all, -1
// for any number.
RandomOutcome CheckAllPasses(uint64_t seed, int64_t limit, mir::Stage stage = mir::Stage::kCompute);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_TESTING_RANDOM_CHECK_H_
