#include "core/intel/messages/flag_room.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/lir/parse.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// %0 to %2 are per lane, %3 to %5 flags.
lir::Function Parsed(const std::string& blocks, int width = 32) {
  std::string text = absl::StrCat("function tgl width ", width, "\n");
  for (int i = 0; i < 3; ++i) absl::StrAppend(&text, "value %", i, " G 4x1\n");
  for (int i = 3; i < 6; ++i) absl::StrAppend(&text, "value %", i, " F 0x1\n");
  const absl::StatusOr<lir::Function> f =
      lir::Parse(MachineOf(Tgl()), absl::StrCat(text, "block b0 depth 0\n", blocks));
  EXPECT_TRUE(f.ok()) << f.status();
  return f.ok() ? *f : lir::Function();
}

std::string Compare(int flag, int width = 32) {
  return absl::StrCat("  %", flag, ":uw = cmp %0:f #0x0:f {w", width, " cmod 5}\n");
}
std::string Select(int value, int flag, int width = 32) {
  return absl::StrCat("  %", value, ":ud = sel %0:ud #0x0:ud %", flag, ":uw {w", width,
                      " pred 1}\n");
}
const char kStart[] = "  %0:ud = mov #0x1:ud {w32}\n";
const char kEnd[] = "  eot {w8}\n";

constexpr lir::BlockId kFirst(0), kSecond(1);
lir::ValueId Flag(uint32_t v) { return lir::ValueId(v); }

TEST(FlagRoom, AFlagAloneHasRoomForAnother) {
  const lir::Function f =
      Parsed(kStart + Compare(3) + Select(1, 3) + Compare(4) + Select(2, 4) + kEnd);
  FlagRoom room(f, 4);
  room.Enter(kFirst);
  EXPECT_TRUE(room.Double(Flag(3)));
  EXPECT_TRUE(room.Double(Flag(4)));
  FlagRoom little(f, 2);
  little.Enter(kFirst);
  EXPECT_FALSE(little.Double(Flag(3)));
}

TEST(FlagRoom, FlagsThatLiveTogetherShareIt) {
  const lir::Function f =
      Parsed(kStart + Compare(3) + Compare(4) + Select(1, 3) + Select(2, 4) + kEnd);
  FlagRoom room(f, 4);
  room.Enter(kFirst);
  EXPECT_FALSE(room.Double(Flag(3)));
  EXPECT_FALSE(room.Double(Flag(4)));
  FlagRoom more(f, 6);
  more.Enter(kFirst);
  EXPECT_TRUE(more.Double(Flag(4)));
  EXPECT_FALSE(more.Double(Flag(3))) << "what was there is taken";
}

TEST(FlagRoom, AFlagThatCrossesBlocksIsEverywhere) {
  const lir::Function f = Parsed(kStart + Compare(3) + Select(1, 3) + Compare(4) +
                                 "  -> b1\nblock b1 depth 0\n" + Compare(5) + Select(2, 5) + kEnd);
  FlagRoom room(f, 4);
  room.Enter(kFirst);
  EXPECT_TRUE(room.Double(Flag(3)));
  room.Enter(kSecond);
  EXPECT_TRUE(room.Double(Flag(5))) << "what nobody reads crosses nothing";

  const lir::Function crossing =
      Parsed(kStart + Compare(3) + Select(1, 3) + Compare(4) + "  -> b1\nblock b1 depth 0\n" +
             Compare(5) + Select(2, 4) + kEnd);
  FlagRoom less(crossing, 4);
  less.Enter(kFirst);
  EXPECT_FALSE(less.Double(Flag(3)));
  EXPECT_FALSE(less.Double(Flag(4))) << "it is in no block alone";
  less.Enter(kSecond);
  EXPECT_FALSE(less.Double(Flag(5)));
}

}  // namespace
}  // namespace kiln::intel
