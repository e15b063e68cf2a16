// The scheduler: orders stay legal, and each policy reaches its goal.
#include "core/lir/schedule/schedule.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "core/lir/build.h"
#include "core/lir/exits.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/random_program.h"
#include "core/lir/random_scalar_program.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/schedule/hoist_scheduler.h"
#include "core/lir/schedule/judge.h"
#include "core/lir/schedule/list_scheduler.h"
#include "core/lir/schedule/order_pressure.h"
#include "core/lir/testing.h"
#include "core/lir/testing_scalar.h"
#include "core/lir/verify.h"
#include "gtest/gtest.h"

namespace kiln::lir::schedule {
namespace {

using testing::TestMachine;

Function Read(const std::string& text) {
  auto f = Parse(TestMachine(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return *std::move(f);
}

std::vector<std::string> Ops(const Function& f, uint32_t block = 0) {
  std::vector<std::string> ops;
  for (InstId i : f.blocks[block].insts) {
    ops.push_back(std::string(TestMachine().ops[f.inst(i).op].name));
  }
  return ops;
}

// Prefers all exits, as prefer_exits does.
Function Preferring(Function f, const Machine& t = TestMachine()) {
  for (const Block& b : f.blocks) {
    for (InstId i : b.insts) {
      if (IsExit(t, f, i)) f.inst(i).flags |= kPreferredExit;
    }
  }
  return f;
}

// The block without its terminator, which every block of these tests has.
std::vector<InstId> BodyOf(const Function& f, uint32_t block = 0) {
  return {f.blocks[block].insts.begin(), f.blocks[block].insts.end() - 1};
}

// Returns true if `one` clobbers a pool of which `other` names a unit.
bool Clobbers(const Machine& t, const Function& f, InstId one, InstId other) {
  const auto hit = [&](const Operand& o) {
    return IsValue(o) &&
           (t.ops[f.inst(one).op].clobbers >> t.files[f.value(o.value()).file].pool & 1);
  };
  const auto defs = f.defs(other), uses = f.uses(other);
  return std::any_of(defs.begin(), defs.end(), hit) || std::any_of(uses.begin(), uses.end(), hit);
}

// Returns true if the order of two instructions matters, by definition: they touch the same unit
// (one writes), the same memory (one writes), or one of them is a barrier.
bool MustKeepOrder(const Machine& t, const Function& f, InstId a, InstId b) {
  const uint32_t fa = t.ops[f.inst(a).op].flags, fb = t.ops[f.inst(b).op].flags;
  const uint16_t memory = kOpReadsMemory | kOpWritesMemory;
  const bool same_memory = t.ops[f.inst(a).op].memory_class == t.ops[f.inst(b).op].memory_class;
  if (same_memory &&
      ((fa & kOpWritesMemory && fb & memory) || (fb & kOpWritesMemory && fa & memory))) {
    return true;
  }
  if ((fa & kOpBarrier && fb & (memory | kOpBarrier)) ||
      (fb & kOpBarrier && fa & (memory | kOpBarrier))) {
    return true;
  }
  // Memory writes before an exit stay before it, those after it stay after it.
  const uint16_t kept = kOpWritesMemory | kOpExit | kOpAcrossLanes;
  if ((fa & kOpExit && fb & kept) || (fb & kOpExit && fa & kept)) return true;
  const auto overlap = [&](const Operand& x, const Operand& y) {
    if (!IsValue(x) || !IsValue(y)) return false;
    const Value &v = f.value(x.value()), &w = f.value(y.value());
    return t.files[v.file].pool == t.files[w.file].pool &&
           x.reg < y.reg + y.comps * t.units_per_comp(f, w) &&
           y.reg < x.reg + x.comps * t.units_per_comp(f, v);
  };
  if (Clobbers(t, f, a, b) || Clobbers(t, f, b, a)) return true;
  for (const Operand& d : f.defs(a)) {
    for (const Operand& o : f.uses(b)) {
      if (overlap(d, o)) return true;
    }
    for (const Operand& o : f.defs(b)) {
      if (overlap(d, o)) return true;
    }
  }
  for (const Operand& d : f.defs(b)) {
    for (const Operand& o : f.uses(a)) {
      if (overlap(d, o)) return true;
    }
  }
  return false;
}

// Returns the SSA program in the order of the scheduled one. Instructions that the allocator
// dropped (copies, collects) are put before their first reader, and before the exits that they
// preceded, as their copies are.
Function InOrderOf(const Machine& t, const Function& ssa, const Function& done) {
  Function f = ssa;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    std::vector<InstId> insts;
    for (InstId i : done.blocks[b].insts) {
      if (i.index < ssa.insts.size()) insts.push_back(i);
    }
    const std::vector<InstId>& before = ssa.blocks[b].insts;
    for (size_t k = before.size(); k-- > 0;) {
      if (std::find(insts.begin(), insts.end(), before[k]) != insts.end()) continue;
      const uint32_t value = ssa.defs(before[k])[0].id;
      const auto from = before.begin() + static_cast<ptrdiff_t>(k);
      auto at = std::find_if(insts.begin(), insts.end(), [&](InstId i) {
        const auto reads = [&](const Operand& o) { return IsValue(o) && o.id == value; };
        const auto uses = ssa.uses(i);
        return std::any_of(uses.begin(), uses.end(), reads) ||
               (IsExit(t, ssa, i) && std::find(from, before.end(), i) != before.end());
      });
      const bool terminated =
          !insts.empty() && t.ops[ssa.inst(insts.back()).op].flags & kOpTerminator;
      if (at == insts.end() && terminated) --at;
      insts.insert(at, before[k]);
    }
    f.blocks[b].insts = insts;
  }
  return f;
}

TEST(ScheduleTest, RandomProgramsStayLegal) {
  uint32_t latency = 0, pressure = 0, balanced = 0, after = 0, checked = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.exits = seed < 120 ? 0 : 8;
    Function original = testing::RandomProgram(seed, options);
    if (seed % 4 < 2) original = Preferring(original);
    Function f = original;
    ScheduleOptions schedule_options;
    schedule_options.reserve = {seed % 3 == 0 ? 600u : 0u, 0};
    if (seed % 5 == 0) schedule_options.excess = {0, 80};
    const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, schedule_options);
    latency += stats.of(Policy::kLatency);
    pressure += stats.of(Policy::kPressure);
    balanced += stats.of(Policy::kBalanced);
    const uint32_t constrained = stats.of(Policy::kPressure) + stats.of(Policy::kBalanced);
    EXPECT_LE(stats.cycles_after, stats.cycles_before + 100000 * constrained);
    const absl::Status ok = Verify(TestMachine(), f);
    ASSERT_TRUE(ok.ok()) << ok;
    for (size_t b = 0; b < f.blocks.size(); ++b) {  // a permutation that keeps order
      std::vector<InstId> x = original.blocks[b].insts, y = f.blocks[b].insts;
      std::vector<size_t> at(f.insts.size());
      for (size_t k = 0; k < y.size(); ++k) at[y[k].index] = k;
      for (size_t i = 0; i < x.size(); ++i) {
        const uint32_t fx = TestMachine().ops[f.inst(x[i]).op].flags;
        for (size_t j = i + 1; j < x.size(); ++j) {
          const uint32_t fy = TestMachine().ops[f.inst(x[j]).op].flags;
          const uint16_t ordered = kOpWritesMemory | kOpBarrier;
          const uint16_t any = ordered | kOpReadsMemory;
          const uint16_t kept = kOpWritesMemory | kOpExit | kOpAcrossLanes;
          if ((fx & kOpExit && fy & kept) || (fy & kOpExit && fx & kept)) {
            ASSERT_LT(at[x[i].index], at[x[j].index]);
          }
          if ((fx & ordered && fy & any) || (fy & ordered && fx & any)) {
            ASSERT_LT(at[x[i].index], at[x[j].index]);
          }
        }
      }
      std::sort(x.begin(), x.end());
      std::sort(y.begin(), y.end());
      ASSERT_TRUE(x == y);
    }
    const Function ssa = f;
    if (!ra::Allocate(TestMachine(), &f).ok()) continue;
    ASSERT_TRUE(ra::CheckAllocation(TestMachine(), ssa, f).ok());
    const Function allocated = f;
    after += ScheduleAfterAllocation(TestMachine(), &f).of(Policy::kLatency);
    const Function reordered = InOrderOf(TestMachine(), ssa, f);
    // If a part of a collect is read before another part is made, no SSA program has that order.
    const absl::Status form = Verify(TestMachine(), reordered);
    if (form.message().find("L11") == std::string::npos) {
      ASSERT_TRUE(form.ok()) << "seed " << seed << ": " << form;
      const absl::Status s = ra::CheckAllocation(TestMachine(), reordered, f);
      ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s;
      ++checked;
    }
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      const std::vector<InstId>& x = allocated.blocks[b].insts;
      std::vector<size_t> at(f.insts.size());
      for (size_t k = 0; k < x.size(); ++k) at[f.blocks[b].insts[k].index] = k;
      for (size_t i = 0; i < x.size(); ++i) {
        for (size_t j = i + 1; j < x.size(); ++j) {
          if (MustKeepOrder(TestMachine(), f, x[i], x[j])) {
            ASSERT_LT(at[x[i].index], at[x[j].index]);
          }
        }
      }
    }
  }
  EXPECT_GT(latency, 0u);
  EXPECT_GT(pressure, 0u);
  EXPECT_GT(balanced, 0u);
  EXPECT_GT(after, 0u);
  EXPECT_GT(checked, 100u);
  printf("%u orders of allocated code checked\n", checked);
}

// On the machine with scalar registers: clobbers keep their order relative to values in their pool,
// accesses of one memory class pass those of another, and tied operands, saves and lane slots are
// correct in the new order.
TEST(ScheduleTest, ScalarProgramsStayLegal) {
  const Machine& t = testing::ScalarTestMachine();
  uint32_t changed = 0, after = 0, checked = 0, saved_before = 0, saved_after = 0;
  for (uint64_t seed = 0; seed < 240; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 32 : 64;
    options.exits = seed < 120 ? 0 : 8;
    options.live_ins = 3;
    const bool small = seed % 4 < 2;
    Function original = testing::RandomScalarProgram(
        seed, options, small ? 24 : testing::kVectorUnits, small ? 40 : testing::kScalarUnits);
    if (seed % 8 < 4) original = Preferring(original, t);
    Function unscheduled = original;
    const auto plain = ra::AllocateWithSpills(t, &unscheduled);
    Function f = original;
    changed += ScheduleBeforeAllocation(t, &f, {}).changed();
    ASSERT_TRUE(Verify(t, f).ok()) << Verify(t, f);
    const Function ssa = f;
    const auto stats = ra::AllocateWithSpills(t, &f);
    if (!stats.ok() || !plain.ok()) continue;
    saved_before += plain->flags_saved;
    saved_after += stats->flags_saved;
    ASSERT_TRUE(ra::CheckAllocation(t, ssa, f).ok()) << ra::CheckAllocation(t, ssa, f);
    const Function allocated = f;
    after += ScheduleAfterAllocation(t, &f).of(Policy::kLatency);
    const Function reordered = InOrderOf(t, ssa, f);
    if (Verify(t, reordered).message().find("L11") == std::string::npos) {
      const absl::Status s = ra::CheckAllocation(t, reordered, f);
      ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s;
      ++checked;
    }
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      const std::vector<InstId>& x = allocated.blocks[b].insts;
      std::vector<size_t> at(f.insts.size());
      for (size_t k = 0; k < x.size(); ++k) at[f.blocks[b].insts[k].index] = k;
      for (size_t i = 0; i < x.size(); ++i) {
        for (size_t j = i + 1; j < x.size(); ++j) {
          if (MustKeepOrder(t, f, x[i], x[j])) {
            ASSERT_LT(at[x[i].index], at[x[j].index]);
          }
        }
      }
    }
  }
  printf("%u blocks changed, %u after allocation, %u checked; flags saved %u, %u in source order\n",
         changed, after, checked, saved_after, saved_before);
  EXPECT_GT(changed, 100u);
  EXPECT_GT(after, 100u);
  EXPECT_GT(checked, 100u);
}

// Values that were moved out of the way are at home at exits in the new order as well.
TEST(ScheduleTest, WhatTheAllocatorMovedStaysOnItsSideOfAnExit) {
  const Machine& t = testing::SmallTestMachine();
  uint32_t compactions = 0, after = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    testing::RandomOptions options;
    options.exits = 12;
    options.live_ins = 3;
    options.instructions = 80;
    options.width = seed % 4 == 0 ? 8 : 16;
    options.pool_size = 6 + static_cast<int>(seed % 17);
    const Function ssa = seed % 2 == 0 ? testing::RandomProgram(seed, options)
                                       : Preferring(testing::RandomProgram(seed, options));
    Function f = ssa;
    const auto stats = ra::Allocate(t, &f);
    if (!stats.ok() || stats->compactions == 0) continue;
    compactions += stats->compactions;
    after += ScheduleAfterAllocation(t, &f).of(Policy::kLatency);
    const Function reordered = InOrderOf(t, ssa, f);
    if (Verify(t, reordered).message().find("L11") != std::string::npos) continue;
    const absl::Status s = ra::CheckAllocation(t, reordered, f);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s;
  }
  EXPECT_GT(compactions, 10u);
  EXPECT_GT(after, 10u);
  printf("%u compactions, %u blocks in another order\n", compactions, after);
}

constexpr char kLoadLate[] =
    "function test width 8\n"
    "value %0 G 4x1\n"
    "value %1 G 4x1\n"
    "value %2 G 4x1\n"
    "value %3 G 4x1\n"
    "livein %0 at 8\n"
    "block b0 depth 0\n"
    "  %1:ud = add %0:ud %0:ud {w8}\n"
    "  %2:ud = mad %1:ud %0:ud %0:ud {w8}\n"
    "  %3:ud = load %0:ud {w8}\n"
    "  store %2:ud %3:ud {w8}\n"
    "  end\n";

TEST(ScheduleTest, LatencyPolicyStartsTheLoadFirst) {
  Function f = Read(kLoadLate);
  const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, {});
  EXPECT_EQ(Ops(f), (std::vector<std::string>{"load", "add", "mad", "store", "end"}));
  EXPECT_LT(stats.cycles_after, stats.cycles_before);
}

TEST(ScheduleTest, AScheduleThatDoesNotFitIsNotTaken) {
  Function f = Read(kLoadLate);
  ScheduleOptions options;
  options.reserve = {1024 - 16, 0};  // two registers
  ScheduleBeforeAllocation(TestMachine(), &f, options);
  EXPECT_EQ(Ops(f)[0], "add");  // the load first needs three
}

// Eight additions and then eight uses; one at a time needs two registers instead of nine.
std::string AddsThenUses() {
  std::string text = "function test width 8\nvalue %0 G 4x1\n";
  for (int k = 1; k <= 8; ++k) text += "value %" + std::to_string(k) + " G 4x1\n";
  text += "livein %0 at 8\nblock b0 depth 0\n";
  for (int k = 1; k <= 8; ++k) {
    text += "  %" + std::to_string(k) + ":ud = add %0:ud #0x1:ud {w8}\n";
  }
  for (int k = 1; k <= 8; ++k) text += "  exit %" + std::to_string(k) + ":ud {w8}\n";
  return text + "  store %0:ud\n  end\n";
}

TEST(ScheduleTest, ThePressureOrderIsLeftOutOnlyWhereAllValuesFit) {
  ScheduleOptions options;
  options.fewest_live = false;
  Function f = Read(AddsThenUses());
  EXPECT_EQ(ScheduleBeforeAllocation(TestMachine(), &f, options).of(Policy::kSource), 1u);
  options.reserve = {1024 - 32, 0};  // nine registers are not there
  f = Read(AddsThenUses());
  EXPECT_EQ(ScheduleBeforeAllocation(TestMachine(), &f, options).of(Policy::kPressure), 1u);
}

TEST(ScheduleTest, PressurePolicyIsTakenOnlyIfFewerValuesAreLive) {
  Function f = Read(AddsThenUses());
  ScheduleOptions options;
  options.reserve = {1024 - 32, 0};
  const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, options);
  EXPECT_EQ(stats.of(Policy::kPressure), 1u);
  const Liveness live(TestMachine(), f);
  EXPECT_EQ(MaxPressure(TestMachine(), f, live)[0].logical, 16u);
  // Scheduled again: the order that runs ahead of that one fits as well.
  EXPECT_EQ(ScheduleBeforeAllocation(TestMachine(), &f, options).of(Policy::kPressure), 0u);
  EXPECT_LE(MaxPressure(TestMachine(), f, Liveness(TestMachine(), f))[0].logical, 32u);
}

// Eight loads, each added to a sum: one after another in the text.
std::string SumOfLoads() {
  std::string text = "function test width 8\n";
  for (int k = 0; k <= 16; ++k) text += "value %" + std::to_string(k) + " G 4x1\n";
  text += "livein %0 at 8\nblock b0 depth 0\n";
  for (int k = 0; k < 8; ++k) {
    const std::string load = "%" + std::to_string(2 * k + 1), sum = "%" + std::to_string(2 * k + 2);
    const std::string before = "%" + std::to_string(2 * k);
    text += "  " + load + ":ud = load %0:ud {w8}\n";
    text += "  " + sum + ":ud = add " + before + ":ud " + load + ":ud {w8}\n";
  }
  return text + "  store %0:ud %16:ud {w8}\n  end\n";
}

TEST(ScheduleTest, BalancedOrderRunsAheadAsFarAsRegistersAllow) {
  int64_t cycles = 0;
  for (const uint32_t registers : {3u, 5u, 6u, 10u}) {
    Function f = Read(SumOfLoads());
    ScheduleOptions options;
    options.reserve = {1024 - 8 * registers, 0};
    const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, options);
    ASSERT_TRUE(Verify(TestMachine(), f).ok());
    const Liveness live(TestMachine(), f);
    EXPECT_LE(MaxPressure(TestMachine(), f, live)[0].logical, 8 * registers);
    // The address, the sum and one load take three; ten hold all loads.
    EXPECT_EQ(stats.of(Policy::kBalanced), registers < 10 ? 1u : 0u);
    EXPECT_EQ(stats.of(Policy::kLatency), registers == 10 ? 1u : 0u);
    if (cycles != 0) {
      EXPECT_LT(stats.cycles_after, cycles) << registers;
    }
    cycles = stats.cycles_after;
    EXPECT_GE(cycles, stats.cycles_latency);
  }
}

// Sums of choices: each compares two loads, and its flag is read at once. The pressure order only
// sees that a compare makes two registers live, and delays compares until all flags are live.
std::string SumOfChoices() {
  std::string text = "function test width 8\nvalue %0 G 4x1\n", body;
  int next = 1;
  std::string sum = "%0";
  const auto value = [&](const char* shape) {
    text += "value %" + std::to_string(next) + " " + shape + "\n";
    return "%" + std::to_string(next++);
  };
  for (int k = 0; k < 6; ++k) {
    const std::string a = value("G 4x1"), b = value("G 4x1"), flag = value("F 0x1");
    const std::string choice = value("G 4x1"), before = sum;
    sum = value("G 4x1");
    body += "  " + a + ":ud = load %0:ud {w8}\n  " + b + ":ud = load %0:ud {w8}\n";
    body += "  " + flag + ":ud = cmp " + a + ":ud " + b + ":ud {w8}\n";
    body += "  " + choice + ":ud = sel %0:ud #0x1:ud " + flag + ":ud {w8 pred 1}\n";
    body += "  " + sum + ":ud = add " + before + ":ud " + choice + ":ud {w8}\n";
  }
  return text + "livein %0 at 8\nblock b0 depth 0\n" + body + "  store %0:ud " + sum +
         ":ud {w8}\n  end\n";
}

TEST(ScheduleTest, TheBalancedOrderRunsAheadOfTheOriginalOneWhereOnlyThatFits) {
  Function f = Read(SumOfChoices());
  const Function original = f;
  const Liveness live(TestMachine(), original);
  ScheduleOptions options;
  options.reserve = {1024 - 8 * 8, 0};
  const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, options);
  EXPECT_EQ(stats.of(Policy::kBalanced), 1u);
  EXPECT_EQ(stats.blocks_over, 0u);
  EXPECT_LT(stats.cycles_after, stats.cycles_before);
  const std::vector<Pressure> most = MaxPressure(TestMachine(), f, Liveness(TestMachine(), f));
  EXPECT_LE(most[0].logical, 8u * 8u);
  EXPECT_LE(most[1].logical, 4u);

  // The premise of the test: the pressure order does not fit.
  const std::vector<InstId>& insts = original.blocks[0].insts;
  const Dag dag =
      BuildDag(TestMachine(), original, absl::MakeConstSpan(insts).first(insts.size() - 1), false);
  PressureScheduler small(TestMachine(), original);
  NodeOrder order;
  std::vector<char> after(original.values.size(), 0);
  after[0] = 1;
  small.Order(dag, after, &order);
  std::vector<InstId> ordered;
  for (uint32_t n : order) ordered.push_back(dag.nodes[n].inst);
  ordered.push_back(insts.back());
  OrderPressure pressure(TestMachine(), original, live);
  EXPECT_GT(pressure.Peak(BlockId(0), ordered)[1], 4u);
}

// The guarantees of the policy: edges are kept, cycles are as EstimateCycles counts them, and no
// units exceed a limit that the base order keeps.
TEST(ScheduleTest, BalancedOrderKeepsWhatItsBaseFits) {
  int64_t base_cycles = 0, balanced_cycles = 0;
  int blocks = 0, exceeded = 0;
  const Machine& t = TestMachine();
  for (uint64_t seed = 0; seed < 100; ++seed) {
    testing::RandomOptions random;
    random.width = seed % 2 == 0 ? 8 : 16;
    Function f = testing::RandomProgram(seed, random);
    // The policy counts components that share a register separately.
    for (Value& v : f.values) v.whole_registers = false;
    const Liveness live(t, f);
    OrderPressure pressure(t, f, live);
    PressureScheduler small(t, f);
    HoistScheduler hoist(t, f);
    for (size_t b = 0; b < f.blocks.size(); ++b) {
      std::vector<InstId> body = f.blocks[b].insts;
      const InstId last = body.empty() ? InstId() : body.back();
      const bool ends = !body.empty() && (t.ops[f.inst(last).op].flags & kOpTerminator) != 0;
      if (ends) body.pop_back();
      if (body.size() < 2 || body.size() > kMaxWindow) continue;
      const Dag dag = BuildDag(t, f, body, false);
      // Marks all values needed after the block, possibly also some that the block does not define.
      std::vector<char> after(f.values.size(), 0);
      live.live_out(BlockId(b)).for_each([&](size_t g) {
        after[live.slot_value(live.global_slot(static_cast<uint32_t>(g))).index] = 1;
      });
      for (const Edge& e : f.blocks[b].succs) {
        for (const Operand& o : f.args(e)) {
          if (IsValue(o)) after[o.id] = 1;
        }
      }
      if (ends) {
        for (const Operand& o : f.uses(last)) {
          if (IsValue(o)) after[o.id] = 1;
        }
      }
      const auto profile = [&](const NodeOrder& order) {
        std::vector<InstId> insts;
        for (uint32_t n : order) insts.push_back(dag.nodes[n].inst);
        if (ends) insts.push_back(last);
        return pressure.Profile(BlockId(b), insts);
      };
      NodeOrder base(body.size()), order;
      std::iota(base.begin(), base.end(), 0);
      if (seed % 4 < 2) small.Order(dag, after, &base);
      const PressureProfile before = profile(base);
      std::vector<int64_t> limit;
      for (size_t p = 0; p < before.size(); ++p) {
        const int64_t peak = *std::max_element(before[p].begin(), before[p].end());
        limit.push_back(peak + static_cast<int64_t>(seed % 3) * 16);
      }
      const int cycles = hoist.Order(dag, Exits::kFirst, base, before, limit, after, &order);
      ASSERT_EQ(cycles, EstimateCycles(dag, order));
      std::vector<uint32_t> place(order.size());
      for (uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
      for (uint32_t n = 0; n < order.size(); ++n) {
        for (const DagEdge& e : dag.children(n)) ASSERT_LT(place[n], place[e.to]);
      }
      ++blocks;
      const PressureProfile after_it = profile(order);
      for (size_t p = 0; p < limit.size(); ++p) {
        exceeded += *std::max_element(after_it[p].begin(), after_it[p].end()) > limit[p];
      }
      base_cycles += EstimateCycles(dag, base);
      balanced_cycles += cycles;
    }
  }
  EXPECT_LT(balanced_cycles, base_cycles * 9 / 10);
  EXPECT_GT(blocks, 1000);
  EXPECT_EQ(exceeded, 0);
}

// Messages with four registers of results each, whose addresses could all be computed at once. As
// many are in flight as there are registers for; addresses of later ones do not take those.
TEST(ScheduleTest, WhatIsReadyEarlyLeavesTheRegistersThatMessagesClaim) {
  constexpr int kLoads = 40, kRegisters = 16;  // the address of all, the sum, three results
  std::string text = "function test width 8\nvalue %0 G 4x1\n";
  for (int k = 1; k <= 4 * kLoads; ++k) {
    text += "value %" + std::to_string(k) + (k % 4 == 2 ? " G 4x4\n" : " G 4x1\n");
  }
  text += "livein %0 at 8\nblock b0 depth 0\n";
  for (int k = 0; k < kLoads; ++k) {
    const auto value = [&](int n) { return "%" + std::to_string(4 * k + n); };
    text += "  " + value(1) + ":ud = mad %0:ud %0:ud %0:ud {w8}\n";
    text += "  " + value(2) + "x4:ud = load " + value(1) + ":ud {w8}\n";
    const std::string l = value(2);
    const std::string c[] = {l + ":ud ", l + ".1:ud ", l + ".2:ud ", l + ".3:ud "};
    text += "  " + value(3) + ":ud = mad " + value(0) + ":ud " + c[0] + c[1] + "{w8}\n";
    text += "  " + value(4) + ":ud = mad " + value(3) + ":ud " + c[2] + c[3] + "{w8}\n";
  }
  text += "  store %0:ud %" + std::to_string(4 * kLoads) + ":ud {w8}\n  end\n";
  Function f = Read(text);
  ASSERT_TRUE(Verify(TestMachine(), f).ok()) << Verify(TestMachine(), f);
  const int latency = TestMachine().timing(TestMachine(), f, f.blocks[0].insts[1]).latency;
  ScheduleOptions options;
  options.reserve = {1024 - 8 * kRegisters, 0};
  const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, options);
  EXPECT_EQ(stats.of(Policy::kBalanced), 1u);
  EXPECT_LE(MaxPressure(TestMachine(), f, Liveness(TestMachine(), f))[0].logical, 8u * kRegisters);
  EXPECT_LT(stats.cycles_after, kLoads * latency / 3 * 5 / 4);
}

// Bottom up, computing an address seems to cost more than the next sum, since it needs the three
// shared values; so the pressure order computes all addresses first, and they do not fit.
TEST(ScheduleTest, BalancedOrdersStartFromTheOriginalOrderWhereThePressureOrderDoesNotFit) {
  constexpr int kLoads = 20, kRegisters = 9;
  std::string text = "function test width 8\nvalue %0 G 4x1\nvalue %1 G 4x3\n";
  for (int k = 0; k <= 3 * kLoads; ++k) text += "value %" + std::to_string(k + 2) + " G 4x1\n";
  text += "livein %0 at 8\nblock b0 depth 0\n  %1x3:ud = load %0:ud {w8}\n";
  text += "  %2:ud = add %0:ud %0:ud {w8}\n";
  for (int k = 0; k < kLoads; ++k) {
    const auto value = [&](int n) { return "%" + std::to_string(3 * k + 2 + n) + ":ud"; };
    text += "  " + value(1) + " = mad %1:ud %1.1:ud %1.2:ud {w8}\n";
    text += "  " + value(2) + " = load " + value(1) + " {w8}\n";
    text += "  " + value(3) + " = add " + value(0) + " " + value(2) + " {w8}\n";
  }
  text += "  store %0:ud %" + std::to_string(3 * kLoads + 2) + ":ud {w8}\n  end\n";
  Function f = Read(text);
  ASSERT_TRUE(Verify(TestMachine(), f).ok()) << Verify(TestMachine(), f);
  const Liveness live(TestMachine(), f);
  const Dag dag = BuildDag(TestMachine(), f, BodyOf(f), false);
  NodeOrder small;
  PressureScheduler(TestMachine(), f).Order(dag, std::vector<char>(f.values.size()), &small);
  std::vector<InstId> insts;
  for (uint32_t n : small) insts.push_back(dag.nodes[n].inst);
  insts.push_back(f.blocks[0].insts.back());
  EXPECT_GT(OrderPressure(TestMachine(), f, live).Peak(BlockId(0), insts)[0], 8u * kRegisters);
  ScheduleOptions options;
  options.reserve = {1024 - 8 * kRegisters, 0};
  const ScheduleStats stats = ScheduleBeforeAllocation(TestMachine(), &f, options);
  EXPECT_EQ(stats.of(Policy::kBalanced), 1u);
  EXPECT_EQ(stats.blocks_over, 0u);
  EXPECT_LT(stats.cycles_after, stats.cycles_before / 2);
}

TEST(ScheduleTest, WhatExceedsTheRegistersLessIsBetterThanWhatIsFaster) {
  const PoolLimit limits[] = {{.units = 100, .size = 1024}, {.units = 4, .size = 4}};
  const Merit m = MeritOf({130, 2}, limits, 7);
  EXPECT_EQ(m.over, 30);
  EXPECT_EQ(m.peak, 130 + 512);
  EXPECT_FALSE(m.fits);
  EXPECT_TRUE(MeritOf({100, 4}, limits, 7).fits);
  EXPECT_EQ(MeritOf({130, 6}, limits, 7).over, 30 + 512);
  EXPECT_TRUE(Better({.over = 0, .cycles = 100, .peak = 5}, {.over = 1, .cycles = 10, .peak = 1}));
  EXPECT_TRUE(Better({.over = 1, .cycles = 10, .peak = 5}, {.over = 1, .cycles = 11, .peak = 1}));
  EXPECT_TRUE(Better({.over = 1, .cycles = 10, .peak = 1}, {.over = 1, .cycles = 10, .peak = 5}));
}

TEST(ScheduleTest, WhatIsSavedInOtherRegistersCostsCycles) {
  const PoolLimit limits[] = {{.units = 100, .size = 1024}, {.units = 4, .size = 4, .excess = 80}};
  const Merit saved = MeritOf({100, 6}, limits, 7);
  EXPECT_EQ(saved.over, 0);
  EXPECT_EQ(saved.cycles, 7 + 160);
  EXPECT_FALSE(saved.fits);
  // No cycles are charged where other values are spilled.
  const Merit both = MeritOf({130, 6}, limits, 7);
  EXPECT_EQ(both.over, 30 + 512);
  EXPECT_EQ(both.cycles, 7);
}

TEST(ScheduleTest, OthersGoWhileAUnitIsBusy) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = load %0:ud {w8}\n"
      "  %2:ud = load %0:ud {w8}\n"
      "  %3:ud = add %0:ud %0:ud {w8}\n"
      "  exit %3:ud {w8}\n"
      "  store %1:ud %2:ud {w8}\n"
      "  end\n");
  const std::vector<InstId> body(f.blocks[0].insts.begin(), f.blocks[0].insts.begin() + 3);
  const Dag dag = BuildDag(TestMachine(), f, body, false);
  NodeOrder order;
  const int cycles = LatencyScheduler().Order(dag, Exits::kFirst, &order);
  EXPECT_EQ(order, (NodeOrder{0, 2, 1}));
  EXPECT_EQ(cycles, EstimateCycles(dag, order));
  EXPECT_EQ(EstimateCycles(dag, {0, 1, 2}), testing::kTestLoadBusy + 2 + 2);
  EXPECT_EQ(EstimateCycles(dag, {0, 2, 1}), testing::kTestLoadBusy + 2);
}

// As TestMachine(), but stores and the end of the program are messages to one unit, which each
// occupies for a hundred cycles.
Machine WithBusyStores() {
  Machine t = TestMachine();
  t.timing = [](const Machine&, const Function& f, InstId id) {
    Timing timing = TestMachine().timing(TestMachine(), f, id);
    const uint32_t flags = TestMachine().ops[f.inst(id).op].flags;
    if ((flags & (kOpWritesMemory | kOpTerminator)) == 0) return timing;
    timing.unit = 2;
    timing.busy = 100;
    return timing;
  };
  return t;
}

TEST(ScheduleTest, WhatTheTerminatorsUnitIsBusyWithComesFirst) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = add %0:ud %0:ud {w8}\n"
      "  %2:ud = add %1:ud %1:ud {w8}\n"
      "  %3:ud = add %0:ud %0:ud {w8}\n"
      "  store %3:ud %3:ud {w8}\n"
      "  end\n");
  const Machine t = WithBusyStores();
  const std::vector<InstId>& insts = f.blocks[0].insts;
  const std::vector<InstId> body(insts.begin(), insts.end() - 1);
  const auto first_of = [&](InstId terminator, int* cycles) {
    Dag dag;
    DagBuilder(t, f, false).Build(body, terminator, &dag);
    NodeOrder order;
    *cycles = LatencyScheduler().Order(dag, Exits::kIgnored, &order);
    EXPECT_EQ(*cycles, EstimateCycles(dag, order));
    return order.front();
  };
  int with = 0, without = 0;
  EXPECT_EQ(first_of(insts.back(), &with), 2u);
  EXPECT_EQ(first_of(InstId(), &without), 0u);
  EXPECT_EQ(with, 14 + 100);  // the add, then the unit's time
  EXPECT_LT(without, 2 * 14);

  // The second of two stores waits for the first one's unit: the operand of the first is urgent.
  Function two = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = add %0:ud %0:ud {w8}\n"
      "  %2:ud = add %0:ud %0:ud {w8}\n"
      "  store %2:ud %2:ud {w8}\n"
      "  store %1:ud %1:ud {w8}\n");
  const Dag dag = BuildDag(t, two, two.blocks[0].insts, false);
  EXPECT_EQ(dag.nodes[1].delay, dag.nodes[0].delay + 100);
  NodeOrder order;
  LatencyScheduler().Order(dag, Exits::kIgnored, &order);
  EXPECT_EQ(order.front(), 1u);
}

TEST(ScheduleTest, ExitsComeFirstAndOnlyWhereTheyArePreferred) {
  const std::string head =
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = load %0:ud {w8}\n"
      "  %2:ud = mad %1:ud %0:ud %0:ud {w8}\n"
      "  %3:ud = add %0:ud %0:ud {w8}\n";
  const std::string tail = "  store %2:ud %3:ud {w8}\n  end\n";
  const auto first = [&](const Function& f) {
    NodeOrder order;
    LatencyScheduler().Order(BuildDag(TestMachine(), f, BodyOf(f), false), Exits::kFirst, &order);
    return order[0];
  };
  const Function f = Read(head + "  exit %3:ud {w8}\n" + tail);
  EXPECT_EQ(first(Preferring(f)), 2u);  // the add that the exit waits for, before the long load
  // Without an exit, and without a preferred one, the long path goes first.
  EXPECT_EQ(first(f), 0u);
  EXPECT_EQ(first(Read(head + tail)), 0u);
}

// Two exits at different depths. The far one comes after the near one, since exits keep their
// order.
constexpr char kTwoDepths[] =
    "  %1:ud = load %0:ud {w8}\n"             // 0: for the store alone
    "  %2:ud = mad %0:ud %0:ud %0:ud {w8}\n"  // 1: for the far exit
    "  %3:ud = mad %2:ud %0:ud %0:ud {w8}\n"  // 2: the same
    "  %4:ud = add %0:ud %0:ud {w8}\n"        // 3: for the near exit
    "  exit %4:ud {w8 preferred}\n"           // 4
    "  exit %3:ud {w8 preferred}\n"           // 5
    "  store %1:ud %4:ud {w8}\n";             // 6

std::string TwoDepths() {
  std::string text = "function test width 8\n";
  for (int k = 0; k < 5; ++k) text += "value %" + std::to_string(k) + " G 4x1\n";
  return text + "livein %0 at 8\nexit_block b1\nblock b0 depth 0\n" + kTwoDepths +
         "  -> b1\nblock b1 depth 0\n  end\n";
}

// Top down the earliest issue of each exit, bottom up the earliest of the exits that depend on a
// node; infinite if there is none.
TEST(ScheduleTest, ExitTimesAreThoseOfTheFirstExitAfterANode) {
  const Function f = Read(TwoDepths());
  ASSERT_TRUE(Verify(TestMachine(), f).ok()) << Verify(TestMachine(), f);
  const Dag dag = BuildDag(TestMachine(), f, f.blocks[0].insts, false);
  std::vector<int> times;
  for (const DagNode& n : dag.nodes) times.push_back(n.exit_unblocked_time);
  constexpr int kNear = 14, kFar = 18 + 18;  // after an add; after two multiply-adds
  EXPECT_EQ(times, (std::vector<int>{kNoExit, kFar, kFar, kNear, kNear, kFar, kNoExit}));
  NodeOrder order;
  LatencyScheduler().Order(dag, Exits::kFirst, &order);
  EXPECT_EQ(order, (NodeOrder{3, 4, 1, 2, 5, 0, 6}));
  // If only the far one is preferred, the near one, which comes before it, has its time.
  Function g = f;
  g.inst(f.blocks[0].insts[4]).flags = 0;
  const Dag far = BuildDag(TestMachine(), g, g.blocks[0].insts, false);
  EXPECT_EQ(far.nodes[3].exit_unblocked_time, kFar);
  EXPECT_EQ(far.nodes[4].exit_unblocked_time, kFar);
  EXPECT_EQ(far.nodes[0].exit_unblocked_time, kNoExit);
}

// Each block counts only its own exits, not those of later or earlier blocks.
TEST(ScheduleTest, ExitTimesOfSeveralBlocks) {
  const std::string body =
      "  %A:ud = load %0:ud {w8}\n"
      "  %B:ud = add %0:ud %0:ud {w8}\n";
  const auto named = [&](const std::string& a, const std::string& b) {
    std::string text = body;
    text.replace(text.find("%A"), 2, a);
    return text.replace(text.find("%B"), 2, b);
  };
  std::string text = "function test width 8\n";
  for (int k = 0; k < 7; ++k) text += "value %" + std::to_string(k) + " G 4x1\n";
  text += "value %7 F 0x1\nlivein %0 at 8\nexit_block b3\nblock b0 depth 0\n" + named("%1", "%2") +
          "  exit %2:ud {w8}\n  store %1:ud {w8}\n  %7:ud = cmp %0:ud {w8}\n"
          "  if %7:ud {w8 pred 1}\n  -> b1, b2\n"
          "block b1 depth 0\n" +
          named("%3", "%4") +
          "  store %3:ud %4:ud {w8}\n  endif\n  -> b2\n"
          "block b2 depth 0\n" +
          named("%5", "%6") +
          "  exit %6:ud {w8}\n  store %5:ud {w8}\n  -> b3\n"
          "block b3 depth 0\n  end\n";
  const Function f = Read(text), preferring = Preferring(f);
  ASSERT_TRUE(Verify(TestMachine(), preferring).ok()) << Verify(TestMachine(), preferring);
  for (uint32_t b = 0; b < 3; ++b) {
    const Dag dag = BuildDag(TestMachine(), preferring, BodyOf(f, b), false);
    EXPECT_EQ(dag.nodes[0].exit_unblocked_time, kNoExit) << b;
    EXPECT_EQ(dag.nodes[1].exit_unblocked_time, b == 1 ? kNoExit : 14) << b;
    NodeOrder order;
    LatencyScheduler().Order(dag, Exits::kFirst, &order);
    EXPECT_EQ(order[0], b == 1 ? 0u : 1u) << b;
  }
}

// The latency policy as its comment describes it, looking at all nodes each time.
NodeOrder PlainLatencyOrder(const Dag& dag, Exits exits) {
  std::vector<uint32_t> parents;
  for (const DagNode& n : dag.nodes) parents.push_back(n.num_parents);
  std::vector<int> unblocked(dag.nodes.size());
  std::vector<char> taken(dag.nodes.size());
  int free[kTimingUnits] = {};
  int now = 0;
  NodeOrder order;
  while (order.size() < dag.nodes.size()) {
    std::tuple<int, int, int, uint32_t> best(kNoExit, kNoExit, 0, 0);
    bool any = false;
    for (uint32_t n = 0; n < dag.nodes.size(); ++n) {
      if (parents[n] != 0 || taken[n]) continue;
      const DagNode& node = dag.nodes[n];
      const int time = unblocked[n] > now ? unblocked[n] : std::max(now, free[node.unit]);
      const int exit = exits == Exits::kIgnored ? kNoExit : node.exit_unblocked_time;
      const std::tuple<int, int, int, uint32_t> key(exits == Exits::kFirst ? exit : time,
                                                    exits == Exits::kFirst ? time : exit,
                                                    -node.delay, n);
      if (!any || key < best) best = key;
      any = true;
    }
    const uint32_t n = std::get<3>(best);
    taken[n] = 1;
    order.push_back(n);
    const int issue = std::max({now, unblocked[n], free[dag.nodes[n].unit]});
    now = issue + dag.nodes[n].issue;
    free[dag.nodes[n].unit] = issue + dag.nodes[n].busy;
    for (const DagEdge& e : dag.children(n)) {
      unblocked[e.to] = std::max(unblocked[e.to], issue + e.latency);
      --parents[e.to];
    }
  }
  return order;
}

// Without preferred exits the order is that of a scheduler that ignores exits, in programs with and
// without them; graph, longest paths, the pressure order and the code itself never depend on the
// preference.
TEST(ScheduleTest, PreferringChangesNothingButTheLatencyOrderOfBlocksWithExits) {
  const Machine& t = TestMachine();
  int blocks = 0, changed[3] = {};
  for (uint64_t seed = 0; seed < 120; ++seed) {
    testing::RandomOptions options;
    options.width = seed % 2 == 0 ? 8 : 16;
    options.exits = seed % 3 == 0 ? 0 : 12;
    const Function f = testing::RandomProgram(seed, options), g = Preferring(f);
    if (options.exits == 0) {
      EXPECT_EQ(Print(t, f), Print(t, g));
    }
    PressureScheduler pressure(t, f);
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      const std::vector<InstId>& insts = f.blocks[b].insts;
      if (insts.size() > kMaxWindow) continue;
      const Dag plain = BuildDag(t, f, insts, false), preferring = BuildDag(t, g, insts, false);
      bool any = false;
      for (uint32_t n = 0; n < insts.size(); ++n) {
        EXPECT_EQ(plain.nodes[n].exit_unblocked_time, kNoExit);
        EXPECT_EQ(plain.nodes[n].delay, preferring.nodes[n].delay);
        any |= preferring.nodes[n].exit_unblocked_time != kNoExit;
        const auto x = plain.children(n), y = preferring.children(n);
        ASSERT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end(),
                               [](const DagEdge& v, const DagEdge& w) {
                                 return v.to == w.to && v.latency == w.latency;
                               }));
      }
      NodeOrder order, with;
      for (const Exits exits : {Exits::kFirst, Exits::kAmongReady, Exits::kIgnored}) {
        LatencyScheduler().Order(plain, exits, &order);
        ASSERT_EQ(order, PlainLatencyOrder(plain, Exits::kIgnored));
        const int cycles = LatencyScheduler().Order(preferring, exits, &with);
        ASSERT_EQ(with, PlainLatencyOrder(preferring, exits));
        EXPECT_EQ(cycles, EstimateCycles(preferring, with));
        EXPECT_EQ(preferring.has_exits, any);
        const bool changes = order != with;
        EXPECT_TRUE(!changes || (any && exits != Exits::kIgnored));
        changed[static_cast<int>(exits)] += changes;
      }
      blocks += any;
      const std::vector<char> nothing(f.values.size(), 0);
      NodeOrder small, small_with;
      pressure.Order(plain, nothing, &small);
      pressure.Order(preferring, nothing, &small_with);
      EXPECT_EQ(small, small_with);
    }
  }
  EXPECT_GT(blocks, 200);
  EXPECT_GT(changed[0], 50);
  EXPECT_GT(changed[1], 50);
  printf("%d blocks with preferred exits, in another order %d first, %d among ready\n", blocks,
         changed[0], changed[1]);
}

// No block exceeds the registers because of the preference: if the preferring order does not fit,
// or takes more cycles than an early exit is worth, the block has the same order as without it.
TEST(ScheduleTest, PreferringYieldsToRegisters) {
  const Machine& t = TestMachine();
  int only_preferring_exceeds = 0, changed = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    testing::RandomOptions options;
    options.exits = 12;
    options.instructions = 160;
    const Function plain = testing::RandomProgram(seed, options);
    const Liveness live(t, plain);
    OrderPressure pressure(t, plain, live);
    const auto peak = [&](uint32_t b, const Function& f) {
      return int64_t{pressure.Peak(BlockId(b), f.blocks[b].insts)[0]};
    };
    const Function f = plain, g = Preferring(plain);
    // The latency orders alone, whether or not they fit.
    Function fast[2] = {f, g};
    int64_t worst = 0;
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      for (Function& p : fast) {
        std::vector<InstId>& insts = p.blocks[b].insts;
        const bool ends = !insts.empty() && (t.ops[p.inst(insts.back()).op].flags & kOpTerminator);
        const size_t length = insts.size() - (ends ? 1 : 0);
        ASSERT_LE(length, kMaxWindow);
        const Dag dag = BuildDag(t, p, absl::MakeConstSpan(insts).first(length), false);
        NodeOrder order;
        LatencyScheduler().Order(dag, Exits::kFirst, &order);
        for (size_t k = 0; k < length; ++k) insts[k] = dag.nodes[order[k]].inst;
      }
      worst = std::max(worst, peak(b, fast[0]));
    }
    for (const int percent : {100, 80, 60}) {
      const int64_t limit = worst * percent / 100;
      ScheduleOptions tight;
      tight.reserve = {static_cast<uint32_t>(int64_t{FreeUnits(t, f, 0)} - limit), 0};
      Function without = f, with = g;
      const ScheduleStats stats_without = ScheduleBeforeAllocation(t, &without, tight);
      const ScheduleStats stats = ScheduleBeforeAllocation(t, &with, tight);
      EXPECT_LE(stats.blocks_over, stats_without.blocks_over) << seed;
      for (uint32_t b = 0; b < f.blocks.size(); ++b) {
        only_preferring_exceeds += peak(b, fast[1]) > limit && peak(b, fast[0]) <= limit;
        EXPECT_LE(peak(b, with), std::max(limit, peak(b, without))) << seed << " block " << b;
        changed += with.blocks[b].insts != without.blocks[b].insts;
      }
    }
  }
  EXPECT_GT(only_preferring_exceeds, 10);
  EXPECT_GT(changed, 100);
  printf("%d blocks whose preferring order would not fit, %d in another order\n",
         only_preferring_exceeds, changed);
}

// The machine of these tests, on which cycles after an exit count half.
Machine WithEarlyExits() {
  Machine t = TestMachine();
  t.timing = [](const Machine&, const Function& f, InstId i) {
    Timing timing = TestMachine().timing(TestMachine(), f, i);
    if (IsExit(TestMachine(), f, i)) timing.percent_after = 50;
    return timing;
  };
  return t;
}

// Waiting for the exit would delay the long load too: the model says that it is not worth it.
TEST(ScheduleTest, AnExitIsNotPreferredWhereThatCostsMoreThanItIsWorth) {
  const Function f = Preferring(
      Read("function test width 8\nvalue %0 G 4x1\nvalue %1 G 4x1\nvalue %2 G 4x1\nvalue %3 G 4x1\n"
           "livein %0 at 8\nexit_block b1\nblock b0 depth 0\n"
           "  %1:ud = add %0:ud %0:ud {w8}\n"
           "  %2:ud = add %1:ud %1:ud {w8}\n"
           "  exit %2:ud {w8}\n"
           "  %3:ud = load %0:ud {w8}\n"
           "  store %3:ud {w8}\n"
           "  -> b1\nblock b1 depth 0\n  end\n"));
  const Machine half = WithEarlyExits();
  const auto cycles = [&](const Machine& t, const Function& in, const NodeOrder& order) {
    return EstimateCycles(BuildDag(t, in, in.blocks[0].insts, false), order);
  };
  const NodeOrder exit_first = {0, 1, 2, 3, 4}, load_first = {3, 0, 1, 2, 4};
  // Two adds, then the issue of the exit; a load and the issue of the store.
  constexpr int kExit = 14 + 14 + 2, kLoad = 200 + 2;
  EXPECT_EQ(cycles(TestMachine(), f, exit_first), kExit + kLoad);
  EXPECT_EQ(cycles(half, f, exit_first), kExit + kLoad / 2);
  EXPECT_EQ(cycles(half, f, load_first), kExit + 2 + (kLoad - kExit - 2) / 2);
  Function unpreferred = f;
  for (Inst& inst : unpreferred.insts) inst.flags &= static_cast<uint8_t>(~kPreferredExit);
  EXPECT_EQ(cycles(half, unpreferred, exit_first), kExit + kLoad);
  for (const Machine* t : {&TestMachine(), &half}) {
    Function g = f;
    ScheduleBeforeAllocation(*t, &g, {});
    const std::vector<std::string> ops = Ops(g);
    EXPECT_LT(std::find(ops.begin(), ops.end(), "load"), std::find(ops.begin(), ops.end(), "exit"));
  }
}

// Many other nodes could issue before the exit, and no node waits for it: it issues at once.
TEST(ScheduleTest, AnExitThatCostsNothingIsPreferred) {
  constexpr int kOthers = 40;
  std::string text = "function test width 8\nvalue %0 G 4x1\nvalue %1 G 4x1\n";
  std::string body, payload;
  for (int k = 0; k < kOthers; ++k) {
    const std::string a = "%" + std::to_string(2 * k + 2), b = "%" + std::to_string(2 * k + 3);
    text += "value " + a + " G 4x1\nvalue " + b + " G 4x1\n";
    body += "  " + a + ":ud = mad %0:ud %0:ud %0:ud {w8}\n";
    body += "  " + b + ":ud = mad " + a + ":ud %0:ud %0:ud {w8}\n";
    payload += " " + b + ":ud";
  }
  text += "livein %0 at 8\nexit_block b1\nblock b0 depth 0\n" + body +
          "  %1:ud = add %0:ud %0:ud {w8}\n  exit %1:ud {w8}\n  store" + payload +
          " {w8}\n  -> b1\nblock b1 depth 0\n  end\n";
  const Machine half = WithEarlyExits();
  const auto place = [&](Function f) {
    const ScheduleStats stats = ScheduleBeforeAllocation(half, &f, {});
    EXPECT_EQ(stats.of(Policy::kLatency), 1u);
    const std::vector<std::string> ops = Ops(f);
    return std::find(ops.begin(), ops.end(), "exit") - ops.begin();
  };
  EXPECT_GT(place(Read(text)), kOthers);
  EXPECT_LE(place(Preferring(Read(text))), 14 / 2);
}

// Two exits in one block. Loads and a lane's own arithmetic may pass them either way; stores,
// operations that count lanes, and values that the exit block reads for all lanes may not.
TEST(ScheduleTest, CodeMovesAcrossExitsWhereNoResultChanges) {
  const Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 F 0x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "value %4 U 4x1\n"
      "value %5 U 4x1\n"
      "value %6 U 4x1\n"
      "livein %0 at 8\n"
      "exit_block b1\n"
      "block b0 depth 0\n"
      "  %4:ud = const #0x1:ud {nomask}\n"      // 0: read in the exit block
      "  %1:ud = cmp %0:ud {w8}\n"              // 1
      "  %5:ud = ballot %1:ud {w8}\n"           // 2
      "  store %0:ud {w8}\n"                    // 3
      "  exit %1:ud {w8 pred 1}\n"              // 4
      "  %2:ud = load %0:ud {w8}\n"             // 5
      "  %3:ud = add %0:ud %0:ud {w8}\n"        // 6
      "  exit %1:ud {w8 pred 1}\n"              // 7
      "  %6:ud = ballot %1:ud {w8}\n"           // 8
      "  store %2:ud %3:ud %5:ud %6:ud {w8}\n"  // 9
      "  -> b1\n"
      "block b1 depth 0\n"
      "  end %4:ud\n");
  ASSERT_TRUE(Verify(TestMachine(), f).ok()) << Verify(TestMachine(), f);
  const Dag dag = BuildDag(TestMachine(), f, f.blocks[0].insts, false);
  const auto before = [&](uint32_t a, uint32_t b) {  // must a be before b?
    std::vector<char> after(dag.nodes.size());
    after[a] = 1;
    for (uint32_t n = a; n < dag.nodes.size(); ++n) {
      for (const DagEdge& e : dag.children(n)) after[e.to] |= after[n];
    }
    return after[b] != 0;
  };
  for (uint32_t exit : {4u, 7u}) {
    for (uint32_t earlier : {0u, 2u, 3u}) EXPECT_TRUE(before(earlier, exit)) << earlier;
    for (uint32_t later : {8u, 9u}) EXPECT_TRUE(before(exit, later)) << later;
    for (uint32_t free : {5u, 6u}) {
      EXPECT_FALSE(before(free, exit)) << free;
      EXPECT_FALSE(before(exit, free)) << free;
    }
  }
  EXPECT_TRUE(before(4, 7));
}

TEST(ScheduleTest, FixedRegistersThatAreReadKeepTheirOrder) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  $7:ud = add %0:ud %0:ud {w8}\n"
      "  %1:ud = add $7:ud %0:ud {w8}\n"
      "  $7:ud = mad %0:ud %0:ud %0:ud {w8}\n"
      "  %2:ud = add $7:ud %0:ud {w8}\n"
      "  $null:ud = add %0:ud %0:ud {w8}\n"
      "  $null:ud = add %0:ud %0:ud {w8}\n"
      "  end\n");
  const std::vector<InstId> body(f.blocks[0].insts.begin(), f.blocks[0].insts.end() - 1);
  const Dag dag = BuildDag(TestMachine(), f, body, false);
  EXPECT_EQ(dag.nodes[0].num_parents, 0u);
  EXPECT_EQ(dag.nodes[1].num_parents, 1u);
  EXPECT_EQ(dag.nodes[2].num_parents, 2u);
  EXPECT_EQ(dag.nodes[3].num_parents, 1u);
  EXPECT_EQ(dag.nodes[4].num_parents + dag.nodes[5].num_parents, 0u);
}

TEST(ScheduleTest, OrderedReadsKeepTheirOrder) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "value %3 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  %1:ud = ordered_load %0:ud {w8}\n"
      "  %2:ud = load %0:ud {w8}\n"
      "  %3:ud = ordered_load %0:ud {w8}\n"
      "  store %0:ud %0:ud {w8}\n"
      "  end\n");
  const std::vector<InstId> body(f.blocks[0].insts.begin(), f.blocks[0].insts.end() - 1);
  const Dag dag = BuildDag(TestMachine(), f, body, false);
  EXPECT_EQ(dag.nodes[0].num_parents, 0u);
  EXPECT_EQ(dag.nodes[1].num_parents, 0u);
  EXPECT_EQ(dag.nodes[2].num_parents, 1u);
  EXPECT_EQ(dag.nodes[3].num_parents, 3u);
}

// A load of what nothing writes may pass stores and barriers; its result still has a latency.
TEST(ScheduleTest, UnorderedReadsHaveNoOrder) {
  Function f = Read(
      "function test width 8\n"
      "value %0 G 4x1\n"
      "value %1 G 4x1\n"
      "value %2 G 4x1\n"
      "livein %0 at 8\n"
      "block b0 depth 0\n"
      "  store %0:ud %0:ud {w8}\n"
      "  %1:ud = load %0:ud {w8}\n"
      "  %2:ud = load %0:ud {w8 unordered}\n"
      "  store %1:ud %2:ud {w8}\n"
      "  end\n");
  const std::vector<InstId> body(f.blocks[0].insts.begin(), f.blocks[0].insts.end() - 1);
  const Dag dag = BuildDag(TestMachine(), f, body, false);
  EXPECT_EQ(dag.nodes[1].num_parents, 1u);
  EXPECT_EQ(dag.nodes[2].num_parents, 0u);
  EXPECT_NE(Print(TestMachine(), f).find("unordered"), std::string::npos);
}

TEST(ScheduleTest, LongBlocksAreCutIntoWindows) {
  Function f;
  f.dispatch_width = 8;
  Builder b(f);
  b.SetBlock(b.NewBlock());
  InstFields fields;
  fields.width = 8;
  ValueId last;
  for (int k = 0; k < 3000; ++k) {
    const ValueId v = b.NewValue(Value());
    b.Emit(testing::kAddOp, fields, {ValueOperand(v, 0)},
           {last.valid() ? ValueOperand(last, 0) : ImmOperand(1, 0), ImmOperand(2, 0)});
    const ValueId w = b.NewValue(Value());
    b.Emit(testing::kLoadOp, fields, {ValueOperand(w, 0)}, {ValueOperand(v, 0)});
    b.Emit(testing::kStoreOp, fields, {}, {ValueOperand(w, 0)});
    last = v;
  }
  b.Emit(testing::kEndOp, fields, {}, {});
  const std::string before = Print(TestMachine(), f);
  ScheduleBeforeAllocation(TestMachine(), &f, {});
  EXPECT_TRUE(Verify(TestMachine(), f).ok());
  EXPECT_EQ(f.blocks[0].insts.size(), 9001u);
}

}  // namespace
}  // namespace kiln::lir::schedule
