// Masks of lanes on edges and whole-wave values, on the machine of testing_scalar.h: the checker on
// incorrect allocations written by hand, what the allocator makes of each shape, and random
// programs that have all of them.
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cause.h"
#include "core/lir/build.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/by_hand.h"
#include "core/lir/ra/check.h"
#include "core/lir/random_scalar_program.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

using testing::ScalarTestMachine;

// ---- Programs, with registers and inserted copies.

// Each side of an if computes a condition, and what follows selects by it.
constexpr char kJoin[] =
    "function scalar width 32\n"
    "value %0 V 4x1\nvalue %1 M 0x1\nvalue %2 M 0x1\nvalue %3 M 0x1\nvalue %4 M 0x1\n"
    "value %5 V 4x1\n"
    "livein %0 at 0\n"
    "block b0 depth 0\n"
    "  %1:b32@8 = v_cmp %0:b32@0 %0:b32@0 {w32}\n"
    "  mask_if %1:b32@8 {w32 pred 1}\n"
    "  -> b1, b2\n"
    "block b1 depth 0\n"
    "  %2:b32@9 = v_cmp %0:b32@0 #0x1:b32 {w32}\n"
    "  mask_else {w32}\n"
    "  -> b3(%2:b32@9)\n"
    "  ~> b2\n"
    "block b2 depth 0\n"
    "  %3:b32@10 = v_cmp %0:b32@0 #0x2:b32 {w32}\n"
    "  %4:b32@9 = mask_merge %3:b32@10 {w32 ra}\n"
    "  mask_endif {w32}\n"
    "  -> b3(%3:b32@10)\n"
    "block b3 depth 0 params %4\n"
    "  %5:b32@1 = v_sel %0:b32@0 #0x0:b32 %4:b32@9 {w32 pred 1}\n"
    "  v_store %0:b32@0 %5:b32@1 {w32}\n"
    "  s_end\n";

// A condition of the previous iteration, read in the next one and by the lanes that left.
constexpr char kLoop[] =
    "function scalar width 32\n"
    "value %0 V 4x1\nvalue %1 M 0x1\nvalue %2 M 0x1\nvalue %3 M 0x1\nvalue %4 M 0x1\n"
    "value %5 V 4x1\nvalue %6 V 4x1\n"
    "livein %0 at 0\n"
    "block b0 depth 0\n"
    "  %1:b32@8 = v_cmp %0:b32@0 %0:b32@0 {w32}\n"
    "  -> b1(%1:b32@8)\n"
    "block b1 depth 1 params %2\n"
    "  %5:b32@1 = v_sel %0:b32@0 #0x0:b32 %2:b32@8 {w32 pred 1}\n"
    "  v_store %0:b32@0 %5:b32@1 {w32}\n"
    "  %3:b32@9 = v_cmp %5:b32@1 %0:b32@0 {w32}\n"
    "  %4:b32@10 = v_cmp %5:b32@1 #0x1:b32 {w32}\n"
    "  mask_break %4:b32@10 {w32 pred 1}\n"
    "  -> b3, b2\n"
    "block b2 depth 1\n"
    "  %2:b32@8 = mask_merge %3:b32@9 {w32 ra}\n"
    "  mask_while {w32}\n"
    "  -> b1(%3:b32@9)\n"
    "block b3 depth 0\n"
    "  %6:b32@1 = v_sel %0:b32@0 #0x0:b32 %2:b32@8 {w32 pred 1}\n"
    "  v_store %0:b32@0 %6:b32@1 {w32}\n"
    "  s_end\n";

// A carry that is read behind an edge that carries a mask.
constexpr char kCarry[] =
    "function scalar width 32\n"
    "value %0 S 4x1\nvalue %1 M 0x1\nvalue %2 M 0x1\nvalue %3 SCC 0x1\nvalue %4 S 4x1\n"
    "value %5 V 4x1\n"
    "livein %0 at 0\n"
    "block b0 depth 0\n"
    "  %1:b32@8 = v_cmp %0:b32@0 %0:b32@0 {w32}\n"
    "  %2:b32@9 = mask_merge %1:b32@8 {w32 ra}\n"
    "  %3:b32@0 = s_cmp %0:b32@0 %0:b32@0\n"
    "  -> b1(%1:b32@8)\n"
    "block b1 depth 0 params %2\n"
    "  %4:b32@1 = s_sel %0:b32@0 #0x1:b32 %3:b32@0 {pred 1}\n"
    "  %5:b32@0 = v_sel %4:b32@1 #0x0:b32 %2:b32@9 {w32 pred 1}\n"
    "  v_store %5:b32@0 %5:b32@0 {w32}\n"
    "  s_end\n";

// %1 is read at the end, %2 on the else side only; %8 is made there.
constexpr char kWave[] =
    "function scalar width 32\n"
    "value %0 V 4x1\nvalue %1 W 4x1\nvalue %2 W 4x1\nvalue %3 M 0x1\nvalue %4 V 4x1\n"
    "value %5 V 4x1\nvalue %6 V 4x1\nvalue %7 V 4x1\nvalue %8 W 4x1\nvalue %9 S 4x1\n"
    "value %10 W 4x1\nvalue %11 S 4x1\nvalue %12 S 4x1\n"
    "livein %0 at 0\n"
    "block b0 depth 0\n"
    "  %1:b32@1 = w_const #0x1:b32 {w32}\n"
    "  %2:b32@2 = w_const #0x2:b32 {w32}\n"
    "  %3:b32@8 = v_cmp %0:b32@0 %0:b32@0 {w32}\n"
    "  mask_if %3:b32@8 {w32 pred 1}\n"
    "  -> b1, b2\n"
    "block b1 depth 0\n"
    "  %4:b32@3 = v_add %0:b32@0 %0:b32@0 {w32}\n"
    "  %5:b32@4 = v_add %0:b32@0 #0x1:b32 {w32}\n"
    "  v_store %0:b32@0 %5:b32@4 {w32}\n"
    "  mask_else {w32}\n"
    "  -> b3(%4:b32@3)\n"
    "  ~> b2\n"
    "block b2 depth 0\n"
    "  %8:b32@5 = w_add %2:b32@2 %2:b32@2 {w32}\n"
    "  %9:b32@9 = w_read %8:b32@5 {w32}\n"
    "  %6:b32@3 = v_add %0:b32@0 %9:b32@9 {w32}\n"
    "  mask_endif {w32}\n"
    "  -> b3(%6:b32@3)\n"
    "block b3 depth 0 params %7\n"
    "  v_store %0:b32@0 %7:b32@3 {w32}\n"
    "  %1:b32@6 = v_move %1:b32@1 {w32 nomask ra}\n"
    "  %10:b32@1 = w_insert %1:b32@1 %0:b32@0 {w32}\n"
    "  %11:b32@10 = w_read %10:b32@1 {w32}\n"
    "  %12:b32@12 = w_read %1:b32@6 {w32}\n"
    "  v_store %11:b32@10 %12:b32@12 {w32}\n"
    "  s_end\n";

struct Wrong {
  const char* name;
  const char* text;
  const char* right;
  const char* wrong;  // ... wherever that stands
};

const Wrong kWrong[] = {
    {"an edge replaces the bits of lanes that wait", kJoin, "mask_merge %3:b32@10 {w32 ra}",
     "s_move %3:b32@10 {w32 nomask ra}"},
    {"a comparison clears the bits of lanes that wait", kJoin, "%3:b32@10", "%3:b32@9"},
    {"an edge has no copy", kJoin, "  %4:b32@9 = mask_merge %3:b32@10 {w32 ra}\n", ""},
    {"a back edge replaces the bits of lanes that left", kLoop, "mask_merge %3:b32@9 {w32 ra}",
     "s_move %3:b32@9 {w32 nomask ra}"},
    {"a loop's comparison clears the bits of lanes that left", kLoop, "%4:b32@10", "%4:b32@8"},
    {"a merge clobbers the carry", kCarry,
     "  %2:b32@9 = mask_merge %1:b32@8 {w32 ra}\n"
     "  %3:b32@0 = s_cmp %0:b32@0 %0:b32@0\n",
     "  %3:b32@0 = s_cmp %0:b32@0 %0:b32@0\n"
     "  %2:b32@9 = mask_merge %1:b32@8 {w32 ra}\n"},
    {"a whole-wave result overwrites lanes that wait", kWave, "%8:b32@5", "%8:b32@3"},
    {"active lanes overwrite a whole-wave value that the other side reads", kWave, "%5:b32@4",
     "%5:b32@2"},
    {"a whole-wave value is moved for the active lanes alone", kWave, "{w32 nomask ra}\n  %10",
     "{w32 ra}\n  %10"},
    {"an insertion takes the register of a whole-wave value that is read again", kWave,
     "w_read %1:b32@6", "w_read %1:b32@1"},
};

std::string Replace(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST(MasksTest, WrongAllocationsByHand) {
  for (const Wrong& w : kWrong) {
    const absl::Status right = CheckByHand(ScalarTestMachine(), w.text);
    EXPECT_TRUE(right.ok()) << w.name << ": " << right;
    const std::string changed = Replace(w.text, w.right, w.wrong);
    EXPECT_NE(changed, w.text) << w.name;
    const absl::Status wrong = CheckByHand(ScalarTestMachine(), changed);
    EXPECT_EQ(wrong.code(), absl::StatusCode::kInternal) << w.name << ": " << wrong;
  }
}

// ---- What the allocator makes.

// Removes registers and inserted instructions from the text.
Function Ssa(std::string text) {
  for (size_t at = 0; (at = text.find('@')) != text.npos;) {
    const size_t end = text.find_first_not_of("0123456789", at + 1);
    text.erase(at, end - at);
  }
  for (size_t at = 0; (at = text.find("ra}\n")) != text.npos;) {
    const size_t begin = text.rfind('\n', at) + 1;
    text.erase(begin, at + 4 - begin);
  }
  auto f = Parse(ScalarTestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status() << text;
  EXPECT_TRUE(Verify(ScalarTestMachine(), *f).ok()) << Verify(ScalarTestMachine(), *f);
  return *std::move(f);
}

int Count(const Function& f, uint16_t op) {
  int n = 0;
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) n += f.inst(i).op == op;
  }
  return n;
}

Function Allocated(const Function& ssa) {
  Function f = ssa;
  const auto stats = Allocate(ScalarTestMachine(), &f);
  EXPECT_TRUE(stats.ok()) << stats.status();
  const absl::Status s = CheckAllocation(ScalarTestMachine(), ssa, f);
  EXPECT_TRUE(s.ok()) << s << Print(ScalarTestMachine(), f);
  return f;
}

// The first side compares into the parameter's register; the other side merges.
TEST(MasksTest, AJoinTakesOneMerge) {
  EXPECT_EQ(Count(Allocated(Ssa(kJoin)), testing::kMaskMergeOp), 1);
}

TEST(MasksTest, ABackEdgeMerges) {
  const Function f = Allocated(Ssa(kLoop));
  int merges = 0;
  for (InstId i : f.blocks[2].insts) merges += f.inst(i).op == testing::kMaskMergeOp;
  EXPECT_EQ(merges, 1) << Print(ScalarTestMachine(), f);
}

// The mask lives on behind the edge, so that its parameter needs a copy, and the carry is saved.
TEST(MasksTest, ACarryIsSavedAcrossAMerge) {
  Function f = Ssa(kCarry);
  Builder b(f);
  const InstId use = f.blocks[1].insts[1];  // v_sel by the parameter: a second one by the argument
  const ValueId again = b.NewValue(f.value(f.defs(use)[0].value()));
  InstFields fields;
  fields.width = 32;
  fields.predicate_mode = 1;
  const Operand def = ValueOperand(again, 0);
  const Operand chosen[] = {ImmOperand(1, 0), ImmOperand(2, 0), ValueOperand(ValueId(1), 0)};
  const InstId sel = MakeInst(f, testing::kVSelOp, fields, {&def, 1}, chosen);
  const Operand stored[] = {def, def};
  const InstId store = MakeInst(f, testing::kVStoreOp, {.width = 32}, {}, stored);
  f.blocks[1].insts.insert(f.blocks[1].insts.begin() + 2, {sel, store});
  ASSERT_TRUE(Verify(ScalarTestMachine(), f).ok()) << Verify(ScalarTestMachine(), f);
  const Function done = Allocated(f);
  EXPECT_EQ(Count(done, testing::kMaskMergeOp), 1);
  EXPECT_EQ(Count(done, testing::kSaveSccOp), 1);
  EXPECT_EQ(Count(done, testing::kRestoreSccOp), 1);
}

// A comparison of a loop that is read after it must leave as an argument.
TEST(MasksTest, ComparisonsOfLoopsAreNotReadAfterThem) {
  Function f = Ssa(Replace(kLoop, "%0:b32@0 #0x0:b32 %2:b32@8 {w32 pred 1}\n  v_store %0:b32@0 %6",
                           "%0:b32@0 #0x0:b32 %3:b32@8 {w32 pred 1}\n  v_store %0:b32@0 %6"));
  const auto stats = Allocate(ScalarTestMachine(), &f);
  EXPECT_EQ(stats.status().code(), absl::StatusCode::kInternal) << stats.status();
}

// ---- Random programs.

struct Totals {
  int refused = 0, merges = 0, swaps = 0, merged_stores = 0, wave_stores = 0, wave_fills = 0,
      wave_moves = 0, held = 0;
};

bool IsWave(const Function& f, const Operand& o) {
  return IsValue(o) && f.value(o.value()).file == testing::kFileW;
}

// Counts blocks in which lanes that wait hold a whole-wave value.
int Held(const Function& f) {
  const Liveness live(ScalarTestMachine(), f);
  int n = 0;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    bool any = false;
    live.parked(BlockId(b)).for_each([&](size_t g) {
      const ValueId v = live.slot_value(live.global_slot(static_cast<uint32_t>(g)));
      any |= f.value(v).file == testing::kFileW;
    });
    n += any;
  }
  return n;
}

void CountIn(const Function& f, Totals* t) {
  t->merges += Count(f, testing::kMaskMergeOp);
  t->swaps += Count(f, testing::kMaskSwapOp);
  t->merged_stores += Count(f, testing::kMergeLanesOp);
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      const uint16_t op = f.inst(i).op;
      t->wave_stores += op == testing::kScratchStoreOp && IsWave(f, f.uses(i)[0]);
      t->wave_fills += op == testing::kScratchLoadOp && IsWave(f, f.defs(i)[0]);
      t->wave_moves += op == testing::kVMoveOp && IsWave(f, f.defs(i)[0]);
    }
  }
}

void RunRandom(int programs, testing::RandomOptions options, uint32_t vectors, uint32_t scalars,
               Totals* totals) {
  const Machine& t = ScalarTestMachine();
  for (int seed = 0; seed < programs; ++seed) {
    options.width = seed % 2 == 0 ? 32 : 64;
    options.exits = seed % 4 == 3 ? 6 : 0;
    options.pool_size = 8 + seed % 23;
    const Function ssa =
        testing::RandomScalarProgram(5000 + static_cast<uint64_t>(seed), options, vectors, scalars);
    ASSERT_TRUE(Verify(t, ssa).ok()) << "seed " << seed << ": " << Verify(t, ssa);
    totals->held += Held(ssa);
    Function f = ssa;
    auto stats = Allocate(t, &f);
    if (!stats.ok() && CauseOf(stats.status()) == "out_of_registers") {
      stats = AllocateWithSpills(t, &f);
    }
    if (!stats.ok()) {
      ASSERT_EQ(CauseOf(stats.status()), "out_of_registers")
          << "seed " << seed << ": " << stats.status() << Print(t, ssa);
      ++totals->refused;
      continue;
    }
    ASSERT_TRUE(VerifyAllocated(t, f).ok()) << "seed " << seed << ": " << VerifyAllocated(t, f);
    const absl::Status s = CheckAllocation(t, ssa, f);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s << "\n" << Print(t, ssa) << Print(t, f);
    CountIn(f, totals);
  }
}

TEST(MasksTest, RandomPrograms) {
  Totals t;
  testing::RandomOptions options;
  options.edge_values = 3;
  options.live_ins = 3;
  options.instructions = 130;
  options.far_uses = 15;
  options.leaves = 12;
  RunRandom(200, options, testing::kVectorUnits, testing::kScalarUnits, &t);
  RunRandom(400, options, 24, 44, &t);
  RunRandom(300, options, 16, 30, &t);
  printf(
      "refused %d; merges %d swaps %d merged stores %d; whole-wave stores %d fills %d moves %d; "
      "blocks where waiting lanes hold one %d\n",
      t.refused, t.merges, t.swaps, t.merged_stores, t.wave_stores, t.wave_fills, t.wave_moves,
      t.held);
  EXPECT_LT(t.refused, 60);
  EXPECT_GT(t.merges, 1000);
  EXPECT_GT(t.merged_stores, 20);
  EXPECT_GT(t.wave_stores, 100);
  EXPECT_GT(t.wave_fills, 100);
  EXPECT_GT(t.held, 1000);
}

}  // namespace
}  // namespace kiln::lir::ra
