// random_fragments: random fragment programs through the whole compiler, drawn by the simulator at
// every width in contract mode, with and without fusion and in the opposite order, and compared
// with the interpreter on the module as it was generated. Flags: random_command.h.
#include <cstdint>

#include "core/oracle/generate.h"
#include "tests/exec/fragments.h"
#include "tests/exec/random_command.h"

namespace {

// Returns options for programs of several shapes; a quarter of the draws has four samples.
kiln::oracle::GenerateOptions ShapeOf(uint64_t seed, uint64_t instructions) {
  kiln::oracle::GenerateOptions options;
  options.stage = kiln::mir::Stage::kFragment;
  options.drawn = true;
  options.instructions = static_cast<int>(seed % 11 == 0 ? 4 * instructions : instructions);
  options.max_depth = 2 + static_cast<int>(seed % 3);
  options.floats = seed % 3 != 0;
  options.defined_only = true;
  options.memory = seed % 2 == 0;
  options.types = seed % 5 >= 3;
  options.samples = seed % 4 == 3 ? 4 : 1;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return kiln::exec::RandomCommand(argc, argv, ShapeOf, kiln::exec::CompareDraw);
}
