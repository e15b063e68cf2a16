// Spilling: small programs by hand, and random ones through allocation and the checker.
#include "core/lir/ra/spill.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/lir/build.h"
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

using testing::SmallTestMachine;
using testing::TestMachine;

// Returns true if the payload at the end fits the tail at all.
bool TailFits(const Machine& t, const Function& f) {
  for (const Value& v : f.values) {
    const PoolInfo& pool = t.pools[t.files[v.file].pool];
    if (v.in_tail && pool.tail_first + v.comps * t.units_per_comp(f, v) > pool.units) return false;
  }
  return true;
}

// Returns true if all operands of each instruction fit at once, each in consecutive units.
bool InstructionsFit(const Machine& t, const Function& f) {
  for (const Inst& in : f.insts) {
    uint32_t units = 0;
    for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
      const Operand& o = f.operands[in.first_operand + k];
      if (!IsValue(o) || t.files[f.value(o.value()).file].pool != 0) continue;
      units += o.comps * t.units_per_comp(f, f.value(o.value()));
    }
    if (units > t.pools[0].units * 3 / 4) return false;
  }
  return true;
}

// Every value that is live at once must fit; spilled values are read back correctly.
TEST(SpillTest, RandomProgramsFitAndCheck) {
  const Machine& t = SmallTestMachine();
  uint32_t spills = 0, fills = 0, repeated = 0, masked = 0, in_memory = 0, refused = 0;
  uint32_t without_header = 0;
  for (uint64_t seed = 0; seed < 1200; ++seed) {
    testing::RandomOptions options;
    options.exits = seed < 600 ? 0 : 8;
    options.header = seed < 900;
    options.instructions = 40 + static_cast<int>(seed % 7) * 40;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.pool_size = 10 + static_cast<int>(seed % 5) * 12;
    options.far_uses = 30;
    const Function ssa = testing::RandomProgram(seed, options);
    if (!TailFits(t, ssa)) continue;
    const Liveness live(t, ssa);
    Function spilled = ssa;
    SpillStats stats;
    ASSERT_TRUE(SpillToFit(t, t.spills[0], &spilled, live, {48}, &stats).ok());
    ASSERT_TRUE(Verify(t, spilled).ok()) << "seed " << seed << ": " << Verify(t, spilled) << "\n"
                                         << Print(t, spilled);
    Function done = ssa;
    const auto allocated = AllocateWithSpills(t, &done);
    // Flags that parked lanes hold cannot be saved: save_flags.h.
    if (allocated.status().message().find("flag registers") != std::string::npos) continue;
    // Values of two bytes that parked lanes hold can be in registers only (spill.h, limits).
    if (absl::IsResourceExhausted(allocated.status())) {
      ++refused;
      continue;
    }
    ASSERT_TRUE(allocated.ok()) << "seed " << seed << ": " << allocated.status() << "\n"
                                << Print(t, ssa);
    ASSERT_TRUE(VerifyAllocated(t, done).ok()) << "seed " << seed << VerifyAllocated(t, done);
    const absl::Status checked = CheckAllocation(t, ssa, done);
    ASSERT_TRUE(checked.ok()) << "seed " << seed << ": " << checked << "\n"
                              << Print(t, ssa) << "\n"
                              << Print(t, spilled) << "\n"
                              << Print(t, done);
    spills += allocated->spill.spills;
    if (!options.header) without_header += allocated->spill.spills;
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
  EXPECT_LE(refused, 3u);
  EXPECT_GT(without_header, 1000u);
}

// Edges carry more than fits the pool, part of it to parameters without uses.
TEST(SpillTest, EdgesThatCarryMoreThanThePoolHasFit) {
  const Machine& t = TestMachine();
  uint32_t spills = 0, programs = 0;
  std::string lost;
  for (uint64_t seed = 90; seed < 110; ++seed) {
    testing::RandomOptions options;
    options.instructions = 120 + static_cast<int>(seed % 5) * 60;
    options.max_depth = 3 + static_cast<int>(seed % 3);
    options.width = seed % 3 == 0 ? 16 : 32;
    options.pool_size = 40 + static_cast<int>(seed % 4) * 40;
    options.far_uses = 30;
    options.edge_values = 2 + static_cast<int>(seed % 7) * 2;
    options.dwords = true;
    options.leaves = 8 + static_cast<int>(seed % 2) * 20;
    const Function ssa = testing::RandomProgram(seed, options);
    if (!TailFits(t, ssa) || !InstructionsFit(t, ssa)) continue;
    Function done = ssa;
    const auto allocated = AllocateWithSpills(t, &done);
    if (allocated.status().message().find("flag registers") != std::string::npos) continue;
    ++programs;
    if (!allocated.ok()) {
      absl::StrAppend(&lost, "seed ", seed, ": ", allocated.status().ToString(), "\n");
      continue;
    }
    ASSERT_TRUE(VerifyAllocated(t, done).ok()) << "seed " << seed << VerifyAllocated(t, done);
    const absl::Status checked = CheckAllocation(t, ssa, done);
    ASSERT_TRUE(checked.ok()) << "seed " << seed << ": " << checked;
    spills += allocated->spill.spills;
  }
  EXPECT_EQ(lost, "");
  EXPECT_GT(programs, 10u);
  EXPECT_GT(spills, 300u);
}

// The payload that ends the thread, made early and spilled, is in the tail when it is filled.
TEST(SpillTest, WhatMustLieInTheTailStillDoes) {
  const Machine& t = testing::TestMachine();
  Function f;
  f.dispatch_width = 8;
  Builder b(f);
  b.SetBlock(b.NewBlock());
  InstFields fields;
  fields.width = 8;
  Value whole;
  whole.file = testing::kU;
  whole.comps = 8;
  whole.whole_registers = true;
  const ValueId header = b.NewValue(whole);
  f.live_ins.push_back({header, 0});
  f.scratch_header = header;
  whole.in_tail = true;
  const ValueId payload = b.NewValue(whole);
  b.Emit(testing::kLoadOp, fields, {ValueOperand(payload, 0, 0, 8)}, {ImmOperand(1, 0)});
  std::vector<ValueId> values;
  for (int k = 0; k < 140; ++k) {
    Value v;
    v.file = testing::kG;
    values.push_back(b.NewValue(v));
    b.Emit(testing::kLoadOp, fields, {ValueOperand(values.back(), 0)}, {ImmOperand(1, 0)});
  }
  for (ValueId v : values) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  b.Emit(testing::kEndOp, fields, {}, {ValueOperand(payload, 0, 0, 8)});
  const Function ssa = f;
  const auto stats = AllocateWithSpills(t, &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_GT(stats->spill.fills, 0u);
  EXPECT_TRUE(CheckAllocation(t, ssa, f).ok());
  const Operand& end = f.uses(f.blocks[0].insts.back())[0];
  EXPECT_NE(end.value(), payload);  // it was spilled
  EXPECT_GE(end.reg, t.pools[t.files[testing::kU].pool].tail_first);
}

// The back edge of a loop carries seventy values of two registers, undefined at first, and one more
// is read after it: that one is farther away than any of them, but all parameters are written at
// once.
TEST(SpillTest, MoreParametersThanRegistersLiveInMemory) {
  constexpr int kParams = 70;
  std::string text = "function test width 16\n", params, init, next;
  for (int k = 0; k < 2 * kParams + 1; ++k) absl::StrAppend(&text, "value %", k, " G 4x1\n");
  const int far = 2 * kParams, flag = far + 1, header = far + 2;
  absl::StrAppend(&text, "value %", flag, " F 0x1\nvalue %", header, " U 4x8 whole\nlivein %",
                  header, " at 0\nscratch_header %", header, "\nblock b0 depth 0\n  %", far,
                  ":ud = load #0x1:ud {w16}\n");
  for (int k = 0; k < kParams; ++k) {
    absl::StrAppend(&params, " %", k);
    absl::StrAppend(&init, k == 0 ? "_" : ", _");
    absl::StrAppend(&next, k == 0 ? "" : ", ", "%", kParams + k, ":ud");
  }
  absl::StrAppend(&text, "  -> b1(", init, ")\nblock b1 depth 1 params", params, "\n  %", flag,
                  ":ud = cmp %0:ud {w16}\n  break %", flag, ":ud {w16 pred 1}\n  -> b3, b2\n",
                  "block b2 depth 1\n");
  for (int k = 0; k < kParams; ++k) {
    absl::StrAppend(&text, "  %", kParams + k, ":ud = add %", k, ":ud %", (k + 1) % kParams,
                    ":ud {w16}\n");
  }
  absl::StrAppend(&text, "  while {w16}\n  -> b1(", next, ")\n  ~> b3\n",
                  "block b3 depth 0\n  store %", far, ":ud {w16}\n");
  for (int k = 0; k < kParams; ++k) absl::StrAppend(&text, "  store %", k, ":ud {w16}\n");
  const Machine& t = testing::TestMachine();
  const absl::StatusOr<Function> ssa = Parse(t, text);
  ASSERT_TRUE(ssa.ok()) << ssa.status();
  ASSERT_TRUE(Verify(t, *ssa).ok()) << Verify(t, *ssa);
  Function f = *ssa;
  const auto stats = AllocateWithSpills(t, &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(CheckAllocation(t, *ssa, f), absl::OkStatus());
  EXPECT_LT(f.blocks[1].params.size(), ssa->blocks[1].params.size());
}

// The back edge of a loop passes seventy values of two registers, each to the next parameter: a
// parameter that stays in a register gets the content that a memory slot had before the edge writes
// it.
TEST(SpillTest, PlacesAreReadBeforeTheEdgeWritesThem) {
  constexpr int kParams = 70, kFresh = kParams, kFlag = kFresh + 1, kHeader = kFlag + 1;
  std::string text = "function test width 16\n", params, init, next;
  for (int k = 0; k <= kParams; ++k) absl::StrAppend(&text, "value %", k, " G 4x1\n");
  absl::StrAppend(&text, "value %", kFlag, " F 0x1\nvalue %", kHeader, " U 4x8 whole\nlivein %",
                  kHeader, " at 0\nscratch_header %", kHeader, "\nblock b0 depth 0\n");
  for (int k = 0; k < kParams; ++k) {
    absl::StrAppend(&params, " %", k);
    absl::StrAppend(&init, k == 0 ? "_" : ", _");
    absl::StrAppend(&next, k == 0 ? "" : ", ", "%", k + 1, ":ud");
  }
  absl::StrAppend(&text, "  -> b1(", init, ")\nblock b1 depth 1 params", params, "\n  %", kFlag,
                  ":ud = cmp %0:ud {w16}\n  break %", kFlag, ":ud {w16 pred 1}\n  -> b3, b2\n",
                  "block b2 depth 1\n  %", kFresh,
                  ":ud = load %0:ud {w16}\n  while {w16}\n  -> b1(", next,
                  ")\n  ~> b3\nblock b3 depth 0\n");
  for (int k = 0; k < kParams; ++k) absl::StrAppend(&text, "  store %", k, ":ud {w16}\n");
  const Machine& t = testing::TestMachine();
  const absl::StatusOr<Function> ssa = Parse(t, text);
  ASSERT_TRUE(ssa.ok()) << ssa.status();
  ASSERT_TRUE(Verify(t, *ssa).ok()) << Verify(t, *ssa);
  Function f = *ssa;
  const auto stats = AllocateWithSpills(t, &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(CheckAllocation(t, *ssa, f), absl::OkStatus());
  const size_t in_registers = f.blocks[1].params.size();
  EXPECT_GT(in_registers, 0u);
  EXPECT_LT(in_registers, size_t{kParams});
}

// Two loops, one in the other, carry seventy values each around their back edges, undefined at
// first. The outer one reads its own after the inner one, which may not take their slots, though no
// instruction before it wrote there.
TEST(SpillTest, ParametersUndefinedAtFirstKeepTheirPlacesRoundTheLoop) {
  constexpr int kParams = 70, kFlag = 4 * kParams, kHeader = kFlag + 2;
  std::string text = "function test width 16\n", undefined;
  for (int k = 0; k < kFlag; ++k) absl::StrAppend(&text, "value %", k, " G 4x1\n");
  for (int k = 0; k < kParams; ++k) absl::StrAppend(&undefined, k == 0 ? "_" : ", _");
  struct Loop {
    std::string params, next, body;
  } loops[2];
  for (int l = 0; l < 2; ++l) {
    for (int k = 0; k < kParams; ++k) {
      const int param = 2 * l * kParams + k, next = param + kParams;
      absl::StrAppend(&loops[l].params, " %", param);
      absl::StrAppend(&loops[l].next, k == 0 ? "%" : ", %", next, ":ud");
      absl::StrAppend(&loops[l].body, "  store %", param, ":ud {w16}\n");
    }
    for (int k = 0; k < kParams; ++k) {
      absl::StrAppend(&loops[l].body, "  %", (2 * l + 1) * kParams + k,
                      ":ud = load #0x1:ud {w16}\n");
    }
  }
  const auto exit = [](int flag) {
    return absl::StrCat("  %", flag, ":ud = cmp #0x1:ud {w16}\n  break %", flag,
                        ":ud {w16 pred 1}\n");
  };
  absl::StrAppend(&text, "value %", kFlag, " F 0x1\nvalue %", kFlag + 1, " F 0x1\nvalue %", kHeader,
                  " U 4x8 whole\nlivein %", kHeader, " at 0\nscratch_header %", kHeader,
                  "\nblock b0 depth 0\n  -> b1(", undefined, ")\nblock b1 depth 1 params",
                  loops[0].params, "\n", exit(kFlag), "  -> b6, b2\nblock b2 depth 1\n  -> b3(",
                  undefined, ")\nblock b3 depth 2 params", loops[1].params, "\n", exit(kFlag + 1));
  absl::StrAppend(&text, "  -> b5, b4\nblock b4 depth 2\n", loops[1].body,
                  "  while {w16}\n  -> b3(", loops[1].next, ")\n  ~> b5\nblock b5 depth 1\n",
                  loops[0].body, "  while {w16}\n  -> b1(", loops[0].next,
                  ")\n  ~> b6\nblock b6 depth 0\n  end #0x1:ud {w16}\n");
  const Machine& t = testing::TestMachine();
  const absl::StatusOr<Function> ssa = Parse(t, text);
  ASSERT_TRUE(ssa.ok()) << ssa.status();
  ASSERT_TRUE(Verify(t, *ssa).ok()) << Verify(t, *ssa);
  Function f = *ssa;
  const auto stats = AllocateWithSpills(t, &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(CheckAllocation(t, *ssa, f), absl::OkStatus());
  EXPECT_LT(f.blocks[1].params.size(), size_t{kParams});
}

// Sixty values of two registers fill the registers that the spiller may use. %0 is evicted for %60;
// in the if, lanes that wait for the join have %0 in memory, and %61, which is read last, has a
// register.
TEST(SpillTest, WhatLiesInMemoryTakesNoRegisterOfLanesThatWait) {
  constexpr int kValues = 59, kExtra = 60, kLast = 61, kFlag = 62, kHeader = 63;
  std::string text = "function test width 16\n", loads, stores;
  for (int k = 0; k < kFlag; ++k) absl::StrAppend(&text, "value %", k, " G 4x1\n");
  for (int k = 1; k <= kValues; ++k) {
    absl::StrAppend(&loads, "  %", k, ":ud = load #0x1:ud {w16}\n");
    absl::StrAppend(&stores, "  store %", k, ":ud {w16}\n");
  }
  absl::StrAppend(&text, "value %", kFlag, " F 0x1\nvalue %", kHeader, " U 4x8 whole\nlivein %",
                  kHeader, " at 0\nscratch_header %", kHeader,
                  "\nblock b0 depth 0\n  %0:ud = load #0x1:ud {w16}\n", loads, "  %", kExtra,
                  ":ud = load #0x1:ud {w16}\n  store %", kExtra, ":ud {w16}\n  %", kLast,
                  ":ud = load #0x1:ud {w16}\n  %", kFlag, ":ud = cmp %1:ud {w16}\n  if %", kFlag,
                  ":ud {w16 pred 1}\n  -> b1, b2\nblock b1 depth 0\n", stores,
                  "  endif {w16}\n  -> b2\nblock b2 depth 0\n", stores, "  store %0:ud {w16}\n",
                  "  store %", kLast, ":ud {w16}\n  end #0x1:ud {w16}\n");
  const Machine& t = testing::TestMachine();
  const absl::StatusOr<Function> ssa = Parse(t, text);
  ASSERT_TRUE(ssa.ok()) << ssa.status();
  ASSERT_TRUE(Verify(t, *ssa).ok()) << Verify(t, *ssa);
  const Liveness live(t, *ssa);
  Function f = *ssa;
  SpillStats stats;
  ASSERT_TRUE(SpillToFit(t, t.spills[0], &f, live, {64}, &stats).ok());
  ASSERT_EQ(stats.evictions.size(), 1u);
  EXPECT_EQ(stats.evictions[0].value, ValueId(0));
  EXPECT_EQ(stats.spills, 1u);
  EXPECT_EQ(stats.fills, 1u);
}

// Constants of a dword each, read after fifty values of two registers: recomputing them takes as
// many instructions as filling the values would take messages, and nothing is stored.
TEST(SpillTest, ConstantsLeaveBeforeWhatMustBeStored) {
  const Machine& t = testing::TestMachine();
  Function f;
  f.dispatch_width = 16;
  Builder b(f);
  b.SetBlock(b.NewBlock());
  InstFields fields;
  fields.width = 16;
  Value whole;
  whole.file = testing::kU;
  whole.comps = 8;
  whole.whole_registers = true;
  const ValueId header = b.NewValue(whole);
  f.live_ins.push_back({header, 0});
  f.scratch_header = header;
  const auto make = [&](uint8_t file, uint16_t op, uint32_t number) {
    Value v;
    v.file = file;
    const ValueId made = b.NewValue(v);
    InstFields how = fields;
    if (file == testing::kU) how.flags = kNoMask;
    b.Emit(op, how, {ValueOperand(made, 0)}, {ImmOperand(number, 0)});
    return made;
  };
  std::vector<ValueId> constants, values;
  for (uint32_t k = 0; k < 300; ++k) constants.push_back(make(testing::kU, testing::kConstOp, k));
  for (uint32_t k = 0; k < 50; ++k) values.push_back(make(testing::kG, testing::kLoadOp, k));
  for (ValueId v : values) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  for (ValueId v : constants) b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(v, 0)});
  const Function ssa = f;
  EXPECT_FALSE(Allocate(t, &f).ok());
  f = ssa;
  const auto stats = AllocateWithSpills(t, &f);
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_TRUE(CheckAllocation(t, ssa, f).ok());
  EXPECT_GT(stats->spill.repeated, 0u);
  EXPECT_EQ(stats->spill.fills, 0u);
}

}  // namespace
}  // namespace kiln::lir::ra
