// The command of random programs of a stage:
//
//   [--count=3000] [--seed=0] [--instructions=50] [--keep-going=0|1] [--print=0|1] [--reduce=0|1]
//   [--memory=SEEDS] [--disable-pass=NAME]...
//
// --memory: also in the simulator's memory mode, by so many seeds (DrawSetup::memory_seeds).
// Exit status 1 after a disagreement, 2 if the flags are wrong.
#ifndef KILN_TESTS_EXEC_RANDOM_COMMAND_H_
#define KILN_TESTS_EXEC_RANDOM_COMMAND_H_

#include <cstdint>
#include <functional>
#include <string>

#include "core/mir/mir.h"
#include "core/oracle/generate.h"
#include "tests/exec/graphics.h"

namespace kiln::exec {

using ShapeOfSeed = std::function<oracle::GenerateOptions(uint64_t seed, uint64_t instructions)>;
// CompareDraw, CompareVertices.
using CompareSeed =
    std::function<std::string(const mir::Module& module, uint64_t seed, uint32_t samples,
                              const DrawSetup& setup, DrawCounts* counts)>;

int RandomCommand(int argc, char** argv, const ShapeOfSeed& shape_of, const CompareSeed& compare);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_RANDOM_COMMAND_H_
