// Mutations of allocations of gfx1030: random programs, selected and scheduled by the compiler, are
// allocated with all registers and with few; then one error is introduced. The checker of
// allocations must find nothing before and the error after.
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/amd/lir/machine.h"
#include "core/driver/compile.h"
#include "core/driver/prepared.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/ra/mutations.h"
#include "core/oracle/generate.h"
#include "gtest/gtest.h"

namespace kiln::exec {
namespace {

using namespace lir::ra;  // NOLINT: the mutations

constexpr char kLast[] = "schedule";  // the pass before allocation

// Rows of the table: the mutations of one kind behind those of another.
constexpr size_t kSpillRow = kNumMutations;
constexpr size_t kShapeRow = kSpillRow + size_t{kNumSpillMutations};
constexpr size_t kRows = kShapeRow + size_t{kNumShapeMutations};

class Listing : public Sink {
 public:
  void OnSnapshot(std::string_view, const std::string& text) override { last = text; }
  std::string last;
};

// Returns the function that allocation is given for a random program.
lir::Function Scheduled(uint64_t seed, int lanes) {
  oracle::GenerateOptions shape;
  shape.instructions = 40;
  shape.max_depth = 2 + static_cast<int>(seed % 3);
  shape.defined_only = true;
  shape.memory = seed % 2 == 0;
  shape.types = seed % 3 == 1;
  shape.subgroups = seed % 5 >= 3;
  shape.doubles = seed % 5 < 2;
  shape.pressure = seed % 3 == 0 ? 20 : 0;
  const auto prepared = PrepareMir(oracle::GenerateModule(seed, shape), {}, nullptr, {});
  EXPECT_TRUE(prepared.ok()) << prepared.status();
  CompileOptions options;
  options.widths = {lanes};
  options.passes.print_after = options.passes.stop_after = kLast;
  Listing listing;
  const auto compiled = Compile(**prepared, Target::kGfx1030, options, &listing, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  auto function = lir::Parse(amd::Gfx1030Machine(), listing.last);
  EXPECT_TRUE(function.ok()) << function.status();
  return function.ok() ? *std::move(function) : lir::Function();
}

struct Score {
  int tried = 0, caught = 0;
};

class Scores {
 public:
  template <class F>
  void Try(std::string_view name, size_t at, const lir::Function& ssa, const lir::Function& good,
           F&& mutate) {
    for (int k = 0; k < 3; ++k) {
      lir::Function bad = good;
      if (!mutate(&bad)) continue;
      ++scores_[at].tried;
      if (!CheckAllocation(amd::Gfx1030Machine(), ssa, bad).ok()) {
        ++scores_[at].caught;
      } else if (missed_.size() < 4000) {
        missed_ += std::string(name) + " " + where + "\n";
      }
    }
  }

  // Prints a row of the table and expects at least 97 of 100.
  void Print(std::string_view name, size_t at, int least) {
    const Score& score = scores_[at];
    printf("%-18s %5d tried %5d caught\n", name.data(), score.tried, score.caught);
    EXPECT_GE(score.tried, least) << name;
    EXPECT_GE(100 * score.caught, 97 * score.tried) << name;
    all_.tried += score.tried;
    all_.caught += score.caught;
  }

  void PrintAll() {
    printf("%d of %d\n", all_.caught, all_.tried);
    EXPECT_GE(100 * all_.caught, 99 * all_.tried) << missed_;
  }

  std::string where;  // the program, for messages

 private:
  std::array<Score, kRows> scores_;
  Score all_;
  std::string missed_;
};

TEST(AllocationMutations, AreCaughtOnGfx1030) {
  const lir::Machine& machine = amd::Gfx1030Machine();
  Rng rng(3);
  Scores scores;
  int spilled = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    const int lanes = seed % 2 == 0 ? 32 : 64;
    lir::Function ssa = Scheduled(seed, lanes);
    // A quarter with all registers, the others with few: of V, of S, of both.
    if (seed % 4 % 2 != 0) ssa.pool_units[0] = 14;
    if (seed % 4 >= 2) ssa.pool_units[1] = 28;
    lir::Function good = ssa;
    if (!Allocate(machine, &good).ok()) {
      good = ssa;
      if (!AllocateWithSpills(machine, &good).ok()) continue;
      ++spilled;
    }
    const absl::Status fine = CheckAllocation(machine, ssa, good);
    ASSERT_TRUE(fine.ok()) << seed << fine << lir::Print(machine, good);
    scores.where = "seed " + std::to_string(seed);
    for (size_t m = 0; m < kNumMutations; ++m) {
      scores.Try(kMutationNames[m], m, ssa, good, [&](lir::Function* bad) {
        return Mutate(machine, ssa, static_cast<Mutation>(m), rng, bad);
      });
    }
    for (size_t m = 0; m < kNumSpillMutations; ++m) {
      scores.Try(kSpillMutationNames[m], kSpillRow + m, ssa, good, [&](lir::Function* bad) {
        return MutateSpills(machine, ssa, static_cast<SpillMutation>(m), rng, bad);
      });
    }
    for (size_t m = 0; m < kNumShapeMutations; ++m) {
      scores.Try(kShapeMutationNames[m], kShapeRow + m, ssa, good, [&](lir::Function* bad) {
        return MutateShape(machine, ssa, static_cast<ShapeMutation>(m), rng, bad);
      });
    }
  }
  EXPECT_GE(spilled, 20);
  // Those that these programs have no place for are tried on a machine of tests (core/lir/ra,
  // scalar_test).
  const auto least = [](int mutation, std::initializer_list<int> without) {
    return std::find(without.begin(), without.end(), mutation) == without.end() ? 10 : 0;
  };
  for (int m = 0; m < kNumMutations; ++m) {
    scores.Print(kMutationNames[m], static_cast<size_t>(m), least(m, {kNoMaskClash}));
  }
  for (int m = 0; m < kNumSpillMutations; ++m) {
    scores.Print(kSpillMutationNames[m], kSpillRow + static_cast<size_t>(m),
                 least(m, {kUnmaskSpill, kRepeatOther, kFillClash}));
  }
  for (int m = 0; m < kNumShapeMutations; ++m) {
    scores.Print(kShapeMutationNames[m], kShapeRow + static_cast<size_t>(m),
                 least(m, {kRestoreEarly, kUniformClash, kUnmaskMerge}));
  }
  scores.PrintAll();
}

}  // namespace
}  // namespace kiln::exec
