#include "core/mid/loops/hoist_invariants.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

// A loop over %2 with these instructions in its body; %0 and %1 are defined outside.
std::string LoopWith(const std::string& front, const std::string& body) {
  return "  %0:i32 = local_index\n  %1:i32 = workgroup_id[0]\n" + front +
         "  loop (%2:i32 = %0) {\n    %3:bool = ult %2, 9\n    if %3 {\n      yield\n"
         "    } else {\n      break\n    }\n" +
         body + "  }\n  return\n";
}

TEST(HoistInvariants, ChainsMoveTogether) {
  EXPECT_EQ(RunOnBody(LoopWith("",
                               "    %4:i32 = imul %0, 12\n"
                               "    %5:i32 = iadd %4, %1\n"
                               "    %6:i32 = iadd %5, %2\n"
                               "    store_ssbo[0, align 4] %6, %5\n"
                               "    continue %6\n"),
                      HoistInvariants),
            "  %0:i32 = local_index\n  %1:i32 = workgroup_id[0]\n"
            "  %2:i32 = imul %0, 12\n  %3:i32 = iadd %2, %1\n"
            "  loop (%4:i32 = %0) {\n    %5:bool = ult %4, 9\n    if %5 {\n      yield\n"
            "    } else {\n      break\n    }\n"
            "    %6:i32 = iadd %3, %4\n"
            "    store_ssbo[0, align 4] %6, %3\n"
            "    continue %6\n  }\n  return\n");
}

TEST(HoistInvariants, ReadsMoveFromTheBodyButNotFromUnderAnIf) {
  EXPECT_EQ(RunOnBody(LoopWith("",
                               "    %4:i32 = load_push[align 4] %1\n"
                               "    %5:bool = ult %0, %2\n"
                               "    if %5 {\n"
                               "      %6:i32 = load_push[align 4] %0\n"
                               "      %7:i32 = iadd %1, %0\n"
                               "      store_ssbo[0, align 4] %7, %6\n"
                               "      yield\n"
                               "    } else {\n"
                               "      yield\n"
                               "    }\n"
                               "    continue %4\n"),
                      HoistInvariants),
            "  %0:i32 = local_index\n  %1:i32 = workgroup_id[0]\n"
            "  %2:i32 = load_push[align 4] %1\n  %3:i32 = iadd %1, %0\n"
            "  loop (%4:i32 = %0) {\n    %5:bool = ult %4, 9\n    if %5 {\n      yield\n"
            "    } else {\n      break\n    }\n"
            "    %6:bool = ult %0, %4\n"
            "    if %6 {\n"
            "      %7:i32 = load_push[align 4] %0\n"
            "      store_ssbo[0, align 4] %3, %7\n"
            "      yield\n"
            "    } else {\n"
            "      yield\n"
            "    }\n"
            "    continue %2\n  }\n  return\n");
}

// Push constants at known offsets are in registers: reading them is no access that an if would
// save.
TEST(HoistInvariants, KnownPushConstantsMoveFromUnderAnIf) {
  const std::string text = RunOnBody(LoopWith("",
                                              "    %4:bool = ult %0, %2\n"
                                              "    if %4 {\n"
                                              "      %5:i32 = load_push[align 4] 8\n"
                                              "      %6:i32 = iadd %5, 3\n"
                                              "      store_ssbo[0, align 4] %2, %6\n"
                                              "      yield\n"
                                              "    } else {\n"
                                              "      yield\n"
                                              "    }\n"
                                              "    continue %2\n"),
                                     HoistInvariants);
  EXPECT_LT(text.find("load_push"), text.find("loop")) << text;
  EXPECT_LT(text.find("iadd"), text.find("loop")) << text;
}

TEST(HoistInvariants, WhatStays) {
  const std::string text = LoopWith("",
                                    "    %4:i32 = load_ssbo[1, align 4] %1\n"
                                    "    %5:bool = ult %0, %1\n"
                                    "    %6:bool = subgroup_any %5\n"
                                    "    %7:i32 = select %6, %4, %2\n"
                                    "    continue %7\n");
  EXPECT_EQ(RunOnBody(text, HoistInvariants), text);
}

// After a break or under an if an index may be out of range where the code is not reached.
TEST(HoistInvariants, ReadsThroughChosenDescriptorsStay) {
  const std::string text = R"(mir 1
entry ""
local_size 8, 1, 1
resource 0 ssbo 0.0.0
resource 1 ssbo 0.1.0 array 4
resource 2 ubo 0.2.0 array 4
body {
  %0:i32 = workgroup_id[0]
  loop (%1:i32 = %0) {
    %2:bool = ult %1, 9
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = load_ubo.indexed[2, align 4] %0, 0
    %4:i32 = ssbo_size.indexed[1] %0
    store_ssbo[0, align 4] %1, %3, %4
    continue %4
  }
  return
}
)";
  absl::StatusOr<mir::Module> m = mir::Parse(text);
  ASSERT_TRUE(m.ok()) << m.status();
  PassContext context = PassContext::ForTest();
  EXPECT_FALSE(*HoistInvariants(*m, context));
  EXPECT_EQ(mir::Print(*m), text);
}

TEST(HoistInvariants, OutOfAsManyLoopsAsPossible) {
  EXPECT_EQ(
      RunOnBody(LoopWith("",
                         "    loop (%4:i32 = %2) {\n"
                         "      %5:i32 = imul %1, 3\n"
                         "      %6:i32 = imul %2, 5\n"
                         "      %7:i32 = iadd %5, %6\n"
                         "      %8:bool = ult %7, %4\n"
                         "      if %8 {\n        yield\n      } else {\n        break\n      }\n"
                         "      %9:i32 = iadd %4, %7\n"
                         "      continue %9\n"
                         "    }\n"
                         "    %10:i32 = iadd %2, 1\n"
                         "    continue %10\n"),
                HoistInvariants),
      "  %0:i32 = local_index\n  %1:i32 = workgroup_id[0]\n"
      "  %2:i32 = imul %1, 3\n"
      "  loop (%3:i32 = %0) {\n    %4:bool = ult %3, 9\n    if %4 {\n      yield\n"
      "    } else {\n      break\n    }\n"
      "    %5:i32 = imul %3, 5\n"
      "    %6:i32 = iadd %2, %5\n"
      "    loop (%7:i32 = %3) {\n"
      "      %8:bool = ult %6, %7\n"
      "      if %8 {\n        yield\n      } else {\n        break\n      }\n"
      "      %9:i32 = iadd %7, %6\n"
      "      continue %9\n"
      "    }\n"
      "    %10:i32 = iadd %3, 1\n"
      "    continue %10\n  }\n  return\n");
}

TEST(HoistInvariants, AtMostThirtyTwoValues) {
  std::string body;
  for (int i = 0; i < 40; ++i) {
    const std::string n = std::to_string(10 + i);
    body += "    %" + n + ":i32 = imul %1, " + std::to_string(100 + i) + "\n";
    body += "    store_ssbo[0, align 4] %2, %" + n + "\n";
  }
  const std::string out = RunOnBody(LoopWith("", body + "    continue %1\n"), HoistInvariants);
  const std::string front = out.substr(0, out.find("loop"));
  EXPECT_NE(front.find("imul %1, 131"), std::string::npos) << out;
  EXPECT_EQ(front.find("imul %1, 132"), std::string::npos) << out;
}

}  // namespace
}  // namespace kiln::mid
