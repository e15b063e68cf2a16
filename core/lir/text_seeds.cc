// Writes random programs as seeds for text_fuzz: text_seeds FILE...
#include <cstdint>
#include <fstream>

#include "core/lir/print.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"

int main(int argc, char** argv) {
  using namespace kiln::lir;  // NOLINT: a tool, no header
  for (int i = 1; i < argc; ++i) {
    testing::RandomOptions options;
    options.instructions = 5 * i;
    options.width = 8 << i % 3;
    options.exits = i % 2 == 0 ? 8 : 0;
    const Function f = testing::RandomProgram(static_cast<uint64_t>(i), options);
    if (!(std::ofstream(argv[i]) << Print(testing::TestMachine(), f))) return 1;
  }
  return 0;
}
