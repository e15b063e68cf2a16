// Tests timings against figures that were computed by hand from the rows of the table of devices.cc
// (front + result, busy by registers), and the units that make others wait.
#include "core/intel/lir/timing.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::FirstOf;
using testing::FunctionOf;

// %0, %1 and %2 are per lane, %3 a flag, %4 per lane in words, %5 in qwords, %6 a scalar, %7 the
// registers of r0, %8 a vector of four.
lir::Timing TimingAt(int width, const std::string& instruction) {
  const lir::Function f = FunctionOf(width,
                                     "value %0 G 4x1\nvalue %1 G 4x1\nvalue %2 G 4x1\n"
                                     "value %3 F 0x1\nvalue %4 G 2x1\nvalue %5 G 8x1\n"
                                     "value %6 U 4x1\nvalue %7 U 4x8 whole\nvalue %8 G 4x4\n"
                                     "value %9 U 4x40 whole\n",
                                     "  " + instruction + "\n");
  if (f.blocks.empty()) return {};
  const lir::Timing t = LirTiming(*Tgl().timings, f, FirstOf(f));
  const lir::Machine& target = MachineOf(Tgl());
  EXPECT_EQ(target.timing(target, f, FirstOf(f)).latency, t.latency) << "the hook";
  return t;
}

// Issue, latency, registers read, unit busy.
std::string Figures(int width, const std::string& instruction) {
  const lir::Timing t = TimingAt(width, instruction);
  return absl::StrCat(t.issue, " ", t.latency, " ", t.read, " ", t.busy);
}

TEST(LirTiming, ArithmeticTakesTwoCyclesForARegister) {
  EXPECT_EQ(Figures(8, "%0:f = add %1:f %2:f {w8}"), "2 12 0 0");
  EXPECT_EQ(Figures(16, "%0:f = add %1:f %2:f {w16}"), "4 14 0 0");
  EXPECT_EQ(Figures(32, "%0:f = add %1:f %2:f {w32}"), "8 18 0 0");
  EXPECT_EQ(Figures(16, "%4:uw = mov #0x1:uw {w16}"), "2 12 0 0") << "words take one register";
  EXPECT_EQ(Figures(8, "%5:q = mov %5:q {w8}"), "4 14 0 0") << "qwords take two";
  EXPECT_EQ(Figures(16, "%4:uw = mov %0:ud {w16}"), "4 12 0 0") << "the wider operand counts";
  EXPECT_EQ(Figures(8, "%6:ud = mov #0x1:ud {nomask}"), "2 12 0 0") << "a scalar";
}

TEST(LirTiming, FlagsComeLater) {
  EXPECT_EQ(Figures(8, "%3:uw = cmp %0:f %1:f {w8 cmod 5}"), "2 16 0 0");
  EXPECT_EQ(Figures(8, "%0:f %3:uw = add %1:f %2:f {w8 cmod 5}"), "2 16 0 0");
}

TEST(LirTiming, MathHasAUnitOfItsOwn) {
  EXPECT_EQ(Figures(8, "%0:f = math %1:f {w8 aux 4}"), "2 18 0 4");            // square root
  EXPECT_EQ(Figures(16, "%0:f = math %1:f {w16 aux 4}"), "6 22 0 8");          // the same
  EXPECT_EQ(Figures(8, "%0:f = math %1:f %2:f {w8 aux 10}"), "2 26 0 8");      // power
  EXPECT_EQ(Figures(8, "%0:ud = math %1:ud %2:ud {w8 aux 12}"), "2 30 0 26");  // quotient
  EXPECT_NE(TimingAt(8, "%0:f = math %1:f {w8 aux 4}").unit, 0);
  EXPECT_EQ(TimingAt(8, "%0:f = add %1:f %2:f {w8}").unit, 0);
}

TEST(LirTiming, MessagesReadTheirPayloadLater) {
  const std::string read = "%0:ud = msg.read %1:ud {w8 [untyped_read lanes 8 channels 1]}";
  EXPECT_EQ(Figures(8, read), "2 102 12 20");
  EXPECT_EQ(Figures(16, "%0:ud = msg.read %1:ud {w16 [untyped_read lanes 16 channels 1]}"),
            "2 102 12 40");
  // Each register of the payload takes a sampler two cycles more.
  EXPECT_EQ(Figures(8, "%8x4:f = msg %8x2:f {w8 [sample_lz lanes 8]}"), "2 756 14 16");
  EXPECT_EQ(Figures(8, "%8x4:f = msg %8x4:f {w8 [sample_lz lanes 8]}"), "2 760 18 16");
  // Each register of an atomic's response takes as long as the operation.
  EXPECT_EQ(Figures(8, "%0:ud = msg.atomic %1:ud %2:ud {w8 [untyped_atomic lanes 8]}"),
            "2 502 12 430");
}

TEST(LirTiming, UnitsMakeOnlyTheirOwnWait) {
  const std::string load = "%0:ud = msg.read %1:ud {w8 [untyped_read lanes 8 channels 1]}";
  const std::string store = "msg.write %1:ud %2:ud {w8 [untyped_write lanes 8 channels 1]}";
  EXPECT_EQ(TimingAt(8, load).unit, TimingAt(8, store).unit);
  std::set<int> units;
  for (const std::string& other :
       {load, std::string("%0:f = math %1:f {w8 aux 4}"), std::string("%0:f = add %1:f %2:f {w8}"),
        std::string("%8x4:f = msg %8x2:f {w8 [sample_lz lanes 8]}"),
        std::string("%7x8:ud = msg %7x8:ud {w8 nomask [const_block_read header 1 owords 2]}"),
        std::string("msg.target %8x4:ud {w8 [target_write]}"),
        std::string("msg.urb %8x4:ud {w8 [urb_write header 1]}")}) {
    const lir::Timing t = TimingAt(8, other);
    EXPECT_LT(t.unit, lir::kTimingUnits) << other;
    EXPECT_TRUE(units.insert(t.unit).second) << other;
    EXPECT_EQ(t.unit == 0, t.busy == 0) << other;
  }
}

TEST(LirTiming, SpillsAreTheirMessagesOneAfterAnother) {
  EXPECT_EQ(Figures(8, "spill %7x8:ud %0:ud #0x0:ud {w8}"), "2 102 12 20");
  // Five registers are two messages, of four and of one.
  const std::string five = "spill %7x8:ud %9x40:ud #0x0:ud {w16 nomask}";
  EXPECT_EQ(Figures(8, five), "42 142 52 40");
  EXPECT_EQ(Figures(8, "%9x40:ud = fill %7x8:ud #0x0:ud {w16 nomask}"), "42 142 52 40");
  EXPECT_EQ(TimingAt(8, five).unit,
            TimingAt(8, "%0:ud = msg.read %1:ud {w8 [untyped_read lanes 8 channels 1]}").unit);
  // Before it stores, a spill that merges waits for what it reads.
  const lir::Timing merge = TimingAt(16, "%7x8:ud = merge_spill %7x8:ud %4:uw #0x0:ud {w16}");
  EXPECT_GE(merge.issue, 102);
}

TEST(LirTiming, PseudoOperationsAreTheirSequences) {
  EXPECT_EQ(Figures(8, "%0:ud %2:ud = mul32 %0:ud %1:ud {w8}"), "6 24 0 0");
  EXPECT_EQ(Figures(8, "%0:ud = mul_high %0:ud %1:ud {w8}"), "4 12 0 0");
  EXPECT_EQ(Figures(8, "%6:ud = broadcast %0:ud #0x3:ud {w8}"), "2 12 0 0");
  EXPECT_EQ(Figures(8, "%6:ud = broadcast %0:ud %6:ud {w8}"), "4 24 0 0") << "a0 comes first";
  EXPECT_EQ(TimingAt(32, "%0:ud = xor_lanes %1:ud {w32 nomask aux 3}").issue, 16) << "8 moves";
  EXPECT_EQ(TimingAt(16, "%0:ud = xor_lanes %1:ud {w16 nomask aux 1}").issue, 4);
  const lir::Timing narrow = TimingAt(8, "%6:ud %0:ud = lane_scan %1:ud #0x0:ud {w8}");
  const lir::Timing wide = TimingAt(16, "%6:ud %0:ud = lane_scan %1:ud #0x0:ud {w16}");
  EXPECT_LT(narrow.latency, wide.latency) << "one step more";
}

// Two units run in step with 32 lanes, so that 64 would have to leave.
TEST(LirTiming, CodeAfterAnExitCountsHalf) {
  EXPECT_EQ(TimingAt(8, "discard_jump %3:uw {w8 pred 1}").percent_after, 50);
  EXPECT_EQ(TimingAt(16, "discard_jump %3:uw {w16 pred 1}").percent_after, 50);
  EXPECT_EQ(TimingAt(32, "discard_jump %3:uw {w32 pred 1}").percent_after, 100);
  EXPECT_EQ(TimingAt(8, "%0:f = add %1:f %2:f {w8}").percent_after, 100);
}

// The scheduler relies on this for every operation.
TEST(LirTiming, IssueIsPartOfTheLatency) {
  for (const std::string& inst :
       {std::string("%0:ud = copy %1:ud {w16}"), std::string("%0:ud = f2f16 %1:f {w16}"),
        std::string("%0:ud = pack %4:uw %4:uw {w16}"),
        std::string("%7x8:ud = header #0x0:ud {w8 nomask}"),
        std::string("%4:uw = lane_ids {w16 nomask}"),
        std::string("%0:ud = shuffle %1:ud %4:uw {w16}"),
        std::string("%6:ud %3:uw = ballot %0:ud {w16 aux 2}"),
        std::string("%7x8:ud = fence %7x8:ud {w8 nomask [memory_fence header 1]}"),
        std::string("%0:f = add %1:f %2:f {w16}")}) {
    const lir::Timing t = TimingAt(16, inst);
    EXPECT_GE(t.issue, 1) << inst;
    EXPECT_GE(t.latency, t.issue) << inst;
  }
}

}  // namespace
}  // namespace kiln::intel
