#include "core/mid/control/remove_dead_control_flow.h"

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(DeadControlFlow, ConstantConditionsAndEmptyIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if true {
    %3:i32 = iadd %0, 1
    yield %3
  } else {
    yield 7
  }
  if %1 {
    yield
  } else {
    yield
  }
  %4:i32 = if %1 {
    yield %2
  } else {
    yield %2
  }
  store_ssbo[0, align 4] %4, 1
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  store_ssbo[0, align 4] %1, 1
  return
)");
}

TEST(DeadControlFlow, TheSideThatStaysMovesAfterTheIf) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, %0
    %3:i32 = if %2 {
      %4:i32 = iadd %1, 1
      yield %4
    } else {
      break
    }
    store_ssbo[0, align 4] %3, 1
    continue %3
  }
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, %0
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = iadd %1, 1
    store_ssbo[0, align 4] %3, 1
    continue %3
  }
  return
)");
}

TEST(DeadControlFlow, NothingFollowsAJump) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, %0
    if %2 {
      %4:i32 = iadd %1, 1
      continue %4
    } else {
      break
    }
    store_ssbo[0, align 4] 0, 1
    continue 0
  }
  loop {
    continue
  }
  store_ssbo[0, align 4] 0, 1
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, %0
    if %2 {
      %3:i32 = iadd %1, 1
      continue %3
    } else {
      break
    }
    unreachable
  }
  loop {
    continue
  }
  unreachable
)");
}

TEST(DeadControlFlow, ConstantConditionInALoopEndsTheList) {
  EXPECT_EQ(RunOnBody(R"(
  loop {
    %0:i32 = load_ssbo[0, align 4] 0
    %1:bool = ieq %0, 0
    if %1 {
      continue
    } else {
      yield
    }
    if true {
      store_ssbo[0, align 4] 0, 1
      break
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, 2
    continue
  }
  return)",
                      RemoveDeadControlFlow),
            R"(  loop {
    %0:i32 = load_ssbo[0, align 4] 0
    %1:bool = ieq %0, 0
    if %1 {
      continue
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, 1
    break
  }
  return
)");
}

TEST(DeadControlFlow, ALoopThatRunsOnceIsStraightCode) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = loop (%2:i32 = %0) {
    %3:i32 = iadd %2, 1
    break %3
  }
  store_ssbo[0, align 4] %1, 1
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  store_ssbo[0, align 4] %1, 1
  return
)");
}

// The shape of early returns.
TEST(DeadControlFlow, EarlyExitsBecomeNestedIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = loop {
    if %1 {
      store_ssbo[0, align 4] 0, 1
      break 5
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, 2
    %4:i32 = if %2 {
      yield %0
    } else {
      break 6
    }
    store_ssbo[0, align 4] 0, %4
    break 7
  }
  store_ssbo[0, align 4] 8, %3
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = if %1 {
    store_ssbo[0, align 4] 0, 1
    yield 5
  } else {
    store_ssbo[0, align 4] 0, 2
    %4:i32 = if %2 {
      store_ssbo[0, align 4] 0, %0
      yield 7
    } else {
      yield 6
    }
    yield %4
  }
  store_ssbo[0, align 4] 8, %3
  return
)");
}

TEST(DeadControlFlow, BothSidesLeave) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = loop {
    if %1 {
      break 5
    } else {
      break 6
    }
    unreachable
  }
  store_ssbo[0, align 4] 0, %2
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    yield 5
  } else {
    yield 6
  }
  store_ssbo[0, align 4] 0, %2
  return
)");
}

// Lanes that leave the inner if and lanes that pass it would both have to skip the rest: stays a
// loop.
TEST(DeadControlFlow, ExitsThatFallThroughKeepTheLoop) {
  const char* body = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  loop {
    if %1 {
      store_ssbo[0, align 4] 0, 3
      if %2 {
        break
      } else {
        yield
      }
      yield
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, 1
    break
  }
  return
)";
  EXPECT_EQ(RunOnBody(body, RemoveDeadControlFlow), body);
}

TEST(DeadControlFlow, UnreachableSidesAreNotTaken) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    unreachable
  } else {
    yield 7
  }
  store_ssbo[0, align 4] 0, %2
  return)",
                      RemoveDeadControlFlow),
            "  store_ssbo[0, align 4] 0, 7\n  return\n");
}

// 300 early exits in a row are more than are nested; nothing breaks.
TEST(DeadControlFlow, ManyExitsStayALoop) {
  std::string body = "  %0:i32 = local_index\n  loop {\n";
  for (int i = 0; i < 300; ++i) {
    body += "    %" + std::to_string(i + 1) + ":bool = ieq %0, " + std::to_string(i) + "\n";
    body +=
        "    if %" + std::to_string(i + 1) + " {\n      break\n    } else {\n      yield\n    }\n";
  }
  body += "    break\n  }\n  return\n";
  EXPECT_EQ(RunOnBody(body, RemoveDeadControlFlow), body);
}

TEST(DeadControlFlow, TheExitInFrontOfUnreachableIsTaken) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 8
  %9:i32 = loop {
    if %1 {
      yield
    } else {
      break 1
    }
    store_ssbo[0, align 4] 0, 7
    if %2 {
      yield
    } else {
      break 2
    }
    %3:i32 = imul %0, %0
    unreachable
  }
  store_ssbo[0, align 4] 4, %9
  return)",
                      RemoveDeadControlFlow),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    store_ssbo[0, align 4] 0, 7
    yield 2
  } else {
    yield 1
  }
  store_ssbo[0, align 4] 4, %2
  return
)");
}

TEST(DeadControlFlow, NothingFollowsTheEndOfAllInvocations) {
  for (const std::string kill : {"discard", "terminate"}) {
    EXPECT_EQ(RunOnFragmentBody("%0:i32 = load_input[1, 0] store_ssbo[0, align 4] 0, %0 " + kill +
                                    " true store_output[0, 0] 1f return",
                                RemoveDeadControlFlow),
              "  %0:i32 = load_input[1, 0]\n  store_ssbo[0, align 4] 0, %0\n  " + kill +
                  " true\n  unreachable\n");
    EXPECT_EQ(RunOnFragmentBody("%0:i32 = load_input[1, 0] %1:bool = ult %0, 5 "
                                "loop (%2:i32 = 0) { if %1 { break } else { yield } "
                                "store_ssbo[0, align 4] 0, %2 " +
                                    kill +
                                    " true %3:i32 = iadd %2, 1 continue %3 } "
                                    "store_output[0, 0] 1f return",
                                RemoveDeadControlFlow),
              "  %0:i32 = load_input[1, 0]\n"
              "  %1:bool = ult %0, 5\n"
              "  if %1 {\n"
              "    yield\n"
              "  } else {\n"
              "    store_ssbo[0, align 4] 0, 0\n"
              "    " +
                  kill +
                  " true\n"
                  "    unreachable\n"
                  "  }\n"
                  "  store_output[0, 0] 1f\n"
                  "  return\n");
  }
  const std::string demoted = "  demote true\n  store_output[0, 0] 1f\n  return\n";
  EXPECT_EQ(RunOnFragmentBody(demoted, RemoveDeadControlFlow), demoted);
}

TEST(DeadControlFlow, KillsOnFalseAreRemoved) {
  for (const std::string kill : {"discard", "terminate", "demote"}) {
    EXPECT_EQ(
        RunOnFragmentBody(kill + " false store_output[0, 0] 1f return", RemoveDeadControlFlow),
        "  store_output[0, 0] 1f\n  return\n");
    EXPECT_EQ(RunOnFragmentBody(kill + " false store_output[0, 0] 1f return", RemoveDeadControlFlow,
                                /*rewrite_limit=*/0),
              "  " + kill + " false\n  store_output[0, 0] 1f\n  return\n");
  }
}

}  // namespace
}  // namespace kiln::mid
