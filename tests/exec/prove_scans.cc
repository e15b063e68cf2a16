// Proves the forms of a scan of the workgroup (workgroup_scans.h): prints how many cases were run,
// or the first wrong one, and ends with 1 then.
#include <cstdint>
#include <cstdio>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "tests/exec/workgroup_scans.h"

namespace {

bool ParseFlag(absl::string_view arg, absl::string_view name, uint32_t* value) {
  return absl::ConsumePrefix(&arg, name) && absl::SimpleAtoi(arg, value);
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t step = 1, random = 100000, seed = 0;
  for (int i = 1; i < argc; ++i) {
    if (ParseFlag(argv[i], "--step=", &step) || ParseFlag(argv[i], "--random=", &random) ||
        ParseFlag(argv[i], "--seed=", &seed)) {
      continue;
    }
    std::fprintf(stderr, "usage: %s [--step=N] [--random=N] [--seed=N]\n", argv[0]);
    return 2;
  }
  if (step == 0) step = 1;
  const kiln::exec::ScanProof proof = kiln::exec::ProveScans(step, random, seed);
  std::printf("%llu cases in five forms and the interpreter: %s\n",
              static_cast<unsigned long long>(proof.cases),
              proof.failure.empty() ? "all equal" : proof.failure.c_str());
  return proof.failure.empty() ? 0 : 1;
}
