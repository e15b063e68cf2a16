#include "core/mid/loops/merge_carried_values.h"

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(MergeCarriedValues, ResultsOfIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32, %4:i32, %5:i32 = if %1 {
    %6:i32 = load_ssbo[0, align 4] 0
    yield %0, %6, 1, %6
  } else {
    yield %0, 7, 2, 7
  }
  store_ssbo[0, align 4] 0, %2, %3, %4, %5
  return)",
                      MergeCarriedValues),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32, %3:i32 = if %1 {
    %4:i32 = load_ssbo[0, align 4] 0
    yield %4, 1
  } else {
    yield 7, 2
  }
  store_ssbo[0, align 4] 0, %0, %2, %3, %2
  return
)");
}

TEST(MergeCarriedValues, ParametersAndResultsOfLoops) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %9:i32, %10:i32, %11:i32 = loop (%1:i32 = 0, %2:i32 = %0, %3:i32 = %0, %4:i32 = 0) {
    %5:bool = ult %1, %2
    if %5 { yield } else { break %2, %3, %1 }
    %6:i32 = iadd %1, %3
    continue %6, %2, %0, %6
  }
  store_ssbo[0, align 4] 0, %9, %10, %11
  return)",
                      MergeCarriedValues),
            R"(  %0:i32 = local_index
  %1:i32 = loop (%2:i32 = 0) {
    %3:bool = ult %2, %0
    if %3 {
      yield
    } else {
      break %2
    }
    %4:i32 = iadd %2, %0
    continue %4
  }
  store_ssbo[0, align 4] 0, %0, %0, %1
  return
)");
}

// A value defined in the loop, though the same at each break, is visible only through the result;
// an if with one yield may define the value itself.
TEST(MergeCarriedValues, WhatStays) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  %1:i32 = loop (%2:i32 = %0) {
    %3:i32 = load_ssbo[0, align 4] %2
    %4:bool = ult %3, %2
    %5:i32 = if %4 {
      %6:i32 = iadd %3, 1
      yield %6
    } else {
      break %3
    }
    %7:bool = ult %5, 9
    if %7 {
      break %3
    } else {
      yield
    }
    continue %5
  }
  store_ssbo[0, align 4] 0, %1
  return
)";
  EXPECT_EQ(RunOnBody(kText, MergeCarriedValues), kText);
}

}  // namespace
}  // namespace kiln::mid
