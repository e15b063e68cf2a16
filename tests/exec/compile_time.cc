// Prints compile time over generated programs: microseconds of thread CPU per final instruction as
// the program grows, and the time of programs with many values live at once.
//
//   bazel run -c opt //tests/exec:compile_time
//
// Goals (DESIGN.md, section 7): at most 5 us per final instruction, linear within 1.5 x; 512 live
// values in at most 100 ms.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"
#include "tests/exec/series.h"

namespace {

int64_t ThreadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

// Sums the passes' own times by name, to tell which one bends.
class Times : public kiln::Sink {
 public:
  void OnPass(const kiln::PassRecord& r) override {
    if (r.nanoseconds <= worst_) return;
    worst_ = r.nanoseconds;
    name_ = r.pass;
  }
  std::string_view name() const { return name_; }
  int64_t worst() const { return worst_; }

 private:
  int64_t worst_ = 0;
  std::string_view name_;
};

// The least of three runs, Prepare and Compile at one width.
void Measure(const char* kind, int n, int width, const std::string& text) {
  constexpr int kRuns = 3;
  int64_t best = INT64_MAX, worst_pass = 0, instructions = 0, spills = 0, fills = 0;
  std::string_view pass;
  for (int run = 0; run < kRuns; ++run) {
    auto module = kiln::mir::Parse(text);
    if (!module.ok()) return;
    Times times;
    const int64_t start = ThreadNanoseconds();
    const auto prepared = kiln::PrepareMir(*std::move(module), {}, &times, {});
    if (!prepared.ok()) return;
    kiln::CompileOptions options;
    options.widths = {width};
    const auto compiled = kiln::Compile(**prepared, kiln::Target::kTgl, options, &times, {});
    const int64_t took = ThreadNanoseconds() - start;
    if (!compiled.ok() || compiled->variants.empty()) {
      printf("%-14s %5d SIMD%-2d %s\n", kind, n, width,
             std::string(compiled.status().message()).c_str());
      return;
    }
    const kiln::Statistics& s = compiled->variants[0].statistics;
    instructions = s.instructions + s.sync_instructions;
    spills = s.spills;
    fills = s.fills;
    if (took < best) {
      best = took;
      worst_pass = times.worst();
      pass = times.name();
    }
  }
  printf("%-14s %5d SIMD%-2d %6lld instructions %5lld spills %5lld fills %8.2f ms %6.2f us/inst, most "
         "in %s (%.2f ms)\n",
         kind, n, width, static_cast<long long>(instructions), static_cast<long long>(spills),
         static_cast<long long>(fills), best / 1e6,
         best / 1e3 / static_cast<double>(std::max<int64_t>(1, instructions)),
         std::string(pass).c_str(), worst_pass / 1e6);
}

}  // namespace

int main() {
  using namespace kiln::exec;
  for (int n : {500, 1000, 2000, 4000, 8000}) Measure("ordinary", n, 8, Wide(n));
  for (int n : {500, 1000, 2000, 4000, 8000}) Measure("chain", n, 8, Chain(n));
  for (int n : {30, 100, 300}) Measure("cases", n, 8, Cases(n));
  for (int width : {8, 16}) {
    for (int n : {128, 256, 512, 1024}) Measure("live", n, width, LiveValues(n));
    for (int n : {128, 256, 512}) Measure("across if", n, width, LiveAcrossIf(n));
    for (int n : {128, 256, 512}) Measure("through loops", n, width, LiveThroughLoops(n));
    for (int n : {128, 256, 512}) Measure("loop carried", n, width, LoopCarried(n));
    for (int n : {128, 256, 512}) Measure("break values", n, width, BreakValues(n));
    for (int n : {512, 1024, 2048}) Measure("uniform", n, width, LiveUniforms(n));
  }
  return 0;
}
