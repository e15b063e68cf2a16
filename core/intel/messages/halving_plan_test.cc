// Tests which instructions are halved; halve_values_test.cc tests the result.
#include "core/intel/messages/halving_plan.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// %0 to %4 are per lane, %5 and %6 (two components each) and %7 halves, %8 the join of %5 and %6,
// %9 to %11 flags. Returns a letter per instruction: h if it is halved.
std::string Halved(const std::string& body, int64_t rewrites = -1) {
  std::string text = "function tgl width 32\n";
  for (int i = 0; i < 5; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  absl::StrAppend(&text, "value %5 U 4x32 whole\nvalue %6 U 4x32 whole\nvalue %7 U 4x16 whole\n",
                  "value %8 G 4x2\n");
  for (int i = 9; i < 12; ++i) absl::StrAppend(&text, "value %", i, " F 0x1\n");
  absl::StrAppend(&text, "livein %5 at 0\nlivein %6 at 32\nblock b0 depth 0\n", body);
  const absl::StatusOr<lir::Function> f = lir::Parse(MachineOf(Tgl()), text);
  if (!f.ok()) return std::string(f.status().message());
  PassContext context = PassContext::ForTest(rewrites);
  const HalvingPlan plan(*f, Tgl(), context);
  std::string halved;
  for (lir::InstId id : f->blocks[0].insts) halved += plan.IsHalved(id) ? 'h' : '.';
  EXPECT_EQ(plan.IsEmpty(), halved.find('h') == std::string::npos);
  return halved;
}

const char kMake[] = "  %0:ud = mov #0x1:ud {w32}\n";
const char kJoined[] = "  %8x2:ud = join_groups %5x32:ud %6x32:ud {w32}\n";
const char kTakeHalf[] = "  %7x16:ud = mov %1:ud {w16 nomask}\n";

// Upwards: from an instruction that takes a half to those whose results have no other reader.
TEST(HalvingPlan, WhatOnlyHalvesAreTakenOf) {
  const std::string add = "  %1:d = add %0:d #0x2:d {w32}\n";
  EXPECT_EQ(Halved(kMake + add + kTakeHalf), "hh.");
  EXPECT_EQ(Halved(kMake + add + kTakeHalf, 1), ".h.");
  EXPECT_EQ(Halved(kMake + add + kTakeHalf + "  %2:d = add %0:d #0x3:d {w32}\n"), ".h..");
  EXPECT_EQ(Halved(kMake + add), "..");
}

// Downwards: one sum is joined instead of its two operands.
TEST(HalvingPlan, WhereFewerValuesAreJoinedAfterwards) {
  const std::string sum = "  %1:f = add %8:f %8.1:f {w32}\n";
  const std::string whole = "  kill %1:f #0x0:f {w32 cmod 5}\n";
  EXPECT_EQ(Halved(kJoined + sum + whole), ".h.");
  EXPECT_EQ(Halved(kJoined + sum + whole, 0), "...");
  // Two results of two components save nothing, nor do components that other instructions read
  // whole.
  EXPECT_EQ(
      Halved(std::string(kJoined) + "  %1:f = mul %8:f %8:f {w32}\n" +
             "  %2:f = mul %8.1:f %8.1:f {w32}\n" + whole + "  kill %2:f #0x0:f {w32 cmod 5}\n"),
      ".....");
  EXPECT_EQ(Halved(kJoined + sum + whole + "  kill %8:f %8.1:f {w32 cmod 5}\n"), "....");
}

// Conditions are halved with the values that they select if flags have room; otherwise none of
// these is.
TEST(HalvingPlan, ConditionsNeedRoomForTwoFlags) {
  const std::string compare = "  %9:uw = cmp %0:f #0x0:f {w32 cmod 5}\n";
  const std::string choose = "  %1:ud = sel %0:ud #0x0:ud %9:uw {w32 pred 1}\n";
  EXPECT_EQ(Halved(kMake + compare + choose + kTakeHalf), "hhh.");
  const std::string other = "  %10:uw = cmp %0:f #0x0:f {w32 cmod 4}\n";
  const std::string read = "  %2:ud = sel %0:ud #0x0:ud %10:uw {w32 pred 1}\n";
  EXPECT_EQ(Halved(kMake + other + compare + choose + kTakeHalf + read), "...h..");
}

}  // namespace
}  // namespace kiln::intel
