// random_programs: random structured programs through the whole compiler, executed by the simulator
// at every width, with and without fusion, and compared with the interpreter.
//
//   random_programs [--count=10000] [--seed=0] [--instructions=60] [--disable-pass=NAME]...
//
// Every width must compile: running out of registers is a disagreement too. Every pass verifies its
// result, the allocation is checked, the code goes through the EU verifier. form_fma and
// merge_factors are left out: they may change roundings (core/mid/random_programs judges them).
// Prints the first disagreement with its seed; the exit status is then 1.
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/mir/print.h"
#include "core/oracle/generate.h"
#include "core/oracle/interp.h"
#include "tests/exec/exec.h"
#include "tests/exec/reduce.h"

namespace {

bool ParseFlag(absl::string_view arg, absl::string_view name, uint64_t* value) {
  return absl::ConsumePrefix(&arg, name) && absl::SimpleAtoi(arg, value);
}

// Returns options for programs of several shapes: long and flat, short and deep, with and without
// memory, floats, operations between lanes, or more values than 32 lanes have registers for.
kiln::oracle::GenerateOptions ShapeOf(uint64_t seed, uint64_t instructions, bool doubles) {
  kiln::oracle::GenerateOptions options;
  options.instructions = static_cast<int>(seed % 7 == 0 ? 4 * instructions : instructions);
  options.max_depth = 2 + static_cast<int>(seed % 4);
  options.lanes = seed % 5 == 0 ? 40 : 16;
  options.floats = seed % 3 != 0;
  options.defined_only = true;
  options.memory = seed % 2 == 0;
  options.types = seed % 3 == 1 || seed % 8 == 3;
  options.subgroups = seed % 4 >= 2;
  options.word_vectors = options.types && seed % 8 >= 3;
  // Not both, so that a disagreement of either kind is known for what it is.
  options.doubles = doubles && !options.subgroups;
  if (seed % 6 == 1) {
    options.pressure = 16 + static_cast<int>(seed % 31);
    options.lanes = 40;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  kiln::exec::Setup setup;
  setup.floats = true;
  setup.ulp = 0;
  setup.zero_memory = true;
  setup.disabled_passes = {"form_fma", "merge_factors"};
  uint64_t count = 10000, first = 0, instructions = 60, keep_going = 0, reduce = 0;
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i], "--count=", &count) || ParseFlag(argv[i], "--seed=", &first) ||
        ParseFlag(argv[i], "--instructions=", &instructions) ||
        ParseFlag(argv[i], "--keep-going=", &keep_going) ||
        ParseFlag(argv[i], "--reduce=", &reduce)) {
      continue;
    }
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--disable-pass=")) {
      setup.disabled_passes.emplace_back(arg);
      continue;
    }
    std::fprintf(stderr,
                 "usage: random_programs [--count=N] [--seed=N] [--instructions=N] "
                 "[--keep-going=0|1] [--reduce=0|1] [--disable-pass=NAME]...\n");
    return 2;
  }
  const bool doubles = setup.target == kiln::Target::kGfx1030;  // the target that has them
  uint64_t wrong_ones = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const kiln::mir::Module module =
        kiln::oracle::GenerateModule(seed, ShapeOf(seed, instructions, doubles));
    kiln::oracle::LaunchInputs inputs = kiln::oracle::GenerateInputs(seed, module);
    inputs.denormals = kiln::oracle::Denormals::kFlush;  // as in the hardware's dispatch
    const std::string wrong = kiln::exec::CompareModule(module, inputs, setup);
    if (wrong.empty()) continue;
    ++wrong_ones;
    std::printf("seed %llu:\n%s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    if (reduce != 0) {
      const kiln::mir::Module smaller =
          kiln::exec::Reduced(module, [&](const kiln::mir::Module& m) {
            return !kiln::exec::CompareModule(m, inputs, setup).empty();
          });
      std::printf("%s%s", kiln::exec::CompareModule(smaller, inputs, setup).c_str(),
                  kiln::mir::Print(smaller).c_str());
    }
    if (keep_going != 0) continue;
    std::printf("%s", kiln::mir::Print(module).c_str());
    return 1;
  }
  if (wrong_ones != 0) return 1;
  std::printf("%llu programs at every width, with and without fusion: no disagreement\n",
              static_cast<unsigned long long>(count));
  return 0;
}
