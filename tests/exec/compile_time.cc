// Prints compile time over generated programs: microseconds of thread CPU per final instruction as
// the program grows, and the time of programs with many values live at once.
//
//   bazel run -c opt //tests/exec:compile_time [-- KIND [SIZE]]
//
// For the target that KILN_TEST_TARGET names, else tgl.
//
// KIND is a name from the output; without it all kinds run. Ordinary programs and chains grow from
// 500 to 8,000 instructions; below each of those series are its worst figure and the factor between
// that and the figure of the smallest program ("linear within"). 8+16, 32+64: Prepare once and
// Compile at both widths, as a compile without width hints does; its instructions are those of
// both.
//
// Goals (core/DESIGN.md): at most 4 us per final instruction, linear within 1.5 x; 512 live values
// in at most 30 ms. Run it on an otherwise idle machine.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/mir/parse.h"
#include "tests/exec/exec.h"
#include "tests/exec/series.h"

namespace {

int64_t ThreadNanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000ll + t.tv_nsec;
}

// Sums the passes' own times by name, to show which one is not linear.
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

struct Only {
  std::string kind;  // empty: all
  int size = 0;      // 0: all
};

struct Result {
  bool ok = false;
  int64_t nanoseconds = INT64_MAX;
  int64_t instructions = 0, spills = 0, fills = 0;
  std::string_view pass;
  int64_t pass_nanoseconds = 0;
  double PerInstruction() const {
    return nanoseconds / 1e3 / static_cast<double>(std::max<int64_t>(1, instructions));
  }
};

// Returns the sum of those figures that the target has.
int64_t Sum(const kiln::Variant& v, std::initializer_list<std::string_view> names) {
  int64_t sum = 0;
  for (const std::string_view name : names) sum += v.statistics.Find(name).value_or(0);
  return sum;
}

bool RunOnce(const std::string& text, const std::vector<int>& widths, Result* best,
             std::string* error) {
  auto module = kiln::mir::Parse(text);
  if (!module.ok()) return false;
  Times times;
  const int64_t start = ThreadNanoseconds();
  const auto prepared = kiln::PrepareMir(*std::move(module), {}, &times, {});
  if (!prepared.ok()) return false;
  kiln::CompileOptions options;
  options.widths = widths;
  const auto compiled = kiln::Compile(**prepared, kiln::exec::TestTarget(), options, &times, {});
  const int64_t took = ThreadNanoseconds() - start;
  if (!compiled.ok()) {
    *error = std::string(compiled.status().message());
    return false;
  }
  best->instructions = best->spills = best->fills = 0;
  for (const kiln::Variant& v : compiled->variants) {
    best->instructions +=
        Sum(v, {"instructions", "sync_instructions", "wait_instructions", "clause_instructions"});
    best->spills += Sum(v, {"spills", "spilled_sgprs", "spilled_vgprs"});
    best->fills += Sum(v, {"fills"});
  }
  if (took >= best->nanoseconds) return true;
  best->nanoseconds = took;
  best->pass_nanoseconds = times.worst();
  best->pass = times.name();
  return true;
}

// Returns the least time of three runs of Prepare and Compile.
Result Measure(const char* kind, int n, const std::vector<int>& widths, const std::string& text) {
  constexpr int kRuns = 3;
  Result best;
  std::string error, name;
  for (int w : widths) name += (w == widths.front() ? "" : "+") + std::to_string(w);
  for (int run = 0; run < kRuns; ++run) {
    if (RunOnce(text, widths, &best, &error)) continue;
    printf("%-14s %5d %-9s %s\n", kind, n, name.c_str(), error.c_str());
    return best;
  }
  best.ok = true;
  printf(
      "%-14s %5d %-9s %6lld instructions %5lld spills %5lld fills %8.2f ms %6.2f us/inst, most in "
      "%s (%.2f ms)\n",
      kind, n, name.c_str(), static_cast<long long>(best.instructions),
      static_cast<long long>(best.spills), static_cast<long long>(best.fills),
      best.nanoseconds / 1e6, best.PerInstruction(), std::string(best.pass).c_str(),
      best.pass_nanoseconds / 1e6);
  return best;
}

using Program = std::string (*)(int);

void Series(const Only& only, const char* kind, const std::vector<int>& widths, Program program,
            std::initializer_list<int> sizes) {
  if (!only.kind.empty() && only.kind != kind) return;
  for (int n : sizes) {
    if (only.size == 0 || only.size == n) Measure(kind, n, widths, program(n));
  }
}

// Measures a series and prints the summary to which the goals apply.
void Growing(const Only& only, const char* kind, const std::vector<int>& widths, Program program,
             std::initializer_list<int> sizes = {500, 1000, 2000, 4000, 8000}) {
  if (!only.kind.empty() && only.kind != kind) return;
  double first = 0, worst = 0;
  for (int n : sizes) {
    if (only.size != 0 && only.size != n) continue;
    const Result r = Measure(kind, n, widths, program(n));
    if (!r.ok) return;
    if (first == 0) first = r.PerInstruction();
    worst = std::max(worst, r.PerInstruction());
  }
  printf("%-14s at most %.2f us/inst, linear within %.2f\n", kind, worst,
         worst / std::max(first, 1e-9));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kiln::exec;
  Only only;
  if (argc > 1) only.kind = argv[1];
  if (argc > 2) only.size = std::atoi(argv[2]);
  // The two widths that a compile without width hints makes.
  const std::vector<int> all = WidthsOf(TestTarget());
  const std::vector<int> both(all.begin(), all.begin() + 2);
  const std::vector<std::vector<int>> one_and_both = {{both[0]}, {both[1]}, both};
  for (const std::vector<int>& widths : one_and_both) {
    Growing(only, "ordinary", widths, Wide);
    Growing(only, "chain", widths, Chain);
    Growing(only, "constants", widths, Constants, {200, 400, 800, 1600, 3200});
    Growing(only, "again", widths, ConstantsAgain, {100, 200, 400, 800, 1600});
    Growing(only, "small ifs", widths, SmallIfs, {100, 200, 400, 800, 1600});
    Growing(only, "calls", widths, Calls, {25, 50, 100, 200, 400});
    Growing(only, "nests", widths, Nests, {100, 200, 400, 800, 1600});
    Growing(only, "deep nest", widths, DeepNest, {15, 30, 60, 120, 240});
  }
  for (int width : both) {
    Series(only, "cases", {width}, Cases, {30, 100, 300});
    Series(only, "live", {width}, LiveValues, {128, 256, 512, 1024});
    Series(only, "across if", {width}, LiveAcrossIf, {128, 256, 512});
    Series(only, "through loops", {width}, LiveThroughLoops, {128, 256, 512});
    Series(only, "loop carried", {width}, LoopCarried, {128, 256, 512});
    Series(only, "break values", {width}, BreakValues, {128, 256, 512});
    Series(only, "uniform", {width}, LiveUniforms, {512, 1024, 2048});
  }
  return 0;
}
