#include "core/amd/abi/waterfall.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mir/build.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using mir::InstId;
using mir::Op;

// Returns a letter for each read_first of a body: w for one of a waterfall, else -.
std::string Reads(const std::string& body) {
  const auto m = mir::Parse(absl::StrCat(
      "mir 1\nlocal_size 32, 1, 1\nresource 0 ssbo 0.0.0 array 4\nresource 1 ssbo 0.1.0\nbody {\n"
      "%0:i32 = local_index\n",
      body, "return\n}\n"));
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return "";
  EXPECT_EQ(mir::Verify(*m), absl::OkStatus());
  const BitSet found = WaterfallReads(*m);
  std::string text;
  mir::ForEachInst(*m, m->body, [&](InstId id) {
    if (m->inst(id).op == Op::kReadFirst) text += found.test(id.index) ? 'w' : '-';
  });
  return text;
}

constexpr char kLoad[] = "%3:i32 = load_ssbo.indexed[0, align 4] %1, 0\n";

// Returns the letters of a loop with instructions before the comparison, in the lanes that leave
// and in those that do not, and behind the loop.
std::string Loop(const std::string& before, const std::string& leave = kLoad,
                 const std::string& stay = "", const std::string& behind = "") {
  return Reads(absl::StrCat("%9:i32 = loop {\n%1:i32 = read_first %0\n", before, "if %2 {\n", leave,
                            "break %3\n} else {\n", stay, "yield\n}\ncontinue\n}\n", behind,
                            "store_ssbo[1, align 4] 0, %9\n"));
}
constexpr char kEqual[] = "%2:bool = ieq %0, %1\n";

TEST(Waterfall, LoopsOfLanesThatAgree) {
  EXPECT_EQ(Loop(kEqual), "w");
  EXPECT_EQ(Loop("%2:bool = ieq %1, %0\n"), "w");
  // The index is computed or loaded in the loop.
  EXPECT_EQ(Reads("%9:i32 = loop {\n%4:i32 = load_ssbo[1, align 4] %0\n%5:i32 = and %4, 3\n"
                  "%1:i32 = read_first %5\n%2:bool = ieq %5, %1\nif %2 {\n"
                  "%3:i32 = load_ssbo.indexed[0, align 4] %1, 0\nbreak %3\n} else {\nyield\n}\n"
                  "continue\n}\nstore_ssbo[1, align 4] 0, %9\n"),
            "w");
  // The lanes that agree may have control flow.
  EXPECT_EQ(Loop(kEqual, "%4:bool = ult %0, 9\n%3:i32 = if %4 {\nyield %1\n} else {\nyield 7\n}\n"),
            "w");
}

TEST(Waterfall, TwoIndices) {
  const std::string two = "%4:i32 = ushr %0, 2\n%5:i32 = read_first %4\n%6:bool = ieq %0, %1\n";
  EXPECT_EQ(Loop(absl::StrCat(two, "%7:bool = ieq %4, %5\n%2:bool = and %6, %7\n")), "ww");
  EXPECT_EQ(Loop(absl::StrCat(two, "%7:bool = ieq %4, %5\n%2:bool = or %6, %7\n")), "--");
  EXPECT_EQ(Loop(absl::StrCat(two, "%7:bool = ult %4, %5\n%2:bool = and %6, %7\n")), "--");
  // A lane leaves although the other index may not be its own.
  EXPECT_EQ(Loop(absl::StrCat(two, "%2:bool = ieq %4, %4\n")), "--");
}

TEST(Waterfall, ResultsThatDependOnOtherLanes) {
  EXPECT_EQ(Reads("%1:i32 = read_first %0\nstore_ssbo[1, align 4] 0, %1\n"), "-");
  EXPECT_EQ(Reads("%1:i32 = read_first %0\n%2:i32 = load_ssbo.indexed[0, align 4] %1, 0\n"
                  "store_ssbo[1, align 4] 0, %2\n"),
            "-");
  // Other comparisons, and one with another value.
  EXPECT_EQ(Loop("%2:bool = ine %0, %1\n"), "-");
  EXPECT_EQ(Loop("%2:bool = uge %0, %1\n"), "-");
  EXPECT_EQ(Loop("%4:i32 = and %0, 1\n%2:bool = ieq %4, %1\n"), "-");
  // The first lane's index is told to lanes that stay, or counted by the comparison.
  EXPECT_EQ(Loop(kEqual, kLoad, "store_ssbo[1, align 4] %0, %1\n"), "-");
  EXPECT_EQ(Loop(absl::StrCat(kEqual, "%4:i32 = select %2, 1, 2\n"), "%3:i32 = iadd %4, %1\n"),
            "-");
  EXPECT_EQ(Loop(absl::StrCat(kEqual, "%4:i32 = iadd %1, 1\n"), "%3:i32 = iadd %4, %1\n"), "-");
  // Iterations are counted, in memory or by a value that the loop carries.
  EXPECT_EQ(Loop(absl::StrCat("store_ssbo[1, align 4] %0, 1\n", kEqual)), "-");
  EXPECT_EQ(Reads("%9:i32 = loop (%8:i32 = 0) {\n%1:i32 = read_first %0\n%2:bool = ieq %0, %1\n"
                  "%7:i32 = iadd %8, 1\nif %2 {\nbreak %8\n} else {\nyield\n}\ncontinue %7\n}\n"
                  "store_ssbo[1, align 4] 0, %9\n"),
            "-");
  // Lanes that agree go on, or leave by another way.
  EXPECT_EQ(Loop(kEqual,
                 "%4:bool = ult %0, 9\nif %4 {\ncontinue\n} else {\nyield\n}\n"
                 "%3:i32 = iadd %1, 1\n"),
            "-");
  EXPECT_EQ(
      Loop(absl::StrCat("%4:bool = ult %0, 9\nif %4 {\nbreak 5\n} else {\nyield\n}\n", kEqual)),
      "-");
  // The first lane is that of before the loop.
  EXPECT_EQ(Reads("%1:i32 = read_first %0\nloop {\n%2:bool = ieq %0, %1\nif %2 {\nbreak\n} else "
                  "{\nyield\n}\ncontinue\n}\n"),
            "-");
}

}  // namespace
}  // namespace kiln::amd
