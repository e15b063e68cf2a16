// Spilling: small programs by hand, and random ones through allocation and the checker.
#include "core/lir/ra/spill.h"

#include <string>

#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/ra/scratch_places.h"
#include "core/lir/random_program.h"
#include "core/lir/testing.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::SmallTestTarget;

// Does the payload at the end fit the tail at all?
bool TailFits(const Target& t, const Function& f) {
  for (const Value& v : f.values) {
    const PoolInfo& pool = t.pools[t.files[v.file].pool];
    if (v.in_tail && pool.tail_first + v.comps * t.units_per_comp(f, v) > pool.units) return false;
  }
  return true;
}

// Every value that is live at once must fit; what is spilled reads back right.
TEST(SpillTest, RandomProgramsFitAndCheck) {
  const Target& t = SmallTestTarget();
  uint32_t spills = 0, fills = 0, repeated = 0, masked = 0, in_memory = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    testing::RandomOptions options;
    options.instructions = 40 + static_cast<int>(seed % 7) * 40;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.pool_size = 10 + static_cast<int>(seed % 5) * 12;
    options.far_uses = 30;
    const Function ssa = testing::RandomProgram(seed, options);
    if (!TailFits(t, ssa)) continue;
    const Liveness live(t, ssa);
    Function spilled = ssa;
    SpillStats stats;
    ASSERT_TRUE(SpillToFit(t, &spilled, live, {48, ValueId(0)}, &stats).ok());
    ASSERT_TRUE(Verify(t, spilled).ok())
        << "seed " << seed << ": " << Verify(t, spilled) << "\n" << Print(t, spilled);
    Function done = ssa;
    const auto allocated = AllocateWithSpills(t, &done, ValueId(0));
    // Flags that parked lanes hold cannot be saved: save_flags.h.
    if (allocated.status().message().find("flag registers") != std::string::npos) continue;
    ASSERT_TRUE(allocated.ok()) << "seed " << seed << ": " << allocated.status() << "\n"
                                << Print(t, ssa);
    ASSERT_TRUE(VerifyAllocated(t, done).ok()) << "seed " << seed << VerifyAllocated(t, done);
    const absl::Status checked = CheckAllocation(t, ssa, done);
    ASSERT_TRUE(checked.ok()) << "seed " << seed << ": " << checked << "\n"
                              << Print(t, ssa) << "\n" << Print(t, spilled) << "\n"
                              << Print(t, done);
    spills += allocated->spill.spills;
    fills += allocated->spill.fills;
    repeated += allocated->spill.repeated;
    for (size_t b = 0; b < done.blocks.size(); ++b) {
      in_memory += ssa.blocks[b].params.size() - done.blocks[b].params.size();
      for (InstId i : done.blocks[b].insts) {
        masked += done.inst(i).op == testing::kSpillOp && !(done.inst(i).flags & kNoMask);
      }
    }
  }
  printf("%u spills, %u fills, %u repeated, %u masked stores, %u parameters in memory\n", spills,
         fills, repeated, masked, in_memory);
  EXPECT_GT(spills, 1000u);
  EXPECT_GT(fills, 1000u);
  EXPECT_GT(repeated, 100u);
  EXPECT_GT(masked, 100u);
  EXPECT_GT(in_memory, 10u);
}

}  // namespace
}  // namespace kiln::lir::ra
