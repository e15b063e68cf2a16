// halve_values: see passes.h.
#include <string>

#include "core/intel/messages/passes.h"
#include "core/intel/messages/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

using testing::After;

// Runs the pass on the result of halving messages.
absl::StatusOr<bool> Halve(lir::Function& f, PassContext& context) {
  absl::StatusOr<bool> halved = HalveMessages(f, context);
  if (!halved.ok()) return halved;
  const absl::StatusOr<bool> values = HalveValues(f, Tgl(), context);
  return values.ok() ? *halved || *values : values;
}

std::string Halved(const std::string& body) { return After(body, Halve, 32); }

// The same with flags %16, %17 and %18.
std::string HalvedWithFlags(const std::string& body) {
  return testing::AfterWith("value %16 F 0x1\nvalue %17 F 0x1\nvalue %18 F 0x1\n", body, Halve, 32);
}

constexpr char kEnd[] = "  msg.target_end %10x4:ud {w32 [target_write last_target 1]}\n";

// Each of the two instructions has a result in registers of its own, which the payload takes as
// they are.
TEST(HalveValues, WhatOnlyMessagesTakeIsComputedByHalves) {
  EXPECT_EQ(Halved(std::string("  %3:f = mul %0:f %14:f {w32}\n"
                               "  %10x4:ud = collect %3:ud %3:ud _ _ {w32}\n") +
                   kEnd),
            "  %24x16:f = mul %22x16:f %14:f {w16}\n"
            "  %25x16:f = mul %23x16:f %14:f {w16 g16}\n"
            "  %18x64:ud = collect %24x16:ud %24x16:ud _x16 _x16 {w16 nomask}\n"
            "  msg.target_last %18x64:ud {w16 [target_write last_target 1]}\n"
            "  %21x64:ud = collect %25x16:ud %25x16:ud _x16 _x16 {w16 nomask}\n"
            "  msg.target_end %21x64:ud {w16 g16 [target_write high_slots 1 last_target 1]}\n");
}

// Responses for 16 lanes are read directly, also through instructions, and are not joined.
TEST(HalveValues, ResponsesAreReadByHalves) {
  const std::string out =
      Halved(std::string("  %11x4:ud = msg.read %0:ud {w32 [untyped_read lanes 16 channels 15]}\n"
                         "  %3:f = mul %11.2:f %14:f {w32}\n"
                         "  %4:f = add %11.2:f %3:f {w32}\n"
                         "  %10x4:ud = collect %4:ud %11.1:ud %3:ud %1:ud {w32}\n") +
             kEnd);
  EXPECT_EQ(out.find("join"), std::string::npos) << out;
  EXPECT_EQ(out.find("w32"), std::string::npos) << out;
  EXPECT_NE(out.find("%32x16:f = mul %16.32x16:f %14:f {w16}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("%35x16:f = add %17.32x16:f %33x16:f {w16 g16}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("collect %34x16:ud %16.16x16:ud %32x16:ud"), std::string::npos) << out;
  EXPECT_NE(out.find("collect %35x16:ud %17.16x16:ud %33x16:ud"), std::string::npos) << out;
}

// The mask of dead lanes is for all lanes: for a kill the component is joined, the others are not.
TEST(HalveValues, JoinsMakeWhatIsReadWhole) {
  const std::string out =
      Halved(std::string("  %11x4:ud = msg.read %0:ud {w32 [untyped_read lanes 16 channels 15]}\n"
                         "  kill %11.3:f %14:f {w32 cmod 5}\n"
                         "  %10x4:ud = collect %11:ud %11.1:ud %11.3:ud %11.3:ud {w32}\n") +
             kEnd);
  EXPECT_NE(out.find("  %30:ud = join_groups %16.48x16:ud %17.48x16:ud {w32}\n"
                     "  kill %30:f %14:f {w32 cmod 5}\n"),
            std::string::npos)
      << out;
  EXPECT_EQ(out.find("join", out.find("kill")), std::string::npos) << out;
  EXPECT_NE(out.find("collect %16x16:ud %16.16x16:ud %16.48x16:ud %16.48x16:ud"), std::string::npos)
      << out;
}

// Each half has a flag of its own, which selects in its own half of the lanes.
TEST(HalveValues, ConditionsAreHalvedWithWhatTheyChoose) {
  EXPECT_EQ(HalvedWithFlags(std::string("  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
                                        "  %3:ud = sel %0:ud %14:ud %16:uw {w32 pred 1}\n"
                                        "  %10x4:ud = collect %3:ud %3:ud _ _ {w32}\n") +
                            kEnd),
            "  %27:uw = cmp %25x16:f %14:f {w16 cmod 5}\n"
            "  %28:uw = cmp %26x16:f %14:f {w16 g16 cmod 5}\n"
            "  %29x16:ud = sel %25x16:ud %14:ud %27:uw {w16 pred 1}\n"
            "  %30x16:ud = sel %26x16:ud %14:ud %28:uw {w16 g16 pred 1}\n"
            "  %21x64:ud = collect %29x16:ud %29x16:ud _x16 _x16 {w16 nomask}\n"
            "  msg.target_last %21x64:ud {w16 [target_write last_target 1]}\n"
            "  %24x64:ud = collect %30x16:ud %30x16:ud _x16 _x16 {w16 nomask}\n"
            "  msg.target_end %24x64:ud {w16 g16 [target_write high_slots 1 last_target 1]}\n");
}

// Messages for half of the lanes have half of the predicate.
TEST(HalveValues, PredicatesOfMessagesAreHalves) {
  EXPECT_EQ(
      HalvedWithFlags(
          "  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
          "  %11x4:ud = msg.read %0:ud %16:uw {w32 pred 1 [untyped_read lanes 16 channels 15]}\n"),
      "  %23:uw = cmp %21x16:f %14:f {w16 cmod 5}\n"
      "  %24:uw = cmp %22x16:f %14:f {w16 g16 cmod 5}\n"
      "  %19x64:ud = msg.read %21x16:ud %23:uw {w16 pred 1 [untyped_read lanes 16 channels 15]}\n"
      "  %20x64:ud = msg.read %22x16:ud %24:uw {w16 g16 pred 1 [untyped_read lanes 16 channels 15]}\n");
}

// A compare's result as a number, and a condition besides a result.
TEST(HalveValues, ConditionsBesideResultsAreHalved) {
  const std::string out =
      HalvedWithFlags(std::string("  %3:f %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
                                  "  %4:f = add %0:f %14:f {w32}\n"
                                  "  %5:f %17:uw = mul %4:f %14:f {w32 cmod 6}\n"
                                  "  %6:ud = sel %5:ud #0x0:ud %17:uw {w32 pred 1}\n"
                                  "  %10x4:ud = collect %3:ud %5:ud %6:ud _ {w32}\n") +
                      kEnd);
  EXPECT_EQ(out.find("w32"), std::string::npos) << out;
  EXPECT_NE(out.find(":uw = cmp %"), std::string::npos) << out;
  EXPECT_NE(out.find("{w16 g16 cmod 6}"), std::string::npos) << out;
  EXPECT_NE(out.find("{w16 g16 pred 1}"), std::string::npos) << out;
}

// An instruction that reads a flag for all lanes keeps the flag and its compare whole.
TEST(HalveValues, AFlagThatIsReadWholeStaysWhole) {
  const std::string out =
      HalvedWithFlags(std::string("  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
                                  "  %3:ud = sel %0:ud %14:ud %16:uw {w32 pred 1}\n"
                                  "  -> b1\n"
                                  "block b1 depth 0\n"
                                  "  %4:ud = sel %0:ud %14:ud %16:uw {w32 pred 1}\n"
                                  "  %10x4:ud = collect %3:ud %4:ud _ _ {w32}\n") +
                      kEnd);
  EXPECT_NE(out.find("  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"), std::string::npos) << out;
  EXPECT_NE(out.find(" %16:uw {w32 pred 1}\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("= cmp", out.find("= cmp") + 1), std::string::npos) << out;
  EXPECT_NE(out.find("{w16 g16 [target_write"), std::string::npos) << "halved nothing\n" << out;
}

// All flags together hold two flags of 32 lanes. Halving a condition doubles its flags, so
// conditions that are live at the same time are not halved; conditions that follow one another are.
TEST(HalveValues, ConditionsAreHalvedWhereFlagsAreFree) {
  const std::string compares =
      "  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
      "  %17:uw = cmp %1:f %14:f {w32 cmod 5}\n";
  const std::string selects =
      "  %3:ud = sel %0:ud %14:ud %16:uw {w32 pred 1}\n"
      "  %4:ud = sel %0:ud %14:ud %17:uw {w32 pred 1}\n";
  const std::string write = std::string("  %10x4:ud = collect %3:ud %4:ud _ _ {w32}\n") + kEnd;
  const std::string both = HalvedWithFlags(compares + selects + write);
  EXPECT_NE(both.find(compares), std::string::npos) << both;
  EXPECT_NE(both.find(":ud %14:ud %17:uw {w16 g16 pred 1}\n"), std::string::npos) << both;

  const std::string one = HalvedWithFlags(
      "  %16:uw = cmp %0:f %14:f {w32 cmod 5}\n"
      "  %3:ud = sel %0:ud %14:ud %16:uw {w32 pred 1}\n"
      "  %17:uw = cmp %1:f %14:f {w32 cmod 5}\n"
      "  %4:ud = sel %0:ud %14:ud %17:uw {w32 pred 1}\n" +
      write);
  EXPECT_EQ(one.find("w32"), std::string::npos) << one;
}

const char kRead[] = "  %11x4:ud = msg.read %0:ud {w32 [untyped_read lanes 16 channels 15]}\n";
const char kSum[] =
    "  %3:f = add %11:f %11.1:f {w32}\n"
    "  %4:f = add %3:f %11.2:f {w32}\n";
const char kElsewhere[] =
    "  -> b1\n"
    "block b1 depth 0\n"
    "  %5:f = mul %4:f %14:f {w32}\n"
    "  %10x4:ud = collect %5:ud _ _ _ {w32}\n";

// A sum is joined instead of its operands; the component without readers is never joined.
TEST(HalveValues, WhatIsBelowResponsesIsJoinedLater) {
  const std::string out = Halved(std::string(kRead) + kSum + kElsewhere + kEnd);
  EXPECT_EQ(out.find("join"), out.rfind("join")) << out;
  EXPECT_NE(out.find("  %4:ud = join_groups %"), std::string::npos) << out;
  EXPECT_NE(out.find(":f = add %16x16:f %16.16x16:f {w16}\n"), std::string::npos) << out;
  EXPECT_NE(out.find(":f = add %17x16:f %17.16x16:f {w16 g16}\n"), std::string::npos) << out;
}

// The same number of joins as before is no gain.
TEST(HalveValues, ResponsesAreJoinedWhereNothingIsGained) {
  const std::string out =
      Halved(std::string(kRead) + "  %4:f = add %11:f %14:f {w32}\n" + kElsewhere + kEnd);
  EXPECT_NE(out.find(":ud = join_groups %16x16:ud %17x16:ud {w32}\n"), out.npos) << out;
  EXPECT_NE(out.find("  %4:f = add %"), std::string::npos) << out;
  EXPECT_NE(out.find(":f %14:f {w32}\n"), std::string::npos) << out;
  const std::string both = Halved(std::string(kRead) +
                                  "  %3:f = add %11:f %11.1:f {w32}\n"
                                  "  %4:f = add %11:f -%11.1:f {w32}\n"
                                  "  -> b1\n"
                                  "block b1 depth 0\n"
                                  "  %10x4:ud = collect %3:ud %4:ud _ _ {w32}\n" +
                                  kEnd);
  EXPECT_NE(both.find("= join_groups %16.16x16:ud %17.16x16:ud {w32}\n"), both.npos) << both;
  EXPECT_NE(both.find("  %3:f = add %"), std::string::npos) << both;
  EXPECT_NE(both.find("  %4:f = add %"), std::string::npos) << both;
}

// In a loop, one join has to save more than two.
TEST(HalveValues, InLoopsResultsAreJoinedForMore) {
  const std::string two =
      std::string(kRead) + "  %4:f = add %11:f %11.1:f {w32}\n" + kElsewhere + kEnd;
  const std::string three = std::string(kRead) + kSum + kElsewhere + kEnd;
  const auto in_loop = [](const std::string& body) {
    return Halved("  -> b1\nblock b1 depth 1\n" + body.substr(0, body.find("  -> b1")) +
                  "  -> b2\nblock b2 depth 0\n" + body.substr(body.find("depth 0\n") + 8));
  };
  EXPECT_NE(Halved(two).find("  %4:ud = join_groups"), std::string::npos);
  EXPECT_EQ(in_loop(two).find("  %4:ud = join_groups"), std::string::npos) << in_loop(two);
  EXPECT_NE(in_loop(three).find("  %4:ud = join_groups"), std::string::npos) << in_loop(three);
}

// Responses then occupy registers for longer than joined values would: this is not done where
// registers run out.
TEST(HalveValues, WhereRegistersRunOutResponsesAreJoinedAtOnce) {
  std::string values, made;
  for (int v = 16; v < 48; ++v) {
    values += "value %" + std::to_string(v) + " G 4x1\n";
    made += "  %" + std::to_string(v) + ":ud = mov %0:ud {w32}\n";
  }
  const auto with = [&](int count) {
    std::string rest;
    for (int v = 16; v < 16 + count; ++v) {
      rest += "  msg.write %" + std::to_string(v) +
              ":ud %0:ud {w32 [untyped_write lanes 16 channels 1]}\n";
    }
    return testing::AfterWith(values, made + kRead + kSum + rest + kElsewhere + kEnd, Halve, 32);
  };
  EXPECT_NE(with(4).find("  %4:ud = join_groups"), std::string::npos) << "whole";
  EXPECT_EQ(with(32).find("  %4:ud = join_groups"), std::string::npos) << "joined";
}

// A condition computed from a response, and the values that it selects.
TEST(HalveValues, ConditionsBelowResponsesAreHalved) {
  const std::string chosen =
      "  %16:uw = cmp %11:f %11.1:f {w32 cmod 5}\n"
      "  %4:ud = sel %11.2:ud %14:ud %16:uw {w32 pred 1}\n";
  const std::string out = HalvedWithFlags(std::string(kRead) + chosen + kElsewhere + kEnd);
  EXPECT_NE(out.find("  %4:ud = join_groups"), std::string::npos) << out;
  EXPECT_NE(out.find(":uw = cmp %19x16:f %19.16x16:f {w16 cmod 5}\n"), std::string::npos) << out;

  // A flag cannot be joined: if it is also read whole, its compare is whole, and so is every reader
  // of the flag.
  const std::string whole = HalvedWithFlags(std::string(kRead) + chosen +
                                            "  -> b1\n"
                                            "block b1 depth 0\n"
                                            "  %5:ud = sel %4:ud %14:ud %16:uw {w32 pred 1}\n"
                                            "  %10x4:ud = collect %5:ud _ _ _ {w32}\n" +
                                            kEnd);
  EXPECT_NE(whole.find("  %16:uw = cmp %"), std::string::npos) << whole;
  EXPECT_EQ(whole.find("w16 cmod 5"), std::string::npos) << whole;
}

// The message that ends the thread is sent from the tail, where the value lies for all lanes.
TEST(HalveValues, APayloadInTheTailIsLeftWhole) {
  EXPECT_EQ(Halved("  %3:f = mul %0:f %14:f {w32}\n"
                   "  msg.target_end %3:ud {w32 [target_write last_target 1]}\n"),
            "  %3:f = mul %0:f %14:f {w32}\n"
            "  msg.target_last %3:ud {w16 [target_write last_target 1]}\n"
            "  msg.target_end %3:ud {w16 g16 [target_write high_slots 1 last_target 1]}\n");
}

// In another block, other lanes may be on.
TEST(HalveValues, OtherBlocksReadTheWholeValue) {
  const std::string out = Halved(std::string("  %3:f = mul %0:f %14:f {w32}\n"
                                             "  -> b1\n"
                                             "block b1 depth 0\n"
                                             "  %10x4:ud = collect %3:ud %3:ud _ _ {w32}\n") +
                                 kEnd);
  EXPECT_NE(out.find("%3:f = mul %0:f %14:f {w32}\n"), std::string::npos) << out;
  EXPECT_NE(out.find("mov %3:ud {w16 g16}\n"), std::string::npos) << out;
}

TEST(HalveValues, NothingIsRewrittenWhenToldSo) {
  const std::string body = std::string(
                               "  %3:f = mul %0:f %14:f {w32}\n"
                               "  %10x4:ud = collect %3:ud %3:ud _ _ {w32}\n") +
                           kEnd;
  const std::string out = After(body, Halve, 32, 0);
  EXPECT_EQ(out, After(body, HalveMessages, 32));
}

}  // namespace
}  // namespace kiln::intel
