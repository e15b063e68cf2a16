#include "core/mid/control/kill_in_line.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

absl::StatusOr<bool> Nothing(mir::Module&, PassContext&) { return false; }

std::string Lined(const std::string& body) { return RunOnFragmentBody(body, KillInLine); }

void ExpectUnchanged(const std::string& body) {
  const std::string before = RunOnFragmentBody(body, Nothing);
  ASSERT_THAT(before, testing::HasSubstr("return")) << before;
  EXPECT_EQ(Lined(body), before);
}

constexpr char kStart[] = R"(
  %0:i32 = load_input[1, 0]
  %1:f32 = load_input[0, 0]
  %2:bool = ult %0, 5
  )";
constexpr char kStarted[] =
    "  %0:i32 = load_input[1, 0]\n  %1:f32 = load_input[0, 0]\n  %2:bool = ult %0, 5\n";
constexpr char kEnd[] = "store_output[0, 0] %1 return";
constexpr char kEnded[] = "  store_output[0, 0] %1\n  return\n";

TEST(KillInLine, OneThatEndsASide) {
  for (const char* kill : {"discard", "terminate"}) {
    EXPECT_EQ(
        Lined(absl::StrCat(kStart, "if %2 { ", kill, " true unreachable } else { yield } ", kEnd)),
        absl::StrCat(kStarted, "  ", kill, " %2\n", kEnded));
    EXPECT_EQ(
        Lined(absl::StrCat(kStart, "if %2 { yield } else { ", kill, " true unreachable } ", kEnd)),
        absl::StrCat(kStarted, "  %3:bool = not %2\n  ", kill, " %3\n", kEnded));
  }
}

TEST(KillInLine, OneAfterWhichTheSideGoesOn) {
  for (const char* kill : {"discard", "terminate", "demote"}) {
    EXPECT_EQ(Lined(absl::StrCat(kStart, "if %2 { ", kill, " true yield } else { yield } ", kEnd)),
              absl::StrCat(kStarted, "  ", kill, " %2\n", kEnded));
    EXPECT_EQ(Lined(absl::StrCat(kStart, "if %2 { yield } else { %3:bool = flt %1, 1f ", kill,
                                 " %3 yield } ", kEnd)),
              absl::StrCat(kStarted, "  %3:bool = not %2\n  %4:bool = flt %1, 1f\n",
                           "  %5:bool = and %3, %4\n  ", kill, " %5\n", kEnded));
  }
}

// The condition of several ifs is their conjunction.
TEST(KillInLine, OneInSeveralIfs) {
  EXPECT_EQ(Lined(absl::StrCat(kStart, R"(
    if %2 {
      %3:f32 = fmul %1, %1
      %4:bool = flt %3, 1f
      if %4 {
        %5:bool = flt 0.5f, %3
        if %5 {
          discard true
          unreachable
        } else {
          yield
        }
        yield
      } else {
        yield
      }
      yield
    } else {
      yield
    } )",
                               kEnd)),
            absl::StrCat(kStarted,
                         "  %3:f32 = fmul %1, %1\n"
                         "  %4:bool = flt %3, 1f\n"
                         "  %5:bool = flt 0.5f, %3\n"
                         "  %6:bool = and %4, %5\n"
                         "  %7:bool = and %2, %6\n"
                         "  discard %7\n",
                         kEnded));
}

TEST(KillInLine, NotWithEffectsLoadsOrAnotherSide) {
  ExpectUnchanged(absl::StrCat(
      kStart, "if %2 { store_ssbo[0, align 4] 0, 1 discard true unreachable } else { yield } ",
      kEnd));
  ExpectUnchanged(absl::StrCat(
      kStart,
      "if %2 { %3:i32 = load_ssbo[0, align 4] 0 %4:bool = ieq %3, 0 discard %4 yield } else "
      "{ yield } ",
      kEnd));
  ExpectUnchanged(absl::StrCat(
      kStart, "if %2 { discard true yield } else { store_ssbo[0, align 4] 0, 1 yield } ", kEnd));
  // Derivatives in the if see only its lanes.
  ExpectUnchanged(absl::StrCat(
      kStart,
      "if %2 { %3:f32 = ddx[any] %1 %4:bool = flt %3, 0f discard %4 yield } else { yield } ",
      kEnd));
  // Demoted lanes do not reach unreachable.
  ExpectUnchanged(absl::StrCat(kStart, "if %2 { demote true unreachable } else { yield } ", kEnd));
}

TEST(KillInLine, NotWhereTheIfCarriesValues) {
  ExpectUnchanged(absl::StrCat(
      kStart, "%9:f32 = if %2 { discard true yield 1f } else { yield 2f } store_output[0, 1] %9 ",
      kEnd));
}

TEST(KillInLine, OneAfterAnotherOnTheSameConditionGoes) {
  for (const std::string kill : {"discard", "terminate", "demote"}) {
    EXPECT_EQ(Lined(absl::StrCat(kStart, kill, " %2 ", kill, " %2 if %2 { ", kill,
                                 " %2 store_ssbo[0, align 4] 0, 1 yield } else { yield } ", kEnd)),
              absl::StrCat(kStarted, "  ", kill, " %2\n",
                           "  if %2 {\n    store_ssbo[0, align 4] 0, 1\n    yield\n  } else {\n"
                           "    yield\n  }\n",
                           kEnded));
    // Not of another kind, on another condition, or after one that only some lanes executed.
    const std::string another = kill == "demote" ? "discard" : "demote";
    ExpectUnchanged(absl::StrCat(kStart, kill, " %2 ", another, " %2 ", kEnd));
    const std::string two = absl::StrCat(kStart, "%3:bool = ult %0, 6 ");
    ExpectUnchanged(absl::StrCat(two, kill, " %2 ", kill, " %3 ", kEnd));
    ExpectUnchanged(absl::StrCat(two, "if %3 { store_ssbo[0, align 4] 0, 1 ", kill,
                                 " %2 yield } else { yield } ", kill, " %2 ", kEnd));
  }
}

// ---- Loops ----

// A discard, then a loop with this exit and this next value of the counter %3, which starts at %0.
std::string BeforeLoop(const std::string& exit, const std::string& next) {
  return absl::StrCat(kStart,
                      "if %2 { discard true unreachable } else { yield } loop (%3:i32 = %0) {",
                      exit, " store_ssbo[0, align 4] 0, %3 ", next, " } ", kEnd);
}
bool IsLined(const std::string& body) {
  const std::string lined = Lined(body);
  EXPECT_THAT(lined, testing::HasSubstr("return"));
  return lined.find("discard %2") != lined.npos;
}

constexpr char kUp[] = "%8:i32 = iadd %3, 1 continue %8";
constexpr char kDown[] = "%8:i32 = iadd %3, -1 continue %8";

TEST(KillInLine, InFrontOfLoopsThatEnd) {
  const std::string leave = "if %4 { break } else { yield } ",
                    stay = "if %4 { yield } else { break } ";
  EXPECT_TRUE(IsLined(BeforeLoop("%4:bool = sge %3, 40 " + leave, kUp)));
  EXPECT_TRUE(IsLined(BeforeLoop("%4:bool = uge %3, 40 " + leave, kUp)));
  EXPECT_TRUE(IsLined(BeforeLoop("%4:bool = slt %3, 40 " + stay, kUp)));
  EXPECT_TRUE(IsLined(BeforeLoop("%4:bool = sge 0, %3 " + leave, kDown)));
  EXPECT_TRUE(IsLined(BeforeLoop("%4:bool = slt 0, %3 " + stay, kDown)));
  // The wrong direction, another step, a bound that all may be within, one that the loop changes.
  EXPECT_FALSE(IsLined(BeforeLoop("%4:bool = sge %3, 40 " + leave, kDown)));
  EXPECT_FALSE(IsLined(BeforeLoop("%4:bool = sge 0, %3 " + leave, kUp)));
  EXPECT_FALSE(
      IsLined(BeforeLoop("%4:bool = sge %3, 40 " + leave, "%8:i32 = iadd %3, 2 continue %8")));
  EXPECT_FALSE(
      IsLined(BeforeLoop("%4:bool = sge %3, 40 " + leave, "%8:i32 = iadd %3, %0 continue %8")));
  EXPECT_FALSE(IsLined(BeforeLoop("%4:bool = slt 40, %3 " + leave, kUp)));
  EXPECT_FALSE(
      IsLined(BeforeLoop("%5:i32 = load_ssbo[0, align 4] 0 %4:bool = sge %3, %5 " + leave, kUp)));
  // A bound that each iteration loads from read-only memory, and one next to the counter.
  EXPECT_TRUE(IsLined(BeforeLoop(
      "%5:i32 = load_push[align 4] 4 %6:i32 = iadd %5, %0 %4:bool = sge %3, %6 " + leave, kUp)));
  EXPECT_FALSE(IsLined(BeforeLoop("%6:i32 = iadd %3, %0 %4:bool = sge %3, %6 " + leave, kUp)));
  // An iteration that continues before it reaches the exit.
  EXPECT_FALSE(IsLined(BeforeLoop(
      "if %2 { %7:i32 = iadd %3, 1 continue %7 } else { yield } %4:bool = sge %3, 40 " + leave,
      kUp)));
  // Exits that only some iterations meet.
  EXPECT_FALSE(IsLined(
      BeforeLoop("%4:bool = sge %3, 40 if %2 { " + leave + "yield } else { yield } ", kUp)));
}

// Each iteration clears a bit of a mask.
TEST(KillInLine, InFrontOfLoopsOverTheBitsOfAMask) {
  const std::string leave = "%4:bool = ieq %3, 0 if %4 { break } else { yield } ",
                    stay = "%4:bool = ine 0, %3 if %4 { yield } else { break } ",
                    clear = "%6:i32 = shl 1, %5 %7:i32 = not %6 %8:i32 = and %3, %7 continue %8";
  EXPECT_TRUE(IsLined(BeforeLoop(leave, "%5:i32 = find_umsb %3 " + clear)));
  EXPECT_TRUE(IsLined(BeforeLoop(stay, "%5:i32 = find_lsb %3 " + clear)));
  EXPECT_TRUE(IsLined(BeforeLoop(stay, "%5:i32 = iadd -1, %3 %8:i32 = and %5, %3 continue %8")));
  // A bit of another mask, a bit that may not exist, the wrong side, all bits kept.
  EXPECT_FALSE(IsLined(BeforeLoop(leave, "%5:i32 = find_umsb %0 " + clear)));
  EXPECT_FALSE(IsLined(BeforeLoop(leave, "%5:i32 = find_smsb %3 " + clear)));
  EXPECT_FALSE(IsLined(BeforeLoop("%4:bool = ieq %3, 0 if %4 { yield } else { break } ",
                                  "%5:i32 = find_umsb %3 " + clear)));
  EXPECT_FALSE(IsLined(BeforeLoop(leave, "%5:i32 = iadd 1, %3 %8:i32 = and %5, %3 continue %8")));
  EXPECT_FALSE(IsLined(BeforeLoop("%4:bool = ieq %3, 1 if %4 { break } else { yield } ",
                                  "%5:i32 = find_umsb %3 " + clear)));
}

// A loop of a known number of iterations, however it counts.
TEST(KillInLine, InFrontOfLoopsOfKnownIterations) {
  EXPECT_TRUE(IsLined(absl::StrCat(
      kStart,
      "if %2 { discard true unreachable } else { yield } loop (%3:i32 = 64) { %4:bool = ieq %3, 0 "
      "if %4 { break } else { yield } store_ssbo[0, align 4] 0, %3 %8:i32 = ushr %3, 1 continue %8 "
      "} ",
      kEnd)));
}

TEST(KillInLine, InFrontOfALoopInsideAnother) {
  const std::string inner =
      "loop (%4:i32 = 0) { %5:bool = sge %4, LIMIT if %5 { break } else { yield } "
      "%6:i32 = load_ssbo[0, align 4] 0 %7:i32 = iadd %4, STEP continue %7 } ";
  const auto nested = [&](const std::string& step) {
    std::string loop = inner;
    loop.replace(loop.find("LIMIT"), 5, "%0");
    loop.replace(loop.find("STEP"), 4, step);
    return BeforeLoop("%9:bool = sge %3, 40 if %9 { break } else { yield } " + loop, kUp);
  };
  EXPECT_TRUE(IsLined(nested("1")));
  EXPECT_FALSE(IsLined(nested("%6")));
}

TEST(KillInLine, ADiscardInALoopStays) {
  const auto loop = [](const std::string& kill) {
    return absl::StrCat(kStart, "loop (%3:i32 = 0) { %4:bool = sge %3, 4 ",
                        "if %4 { break } else { yield } %5:bool = ieq %3, %0 if %5 { ", kill,
                        " } else { yield } %6:i32 = iadd %3, 1 continue %6 } ", kEnd);
  };
  ExpectUnchanged(loop("discard true unreachable"));
  // Kills whose lanes continue, or do not, as before are converted.
  EXPECT_THAT(Lined(loop("discard true yield")), testing::HasSubstr("discard %4\n"));
  EXPECT_THAT(Lined(loop("demote true yield")), testing::HasSubstr("demote %4\n"));
  EXPECT_THAT(Lined(loop("terminate true unreachable")), testing::HasSubstr("terminate %4\n"));
}

TEST(KillInLine, StopsAtTheRewriteLimit) {
  const std::string body =
      absl::StrCat(kStart, "if %2 { discard true unreachable } else { yield } ",
                   "if %2 { yield } else { discard true unreachable } ", kEnd);
  EXPECT_EQ(RunOnFragmentBody(body, KillInLine, 0), RunOnFragmentBody(body, Nothing));
  const std::string one = RunOnFragmentBody(body, KillInLine, 1);
  EXPECT_THAT(one, testing::HasSubstr("discard %2\n"));
  EXPECT_THAT(one, testing::HasSubstr("discard true\n"));
}

}  // namespace
}  // namespace kiln::mid
