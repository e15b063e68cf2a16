// random_programs: random structured programs through every pass over MIR, judged by the
// interpreter.
//
//   random_programs [--count=10000] [--seed=0] [--fragments=0] [--vertices=0]
//
// Each program goes through one pass alone (in turn) and through all passes three times over, with
// and without a limit on rewrites, and is interpreted and verified after each. Prints how often
// each pass changed something; the first disagreement is printed with both programs, and the exit
// status is 1.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/mid/testing/random_check.h"

namespace {

bool ParseFlag(absl::string_view arg, absl::string_view name, uint64_t* value) {
  return absl::ConsumePrefix(&arg, name) && absl::SimpleAtoi(arg, value);
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t count = 10000;
  uint64_t first = 0;
  uint64_t fragments = 0;
  uint64_t vertices = 0;
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i], "--count=", &count) || ParseFlag(argv[i], "--seed=", &first) ||
        ParseFlag(argv[i], "--fragments=", &fragments) ||
        ParseFlag(argv[i], "--vertices=", &vertices)) {
      continue;
    }
    std::fprintf(
        stderr,
        "usage: random_programs [--count=N] [--seed=N] [--fragments=0|1] [--vertices=0|1]\n");
    return 2;
  }
  const auto stage = fragments != 0  ? kiln::mir::Stage::kFragment
                     : vertices != 0 ? kiln::mir::Stage::kVertex
                                     : kiln::mir::Stage::kCompute;
  const auto passes = kiln::mid::RandomPasses();
  std::vector<uint64_t> changed(passes.size());
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const size_t alone = seed % passes.size();
    const kiln::mid::RandomOutcome outcomes[] = {
        kiln::mid::CheckPass(passes[alone], seed, stage),
        kiln::mid::CheckAllPasses(seed, seed % 3 == 0 ? static_cast<int64_t>(seed % 101) : -1,
                                  stage)};
    for (const kiln::mid::RandomOutcome& outcome : outcomes) {
      if (outcome.error.empty()) continue;
      std::printf("%s\n", outcome.error.c_str());
      return 1;
    }
    changed[alone] += outcomes[0].changed;
  }
  std::printf("%llu programs, no disagreement\n", static_cast<unsigned long long>(count));
  for (size_t p = 0; p < passes.size(); ++p) {
    const uint64_t runs = count / passes.size();
    std::printf("  %-24s changed %llu of about %llu\n", passes[p].name,
                static_cast<unsigned long long>(changed[p]), static_cast<unsigned long long>(runs));
  }
  return 0;
}
