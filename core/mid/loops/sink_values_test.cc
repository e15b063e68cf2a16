#include "core/mid/loops/sink_values.h"

#include <string>

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(SinkValues, ChainsGoWhereTheyAreUsed) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = imul %0, 12
  %3:i32 = load_push[align 4] %2
  %4:i32 = iadd %0, 1
  if %1 {
    store_ssbo[0, align 4] %2, %3
    yield
  } else {
    store_ssbo[0, align 4] 0, %4
    yield
  }
  return)",
                      SinkValues),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    %2:i32 = imul %0, 12
    %3:i32 = load_push[align 4] %2
    store_ssbo[0, align 4] %2, %3
    yield
  } else {
    %4:i32 = iadd %0, 1
    store_ssbo[0, align 4] 0, %4
    yield
  }
  return
)");
}

TEST(SinkValues, ToTheCommonRegionOfAllUses) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = imul %0, 12
  if %1 {
    if %2 {
      store_ssbo[0, align 4] 0, %3
      yield
    } else {
      store_ssbo[0, align 4] 4, %3
      yield
    }
    yield
  } else {
    yield
  }
  return)",
                      SinkValues),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    %2:bool = ult %0, 2
    %3:i32 = imul %0, 12
    if %2 {
      store_ssbo[0, align 4] 0, %3
      yield
    } else {
      store_ssbo[0, align 4] 4, %3
      yield
    }
    yield
  } else {
    yield
  }
  return
)");
}

// Stay: values used in a loop, on both sides or after the if, and instructions that are not pure.
TEST(SinkValues, WhatStays) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = imul %0, 12
  %3:i32 = imul %0, 13
  %4:i32 = load_ssbo[0, align 4] %0
  loop (%5:i32 = %0) {
    %6:bool = ult %5, %2
    if %6 {
      yield
    } else {
      break
    }
    continue %3
  }
  if %1 {
    store_ssbo[0, align 4] %3, %4
    yield
  } else {
    yield
  }
  return
)";
  EXPECT_EQ(RunOnBody(kText, SinkValues), kText);
}

// Two values would stay live instead of one; once another use keeps one of them live, it pays.
TEST(SinkValues, NotIfMoreValuesLiveOn) {
  const std::string last = R"(
  if %2 {
    store_ssbo[0, align 4] 0, %3
    yield
  } else {
    yield
  }
  return
)";
  const std::string front = R"(  %0:i32, %1:i32 = load_ssbo[0, align 4] 0
  %2:bool = ult %0, 4
  %3:i32 = imul %0, %1)";
  EXPECT_EQ(RunOnBody(front + last, SinkValues), front + last);
  const std::string after =
      last.substr(0, last.find("  return")) + "  store_ssbo[0, align 4] 8, %1\n  return\n";
  EXPECT_NE(RunOnBody(front + after, SinkValues), front + after);
}

// An instruction may sink into a branch inside the same loop body.
TEST(SinkValues, InsideALoop) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  loop (%1:i32 = %0) {
    %2:i32 = imul %1, 3
    %3:bool = ult %1, 4
    if %3 {
      store_ssbo[0, align 4] 0, %2
      break
    } else {
      yield
    }
    %4:i32 = isub %1, 1
    continue %4
  }
  return)",
                      SinkValues),
            R"(  %0:i32 = local_index
  loop (%1:i32 = %0) {
    %2:bool = ult %1, 4
    if %2 {
      %3:i32 = imul %1, 3
      store_ssbo[0, align 4] 0, %3
      break
    } else {
      yield
    }
    %4:i32 = isub %1, 1
    continue %4
  }
  return
)");
}

}  // namespace
}  // namespace kiln::mid
