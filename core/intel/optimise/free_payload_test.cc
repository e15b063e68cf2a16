// Tests of free_payload (see passes.h) through its users, liveness and allocation.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/abi/abi.h"
#include "core/intel/abi/width_abi.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/intel/select/select.h"
#include "core/lir/liveness.h"
#include "core/lir/parse.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/verify.h"
#include "core/mir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

constexpr uint32_t kDwords = 8;  // units of a register
constexpr uint32_t kRegisters = 128;

const lir::Machine& T() { return MachineOf(Tgl()); }

lir::Function Read(const std::string& text) {
  absl::StatusOr<lir::Function> f = lir::Parse(T(), text);
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *std::move(f) : lir::Function();
}

// Holds `payload` registers from r0 on, and frees them if `free` is set.
lir::Function Held(lir::Function f, uint32_t payload, bool free) {
  HoldPayload(MachineOf(Tgl()), payload, f);
  EXPECT_TRUE(lir::Verify(T(), f).ok()) << lir::Verify(T(), f);
  if (!free) return f;
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*FreePayload(f, context));
  EXPECT_TRUE(lir::Verify(T(), f).ok());
  return f;
}

// Returns the number of the first `payload` registers that are not allocatable at the program's
// end.
uint32_t HeldAtEnd(const lir::Function& f, uint32_t payload) {
  std::vector<bool> held(payload);
  const auto hold = [&](uint32_t first, uint32_t units) {
    for (uint32_t r = first / kDwords; r * kDwords < first + units; ++r) held[r] = true;
  };
  for (const lir::Reserved& r : f.reserved) {
    if (r.pool == kPoolGrf) hold(r.first, r.units);
  }
  const lir::Liveness live(T(), f);
  live.live_out(lir::BlockId(f.blocks.size() - 1)).for_each([&](size_t g) {
    const lir::ValueId v = live.slot_value(live.global_slot(static_cast<uint32_t>(g)));
    for (const lir::LiveIn& l : f.live_ins) {
      if (l.value == v) hold(l.reg, f.value(v).comps * T().units_per_comp(f, f.value(v)));
    }
  });
  return static_cast<uint32_t>(std::count(held.begin(), held.end(), true));
}

// Returns a program of 8 lanes that sums `inputs` registers from r1 on and then has `values` live
// at once.
std::string ManyValues(uint32_t inputs, uint32_t values) {
  std::string text = "function tgl width 8\nvalue %0 U 4x8 whole\n", live_ins, body;
  for (uint32_t k = 1; k <= inputs; ++k) {
    absl::StrAppend(&text, "value %", k, " U 4x8 whole\n");
    absl::StrAppend(&live_ins, "livein %", k, " at ", kDwords * k, "\n");
  }
  uint32_t next = inputs + 1;
  const auto lanes = [&] {
    absl::StrAppend(&text, "value %", next, " G 4x1\n");
    return next++;
  };
  uint32_t sum = lanes();
  absl::StrAppend(&body, "  %", sum, ":d = mov %0.1:d {w8}\n");
  const auto add = [&](const std::string& what) {
    const uint32_t more = lanes();
    absl::StrAppend(&body, "  %", more, ":d = add %", sum, ":d ", what, ":d {w8}\n");
    sum = more;
  };
  for (uint32_t k = 1; k <= inputs; ++k) add(absl::StrCat("%", k, ".3"));
  const uint32_t first = next;
  for (uint32_t k = 0; k < values; ++k) {
    const uint32_t v = lanes();
    absl::StrAppend(&body, "  %", v, ":d = add %", sum, ":d #0x", absl::Hex(k), ":d {w8}\n");
  }
  for (uint32_t k = 0; k < values; ++k) add(absl::StrCat("%", first + k));
  absl::StrAppend(&text, "value %", next, " U 4x8 whole tail\n");
  return absl::StrCat(text, "livein %0 at 0\n", live_ins, "scratch_header %0\nblock b0 depth 0\n",
                      body, "  msg.write %", sum, ":ud %", sum,
                      ":ud {w8 [untyped_write bti 1 channels 1]}\n  %", next,
                      "x8:ud = mov %0x8:ud {w8 nomask}\n  eot %", next, "x8:ud {w8 nomask}\n");
}

// Returns how many values fit.
uint32_t MostValues(uint32_t inputs, bool free) {
  uint32_t most = 0;
  for (uint32_t values = 1; values < kRegisters; ++values) {
    const lir::Function ssa = Held(Read(ManyValues(inputs, values)), inputs + 1, free);
    lir::Function f = ssa;
    const auto stats = lir::ra::Allocate(T(), &f);
    if (absl::IsResourceExhausted(stats.status())) break;
    EXPECT_TRUE(stats.ok()) << stats.status();
    const absl::Status checked = lir::ra::CheckAllocation(T(), ssa, f);
    EXPECT_TRUE(checked.ok()) << checked;
    most = values;
  }
  return most;
}

TEST(FreePayload, InputsGiveTheirRegistersBack) {
  // 16 scalars are in 4 locations of 2 registers each, 16 vectors in 16.
  for (const uint32_t registers : {8u, 32u}) {
    const uint32_t held = MostValues(registers, false), freed = MostValues(registers, true);
    EXPECT_EQ(freed - held, registers);
    EXPECT_GT(held, 0u);
  }
}

struct Payload {
  lir::Function f;
  uint32_t registers = 0;
};

// Returns a fragment's program of 8 lanes that adds up inputs, as selected.
Payload Fragment(const std::vector<std::string>& inputs, int components) {
  std::string text = "mir 1\nentry \"main\"\nstage fragment\n", body;
  int next = 0, sum = -1;
  for (size_t k = 0; k < inputs.size(); ++k) {
    absl::StrAppend(&text, "input ", k, " location ", inputs[k], " f32 x", components, "\n");
    for (int c = 0; c < components; ++c) {
      const int value = next++;
      absl::StrAppend(&body, "%", value, ":f32 = load_input[", k, ", ", c, "]\n");
      if (sum >= 0) {
        absl::StrAppend(&body, "%", next, ":f32 = fadd %", sum, ", %", value, "\n");
        sum = next++;
      } else {
        sum = value;
      }
    }
  }
  absl::StrAppend(&text, "output 0 location 0.0 f32 x1\nbody {\n", body, "store_output[0, 0] %",
                  sum, "\nreturn\n}\n");
  const absl::StatusOr<mir::Module> m = mir::Parse(text);
  EXPECT_TRUE(m.ok()) << m.status() << text;
  const absl::StatusOr<Abi> abi = AssignAbi(*m, Tgl());
  EXPECT_TRUE(abi.ok()) << abi.status();
  const absl::StatusOr<WidthAbi> at_width = AtWidth(*m, *abi, 8);
  EXPECT_TRUE(at_width.ok()) << at_width.status();
  absl::StatusOr<lir::Function> f = Select(*m, *abi, *at_width);
  EXPECT_TRUE(f.ok()) << f.status();
  return {*std::move(f), StartRegisters(*abi, *at_width)};
}

TEST(FreePayload, SelectedInputsAreHeldAndGivenBack) {
  // Two registers of the thread and two of coordinates come first.
  constexpr uint32_t kInFront = 4;
  std::vector<std::string> scalars, vectors;
  for (int k = 0; k < 16; ++k) scalars.push_back(absl::StrCat(k / 4, ".", k % 4));
  for (int k = 0; k < 16; ++k) vectors.push_back(absl::StrCat(k, ".0"));
  const Payload few = Fragment(scalars, 1), many = Fragment(vectors, 4);
  EXPECT_EQ(few.registers, kInFront + 8);
  EXPECT_EQ(many.registers, kInFront + 32);
  for (const Payload& p : {few, many}) {
    EXPECT_EQ(HeldAtEnd(Held(p.f, p.registers, false), p.registers), p.registers);
    EXPECT_EQ(HeldAtEnd(Held(p.f, p.registers, true), p.registers), 0u);
  }
}

// Only the first components of 16 locations are read: the registers of the others are held as well.
TEST(FreePayload, UnusedRegistersAreHeldToo) {
  std::vector<std::string> inputs;
  for (int k = 0; k < 16; ++k) inputs.push_back(absl::StrCat(k, ".0"));
  const Payload p = Fragment(inputs, 1);
  const lir::Function held = Held(p.f, p.registers, false);
  EXPECT_EQ(held.reserved.size(), 16u);
  EXPECT_EQ(HeldAtEnd(held, p.registers), p.registers);
  EXPECT_TRUE(Held(p.f, p.registers, true).reserved.empty());
}

// A program whose payload is held and freed is unchanged.
TEST(FreePayload, HoldingAndFreeingChangeNothing) {
  const Payload p = Fragment({"0.0", "5.0"}, 2);
  EXPECT_NE(lir::Print(T(), Held(p.f, p.registers, false)), lir::Print(T(), p.f));
  EXPECT_EQ(lir::Print(T(), Held(p.f, p.registers, true)), lir::Print(T(), p.f));
}

// Two loops, the inner of which reads the payload's r1; code can be added to each block. b1 to b4
// are the outer loop, b2 and b3 the inner; b5 is after both.
std::string Loops(const std::string& in_outer, const std::string& after_loops,
                  const char* inner = "%1") {
  std::string text =
      "function tgl width 8\nvalue %0 U 4x8 whole\nvalue %1 U 4x8 whole\nvalue %2 F 0x1\n"
      "value %3 F 0x1\nvalue %4 U 4x8 whole tail\n";
  for (int v = 5; v < 15; ++v) absl::StrAppend(&text, "value %", v, " G 4x1\n");
  return absl::StrCat(text,
                      "livein %0 at 0\nlivein %1 at 8\nscratch_header %0\n"
                      "block b0 depth 0\n  -> b1\n"
                      "block b1 depth 1\n  -> b2\n"
                      "block b2 depth 2\n  %2:uw = cmp ",
                      inner,
                      ".3:d #0x5:d {w8 cmod 5}\n  break %2:uw {w8 pred 1}\n  -> b4, b3\n"
                      "block b3 depth 2\n  while {w8}\n  -> b2\n  ~> b4\n"
                      "block b4 depth 1\n",
                      in_outer,
                      "  %3:uw = cmp %0.3:d #0x7:d {w8 cmod 5}\n"
                      "  while %3:uw {w8 pred 1}\n  -> b1, b5\n"
                      "block b5 depth 0\n",
                      after_loops,
                      "  %4x8:ud = mov %0x8:ud {w8 nomask}\n  eot %4x8:ud {w8 nomask}\n");
}

// Returns code with four values live at once, from %`first` on.
std::string FourAtOnce(int first) {
  std::string text;
  for (int k = 0; k < 4; ++k) {
    absl::StrAppend(&text, "  %", first + k, ":d = mov %0.", k, ":d {w8}\n");
  }
  return absl::StrCat(text, "  %", first + 4, ":d = mad %", first, ":d %", first + 1, ":d %",
                      first + 2, ":d {w8}\n  msg.write %", first + 4, ":ud %", first + 3,
                      ":ud {w8 [untyped_write bti 1 channels 1]}\n");
}

std::vector<uint32_t> BlocksThatNeed(const lir::Function& f, uint32_t value) {
  const lir::Liveness live(T(), f);
  const uint32_t slot = live.first_slot(lir::ValueId(value)) + 3;  // the component that is read
  std::vector<uint32_t> blocks;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    const uint32_t g = live.global(slot);
    if (g == lir::Liveness::kLocal) continue;
    if (live.live_in(lir::BlockId(b)).test(g) || live.live_out(lir::BlockId(b)).test(g)) {
      blocks.push_back(b);
    }
  }
  return blocks;
}

TEST(FreePayload, AUseInALoopIsOneToTheEndOfTheOutermost) {
  using Blocks = std::vector<uint32_t>;
  EXPECT_EQ(BlocksThatNeed(Held(Read(Loops("", "")), 2, true), 1), (Blocks{0, 1, 2, 3, 4}));
  EXPECT_EQ(BlocksThatNeed(Held(Read(Loops("", "")), 2, false), 1), (Blocks{0, 1, 2, 3, 4, 5}));
  // A register without readers: free from the start, or held all the same.
  EXPECT_EQ(BlocksThatNeed(Held(Read(Loops("", "", "%0")), 2, true), 1), Blocks{});
  EXPECT_EQ(BlocksThatNeed(Held(Read(Loops("", "", "%0")), 2, false), 1),
            (Blocks{0, 1, 2, 3, 4, 5}));
}

// Allocates with r0 to r3, and r127, where the thread ends.
absl::Status AllocateInFive(const std::string& text, bool free) {
  lir::Function f = Held(Read(text), 2, free);
  f.reserved.push_back({kPoolGrf, 4 * kDwords, (kRegisters - 5) * kDwords});
  const lir::Function ssa = f;
  const auto stats = lir::ra::Allocate(T(), &f);
  return stats.ok() ? lir::ra::CheckAllocation(T(), ssa, f) : stats.status();
}

TEST(FreePayload, AfterTheOutermostLoopItsRegisterIsFree) {
  EXPECT_TRUE(AllocateInFive(Loops("", FourAtOnce(5)), true).ok())
      << AllocateInFive(Loops("", FourAtOnce(5)), true);
  EXPECT_TRUE(absl::IsResourceExhausted(AllocateInFive(Loops("", FourAtOnce(5)), false)));
  // After the inner loop, but within the outer one, the next iteration reads it.
  EXPECT_TRUE(absl::IsResourceExhausted(AllocateInFive(Loops(FourAtOnce(5), ""), true)));
  EXPECT_TRUE(AllocateInFive(Loops(FourAtOnce(5), "", "%0"), true).ok());
}

// A held register is not spilled, since this would free no register; others are spilled instead.
TEST(FreePayload, WhatIsHeldIsNotSpilled) {
  constexpr uint32_t kInputs = 32, kValues = 110;
  uint32_t spills[2] = {};
  for (const bool free : {false, true}) {
    const lir::Function ssa = Held(Read(ManyValues(kInputs, kValues)), kInputs + 1, free);
    lir::Function f = ssa;
    const auto stats = lir::ra::AllocateWithSpills(T(), &f);
    ASSERT_TRUE(stats.ok()) << stats.status();
    const absl::Status checked = lir::ra::CheckAllocation(T(), ssa, f);
    EXPECT_TRUE(checked.ok()) << checked;
    for (const lir::ra::Eviction& e : stats->spill.evictions) EXPECT_GT(e.value.index, kInputs);
    spills[free] = stats->spill.spills;
  }
  EXPECT_GT(spills[false], spills[true]);
}

TEST(FreePayload, AsksForEachRegister) {
  const Payload p = Fragment({"0.0", "1.0"}, 1);
  lir::Function f = Held(p.f, p.registers, false);
  PassContext context = PassContext::ForTest(2);
  EXPECT_TRUE(*FreePayload(f, context));
  EXPECT_EQ(context.rewrites(), 2);
  EXPECT_EQ(HeldAtEnd(f, p.registers), p.registers - 2);
  PassContext none = PassContext::ForTest(0);
  EXPECT_FALSE(*FreePayload(f, none));
  EXPECT_EQ(HeldAtEnd(f, p.registers), p.registers - 2);
}

}  // namespace
}  // namespace kiln::intel
