#include "core/mid/lower/end_helper_loops.h"

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using testing::HasSubstr;

absl::StatusOr<bool> Nothing(mir::Module&, PassContext&) { return false; }

constexpr char kStart[] = "%0:i32 = load_input[1, 0] %1:f32 = load_input[0, 0] ";
constexpr char kEnd[] = " store_output[0, 0] %1 return";

std::string Ended(const std::string& body) {
  return RunOnFragmentBody(absl::StrCat(kStart, body, kEnd), EndHelperLoops);
}

void ExpectUnchanged(const std::string& body) {
  const std::string all = absl::StrCat(kStart, body, kEnd);
  const std::string before = RunOnFragmentBody(all, Nothing);
  ASSERT_THAT(before, HasSubstr("return")) << before;
  EXPECT_EQ(RunOnFragmentBody(all, EndHelperLoops), before);
}

// Either side may be the one that leaves.
TEST(EndHelperLoops, AWaitForALock) {
  EXPECT_EQ(Ended("loop { %2:i32 = ssbo_atomic[0, exchange] 0, 1 %3:bool = ieq %2, 0 "
                  "if %3 { break } else { yield } continue }"),
            R"(  %0:f32 = load_input[0, 0]
  loop {
    %1:bool = helper_invocation
    %2:i32 = ssbo_atomic[0, exchange] 0, 1
    %3:bool = ieq %2, 0
    %4:bool = or %3, %1
    if %4 {
      break
    } else {
      yield
    }
    continue
  }
  store_output[0, 0] %0
  return
)");
  const std::string stays = Ended(
      "loop { %2:i32 = ssbo_atomic[0, add] %0, 1 %3:bool = ult %2, 9 "
      "if %3 { yield } else { break } continue }");
  EXPECT_THAT(stays, HasSubstr("    %5:bool = not %2\n    %6:bool = and %4, %5\n    if %6 {\n"));
}

// Through an if, a carried value, an inner loop, two conditions around the exit.
TEST(EndHelperLoops, WhateverTheExitHasFromTheAtomic) {
  const std::string atomic = "%2:i32 = ssbo_atomic[0, add] 0, 1 %3:bool = ult %2, 9 ";
  EXPECT_THAT(Ended("%9:bool = loop (%8:bool = false) { if %8 { break %8 } else { yield } " +
                    atomic + "%7:bool = if %3 { yield true } else { yield false } continue %7 }"),
              HasSubstr("or %2, %3\n"));
  EXPECT_THAT(Ended("loop { %9:i32 = loop (%8:i32 = 0) { " + atomic +
                    "%7:bool = uge %8, 3 if %7 { break %2 } else { yield } %6:i32 = iadd %8, 1 "
                    "continue %6 } %5:bool = ieq %9, 7 if %5 { break } else { yield } continue }"),
              HasSubstr("  loop {\n    %1:bool = helper_invocation\n    "));
  const std::string both = Ended(
      "%9:bool = ult %0, 4 loop { " + atomic +
      "if %3 { if %9 { %5:bool = ieq %2, 2 if %5 { break } else { yield } yield } else { yield } yield "
      "} else { yield } continue }");
  size_t count = 0;
  for (size_t at = 0; (at = both.find(":bool = or ", at)) != std::string::npos; ++at) ++count;
  EXPECT_EQ(count, 2u) << both;
}

// The results of an inner loop are constants, one of which the atomic chooses: by the exit taken,
// by the code skipped.
TEST(EndHelperLoops, WhichWayWasTaken) {
  const char* const kExit = "break\n    } else {\n      yield\n    }\n    continue\n  }";
  const auto outer_exit = [&](const std::string& text) {
    const size_t at = text.find(kExit);
    if (at == text.npos) return std::string("none in ") + text;
    const size_t begin = text.rfind('%', text.rfind(":bool", at));
    return text.substr(begin, text.find(' ', text.find("= ", begin) + 2) - begin);
  };
  const std::string lock = outer_exit(Ended(
      "loop { %2:bool = loop (%3:i32 = 0) { %4:bool = uge %3, 8 if %4 { break false } else { yield } "
      "%5:i32 = ssbo_atomic[0, exchange] 4, 1 %6:bool = ieq %5, 0 if %6 { break true } else { yield } "
      "%7:i32 = iadd %3, 1 continue %7 } if %2 { break } else { yield } continue }"));
  EXPECT_THAT(lock, testing::EndsWith(":bool = or")) << lock;
  const std::string skipped = Ended(
      "loop (%2:i32 = 0) { %3:bool = ieq %2, 1 if %3 { break } else { yield } "
      "%4:i32 = ssbo_atomic[0, or] 4, 0 %5:bool = ieq %4, 0 if %5 { continue 1 } else { yield } continue 0 }");
  EXPECT_THAT(skipped, HasSubstr("= or ")) << skipped;
}

TEST(EndHelperLoops, LoopsThatEndOrHaveNothingFromAtomicsStay) {
  const std::string atomic = "%2:i32 = ssbo_atomic[0, add] 0, 1 ";
  ExpectUnchanged("loop (%3:i32 = 0) { " + atomic +
                  "%4:bool = uge %3, 8 if %4 { break } else { yield } %5:bool = ieq %2, 3 "
                  "if %5 { break } else { yield } %6:i32 = iadd %3, 1 continue %6 }");
  ExpectUnchanged(
      "loop { " + atomic +
      "%3:i32 = load_ssbo[1, align 4] 0 %4:bool = ieq %3, 0 if %4 { break } else { yield } "
      "continue }");
  ExpectUnchanged("%2:i32 = ssbo_atomic[0, add] 0, 1 store_ssbo[0, align 4] 4, %2");
  // A lane that is demoted after its atomic continues to count, for its neighbours in the quad.
  ExpectUnchanged(atomic +
                  "%3:bool = ult %0, 4 demote %3 loop (%4:i32 = %2) { %5:bool = ieq %4, 0 "
                  "if %5 { break } else { yield } %6:i32 = isub %4, 1 continue %6 }");
}

TEST(EndHelperLoops, OtherStagesHaveNoHelpers) {
  const std::string body =
      "loop { %2:i32 = ssbo_atomic[0, exchange] 0, 1 %3:bool = ieq %2, 0 "
      "if %3 { break } else { yield } continue } return";
  EXPECT_EQ(RunOnBody(body, EndHelperLoops), RunOnBody(body, Nothing));
}

// Results of atomics in helpers are random here: other lanes count as without the pass, and all
// loops end.
TEST(EndHelperLoops, HelpersLeaveAndOthersDoNot) {
  absl::StatusOr<mir::Module> m = mir::Parse(
      "mir 1 stage fragment input 0 location 0.0 i32 x1 flat resource 0 ssbo 0.0.0 "
      "resource 1 ssbo 0.1.0 body { "
      "%0:i32 = load_input[0, 0] %1:bool = ieq %0, 2 demote %1 "
      "%2:i32 = loop (%3:i32 = 0) { %4:i32 = ssbo_atomic[0, add] 0, 1 %5:i32 = and %4, 2147483632 "
      "%6:bool = ieq %5, 80 if %6 { break %3 } else { yield } %7:i32 = iadd %3, 1 continue %7 } "
      "%8:i32 = shl %0, 2 store_ssbo[1, align 4] %8, %2 return }");
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(*EndHelperLoops(*m, context));
  ASSERT_EQ(mir::Verify(*m), absl::OkStatus());
  for (uint32_t seed = 1; seed < 20; ++seed) {
    oracle::LaunchInputs inputs;
    inputs.stage.inputs = {{0, 1, 2, 3}};
    inputs.stage.helpers = {false, false, false, true};
    inputs.undefined_seed = seed;
    inputs.buffers = {{0, 0, 0, std::vector<uint8_t>(4)}, {0, 1, 0, std::vector<uint8_t>(16)}};
    oracle::InterpLimits limits;
    limits.max_lane_steps = 10000;
    const auto run = oracle::Interpret(*m, inputs, limits);
    ASSERT_TRUE(run.ok()) << run.status();
    uint32_t sum = 0, rounds[4] = {};
    std::memcpy(&sum, inputs.buffers[0].bytes.data(), 4);
    std::memcpy(rounds, inputs.buffers[1].bytes.data(), 16);
    EXPECT_EQ(sum, 82u);
    EXPECT_EQ(rounds[0] + rounds[1], 80u);
    EXPECT_EQ(rounds[2] + rounds[3], 0u);
  }
}

}  // namespace
}  // namespace kiln::mid
