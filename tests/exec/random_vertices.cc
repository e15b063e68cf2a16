// random_vertices: random vertex programs through the whole compiler, run by the simulator on a
// draw in contract mode, with and without fusion and in the opposite order, and compared with the
// interpreter on the module as it was generated. Flags: random_command.h.
#include <cstdint>

#include "core/oracle/generate.h"
#include "tests/exec/random_command.h"
#include "tests/exec/vertices.h"

namespace {

// Returns options for programs of several shapes; a third has operations between the eight lanes.
kiln::oracle::GenerateOptions ShapeOf(uint64_t seed, uint64_t instructions) {
  kiln::oracle::GenerateOptions options;
  options.stage = kiln::mir::Stage::kVertex;
  options.drawn = true;
  options.instructions = static_cast<int>(seed % 11 == 0 ? 4 * instructions : instructions);
  options.max_depth = 2 + static_cast<int>(seed % 3);
  options.floats = seed % 7 != 0;
  options.defined_only = true;
  options.memory = seed % 2 == 0;
  options.types = seed % 5 >= 3;
  options.subgroups = seed % 3 == 1;
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return kiln::exec::RandomCommand(argc, argv, ShapeOf, kiln::exec::CompareVertices);
}
