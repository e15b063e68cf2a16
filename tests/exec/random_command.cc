// See random_command.h.
//
// Every pass verifies its result, the allocation is checked, the code goes through the EU verifier.
// Integers and floats must be equal; form_fma and merge_factors, which may change roundings, are
// left out. Prints the first disagreement (with --keep-going each) with its seed, and with --reduce
// the smallest module found that still shows it; the exit status is then 1.
#include "tests/exec/random_command.h"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/generate.h"
#include "tests/exec/reduce.h"

namespace kiln::exec {
namespace {

bool ParseFlag(absl::string_view arg, absl::string_view name, uint64_t* value) {
  return absl::ConsumePrefix(&arg, name) && absl::SimpleAtoi(arg, value);
}

// Returns the programs that a text of disagreements names, a line each ("wave64 opposite").
std::vector<std::string> ProgramsIn(absl::string_view text) {
  std::vector<std::string> programs;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    programs.emplace_back(line.substr(0, line.find(':')));
  }
  return programs;
}

}  // namespace

int RandomCommand(int argc, char** argv, const ShapeOfSeed& shape_of, const CompareSeed& compare) {
  DrawSetup setup;
  setup.disabled_passes = {"form_fma", "merge_factors"};
  uint64_t count = 3000, first = 0, instructions = 50, keep_going = 0, print = 0, reduce = 0;
  uint64_t memory = 0;
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i], "--count=", &count) || ParseFlag(argv[i], "--seed=", &first) ||
        ParseFlag(argv[i], "--instructions=", &instructions) ||
        ParseFlag(argv[i], "--keep-going=", &keep_going) ||
        ParseFlag(argv[i], "--print=", &print) || ParseFlag(argv[i], "--reduce=", &reduce) ||
        ParseFlag(argv[i], "--memory=", &memory)) {
      continue;
    }
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--disable-pass=")) {
      setup.disabled_passes.emplace_back(arg);
      continue;
    }
    std::fprintf(stderr,
                 "usage: %s [--count=N] [--seed=N] [--instructions=N] "
                 "[--keep-going=0|1] [--print=0|1] [--reduce=0|1] [--memory=SEEDS] "
                 "[--disable-pass=NAME]...\n",
                 argv[0]);
    return 2;
  }
  setup.memory_seeds = static_cast<uint32_t>(memory);
  DrawCounts counts;
  uint64_t wrong_ones = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const oracle::GenerateOptions options = shape_of(seed, instructions);
    const mir::Module module = oracle::GenerateModule(seed, options);
    if (print != 0) std::printf("%s", mir::Print(module).c_str());
    std::string wrong;
    if (absl::Status s = mir::Verify(module); !s.ok()) wrong = s.ToString();
    if (wrong.empty()) {
      wrong = compare(module, seed, options.samples, setup, &counts);
    }
    if (wrong.empty()) continue;
    ++wrong_ones;
    std::printf("seed %llu:\n%s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    if (reduce != 0) {
      // Removing instructions easily makes a module undefined, which the opposite order shows: so
      // reduce without that order if the disagreement does not need it.
      const bool in_order = absl::StrContains(wrong, " fused: ");
      DrawSetup plain = setup;
      plain.opposite = !in_order;
      const mir::Module smaller = Reduced(module, [&](const mir::Module& m) {
        DrawCounts of_it;
        const std::string text = compare(m, seed, options.samples, plain, &of_it);
        return absl::StrContains(text, "want") == absl::StrContains(wrong, "want") &&
               ProgramsIn(text) == ProgramsIn(wrong) && !absl::StrContains(text, "interpreter: ");
      });
      DrawCounts of_it;
      std::printf("%s%s\n", mir::Print(smaller).c_str(),
                  compare(smaller, seed, options.samples, setup, &of_it).c_str());
    }
    if (keep_going != 0) continue;
    std::printf("%s", mir::Print(module).c_str());
    return 1;
  }
  std::printf("%llu programs, %lld binaries, %lld threads, %lld written: ",
              static_cast<unsigned long long>(count), static_cast<long long>(counts.programs),
              static_cast<long long>(counts.threads), static_cast<long long>(counts.written));
  if (counts.primitives != 0) {
    std::printf("%lld of %lld primitives left out (%lld by a distance), ",
                static_cast<long long>(counts.left_out), static_cast<long long>(counts.primitives),
                static_cast<long long>(counts.outside));
  }
  if (wrong_ones != 0) std::printf("%llu disagree\n", static_cast<unsigned long long>(wrong_ones));
  if (wrong_ones == 0) std::printf("no disagreement\n");
  return wrong_ones == 0 ? 0 : 1;
}

}  // namespace kiln::exec
