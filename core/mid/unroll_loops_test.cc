#include "core/mid/unroll_loops.h"

#include "core/mid/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(UnrollLoops, RoundsFollowEachOther) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  %8:i32 = loop (%0:i32 = 0, %1:i32 = %9) {
    %2:bool = slt %0, 3
    if %2 { yield } else { break %1 }
    %3:i32 = imul %1, %9
    %4:i32 = iadd %0, 1
    continue %4, %3
  }
  store_ssbo[0, align 4] 0, %8
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  %1:i32 = loop {
    %2:i32 = imul %0, %0
    %3:i32 = imul %2, %0
    %4:i32 = imul %3, %0
    break %4
  }
  store_ssbo[0, align 4] 0, %1
  return
)");
}

TEST(UnrollLoops, WhatTheCounterDecidesIsNotBuilt) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 0) {
    %1:bool = uge %0, 2
    if %1 { break } else { yield }
    %2:bool = ieq %0, 0
    %3:i32 = if %2 {
      store_ssbo[0, align 4] 0, 7
      yield 1
    } else {
      yield 2
    }
    store_ssbo[0, align 4] 4, %3
    %4:i32 = iadd %0, 1
    continue %4
  }
  return)",
                      UnrollLoops),
            R"(  loop {
    store_ssbo[0, align 4] 0, 7
    store_ssbo[0, align 4] 4, 1
    store_ssbo[0, align 4] 4, 2
    break
  }
  return
)");
}

TEST(UnrollLoops, ALoopWithoutRounds) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 9) {
    %1:bool = ult %0, 9
    if %1 { yield } else { break }
    store_ssbo[0, align 4] 0, %0
    %2:i32 = iadd %0, 1
    continue %2
  }
  return)",
                      UnrollLoops),
            R"(  loop {
    break
  }
  return
)");
}

TEST(UnrollLoops, EarlyContinuesAreNested) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = ult %0, 2
    if %1 { yield } else { break }
    %4:i32 = iadd %0, 1
    %5:bool = ult %9, %0
    if %5 { continue %4 } else { yield }
    store_ssbo[0, align 4] 0, %0
    continue %4
  }
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  loop {
    %1:bool = ult %0, 0
    %2:i32 = if %1 {
      yield 1
    } else {
      store_ssbo[0, align 4] 0, 0
      yield 1
    }
    %3:bool = ult %0, 1
    %4:i32 = if %3 {
      yield 2
    } else {
      store_ssbo[0, align 4] 0, 1
      yield 2
    }
    break
  }
  return
)");
}

TEST(UnrollLoops, DataDependentBreaksStay) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  %8:i32 = loop (%0:i32 = 0) {
    %1:bool = ult %0, 2
    if %1 { yield } else { break -1 }
    %5:bool = ieq %9, %0
    if %5 { break %0 } else { yield }
    %4:i32 = iadd %0, 1
    continue %4
  }
  store_ssbo[0, align 4] 0, %8
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  %1:i32 = loop {
    %2:bool = ieq %0, 0
    if %2 {
      break 0
    } else {
      yield
    }
    %3:bool = ieq %0, 1
    if %3 {
      break 1
    } else {
      yield
    }
    break -1
  }
  store_ssbo[0, align 4] 0, %1
  return
)");
}

constexpr char kManyStores[] = R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, 40
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = iadd %0, %1
    store_ssbo[0, align 4] %3, %0
    store_ssbo[0, align 4] %3, %1
    store_ssbo[0, align 4] %3, %3
    store_ssbo[0, align 4] %0, %3
    %4:i32 = iadd %1, 1
    continue %4
  }
  return
)";

TEST(UnrollLoops, LargeResultsAreNotMade) {
  EXPECT_EQ(RunOnBody(kManyStores, UnrollLoops), kManyStores);
}

TEST(UnrollLoops, InnerFirstOuterTheNextTime) {
  EXPECT_EQ(RunOnBody(R"(
  loop (%0:i32 = 0) {
    %1:bool = ult %0, 1
    if %1 { yield } else { break }
    loop (%5:i32 = 0) {
      %6:bool = ult %5, 1
      if %6 { yield } else { break }
      store_ssbo[0, align 4] %0, %5
      %7:i32 = iadd %5, 1
      continue %7
    }
    %2:i32 = iadd %0, 1
    continue %2
  }
  return)",
                      UnrollLoops),
            R"(  loop (%0:i32 = 0) {
    %1:bool = ult %0, 1
    if %1 {
      yield
    } else {
      break
    }
    loop {
      store_ssbo[0, align 4] %0, 0
      break
    }
    %2:i32 = iadd %0, 1
    continue %2
  }
  return
)");
}

TEST(UnrollLoops, AsksBeforeItChangesAnything) {
  constexpr char kText[] = R"(  %0:i32 = local_index
  loop (%1:i32 = 0) {
    %2:bool = ult %1, 2
    if %2 {
      yield
    } else {
      break
    }
    %3:i32 = iadd %1, 1
    %4:bool = ult %0, %1
    if %4 {
      continue %3
    } else {
      yield
    }
    store_ssbo[0, align 4] 0, %1
    continue %3
  }
  return
)";
  EXPECT_EQ(RunOnBody(kText, UnrollLoops, 0), kText);
  EXPECT_NE(RunOnBody(kText, UnrollLoops, 1), kText);
}

// Array 0 has 16 bytes: the fourth element is the last that a round can store.
TEST(UnrollLoops, UpToTheEndOfAnArray) {
  EXPECT_EQ(RunOnBody(R"(
  %9:i32 = local_index
  loop (%0:i32 = 0) {
    %1:bool = ult %0, %9
    if %1 { yield } else { break }
    %2:i32 = shl %0, 3
    store_private[0, align 4] %2, %0
    %3:i32 = iadd %0, 1
    continue %3
  }
  return)",
                      UnrollLoops),
            R"(  %0:i32 = local_index
  loop {
    %1:bool = ult 0, %0
    if %1 {
      yield
    } else {
      break
    }
    store_private[0, align 4] 0, 0
    %2:bool = ult 1, %0
    if %2 {
      yield
    } else {
      break
    }
    store_private[0, align 4] 8, 1
    %3:bool = ult 2, %0
    if %3 {
      yield
    } else {
      break
    }
    unreachable
  }
  return
)");
}

}  // namespace
}  // namespace kiln::mid
