// random_fragments: random fragment programs through the whole compiler, drawn by the simulator at
// every width in contract mode, with and without fusion and in the opposite order, and compared
// with the interpreter on the module as it was generated.
//
//   random_fragments [--count=3000] [--seed=0] [--instructions=50] [--keep-going=0|1] [--print=0|1]
//                    [--reduce=0|1] [--disable-pass=NAME]...
//
// Every pass verifies its result, the allocation is checked, the code goes through the EU verifier.
// Integers and floats must be equal; form_fma, which changes roundings as it may, is left out. The
// first disagreement (with --keep-going each) is printed with its seed, with --reduce the module
// made as small as it shows one, and the exit status is 1.
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/generate.h"
#include "tests/exec/fragments.h"
#include "tests/exec/reduce.h"

namespace {

bool ParseFlag(absl::string_view arg, absl::string_view name, uint64_t* value) {
  return absl::ConsumePrefix(&arg, name) && absl::SimpleAtoi(arg, value);
}

// Programs of several shapes; a quarter of the draws has four samples.
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
  kiln::exec::DrawSetup setup;
  setup.disabled_passes = {"form_fma"};
  uint64_t count = 3000, first = 0, instructions = 50, keep_going = 0, print = 0, reduce = 0;
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i], "--count=", &count) || ParseFlag(argv[i], "--seed=", &first) ||
        ParseFlag(argv[i], "--instructions=", &instructions) ||
        ParseFlag(argv[i], "--keep-going=", &keep_going) ||
        ParseFlag(argv[i], "--print=", &print) || ParseFlag(argv[i], "--reduce=", &reduce)) {
      continue;
    }
    absl::string_view arg = argv[i];
    if (absl::ConsumePrefix(&arg, "--disable-pass=")) {
      setup.disabled_passes.emplace_back(arg);
      continue;
    }
    std::fprintf(stderr,
                 "usage: random_fragments [--count=N] [--seed=N] [--instructions=N] "
                 "[--keep-going=0|1] [--print=0|1] [--reduce=0|1] [--disable-pass=NAME]...\n");
    return 2;
  }
  kiln::exec::DrawCounts counts;
  uint64_t wrong_ones = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const kiln::oracle::GenerateOptions options = ShapeOf(seed, instructions);
    const kiln::mir::Module module = kiln::oracle::GenerateModule(seed, options);
    if (print != 0) std::printf("%s", kiln::mir::Print(module).c_str());
    std::string wrong;
    if (absl::Status s = kiln::mir::Verify(module); !s.ok()) wrong = s.ToString();
    if (wrong.empty()) {
      wrong = kiln::exec::CompareDraw(module, seed, options.samples, setup, &counts);
    }
    if (wrong.empty()) continue;
    ++wrong_ones;
    std::printf("seed %llu:\n%s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    if (reduce != 0) {
      // What only the opposite order shows is easily made undefined by taking something out.
      const bool in_order = absl::StrContains(wrong, " fused: ");
      kiln::exec::DrawSetup plain = setup;
      plain.opposite = !in_order;
      const kiln::mir::Module smaller =
          kiln::exec::Reduced(module, [&](const kiln::mir::Module& m) {
            kiln::exec::DrawCounts of_it;
            const std::string text =
                kiln::exec::CompareDraw(m, seed, options.samples, plain, &of_it);
            return absl::StrContains(text, "want");
          });
      kiln::exec::DrawCounts of_it;
      std::printf("%s%s\n", kiln::mir::Print(smaller).c_str(),
                  kiln::exec::CompareDraw(smaller, seed, options.samples, setup, &of_it).c_str());
    }
    if (keep_going != 0) continue;
    std::printf("%s", kiln::mir::Print(module).c_str());
    return 1;
  }
  std::printf("%llu programs, %lld binaries, %lld threads, %lld samples written: ",
              static_cast<unsigned long long>(count), static_cast<long long>(counts.programs),
              static_cast<long long>(counts.threads), static_cast<long long>(counts.written));
  if (wrong_ones != 0) std::printf("%llu disagree\n", static_cast<unsigned long long>(wrong_ones));
  if (wrong_ones == 0) std::printf("no disagreement\n");
  return wrong_ones == 0 ? 0 : 1;
}
