#include "core/mid/control/convert_if_to_select.h"

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(ConvertIfToSelect, FlattensNestedCheapIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = if %1 {
    %4:i32 = if %2 {
      yield 1
    } else {
      yield %0
    }
    %5:i32 = iadd %4, 7
    yield %5
  } else {
    yield 0
  }
  store_ssbo[0, align 4] 0, %3
  return)",
                      ConvertIfToSelect),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = select %2, 1, %0
  %4:i32 = iadd %3, 7
  %5:i32 = select %1, %4, 0
  store_ssbo[0, align 4] 0, %5
  return
)");
}

TEST(ConvertIfToSelect, EqualValuesNeedNoSelect) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    yield %0
  } else {
    yield %0
  }
  store_ssbo[0, align 4] 0, %2
  return)",
                      ConvertIfToSelect),
            R"(  %0:i32 = local_index
  store_ssbo[0, align 4] 0, %0
  return
)");
}

// Push constants at a known offset are in registers: reading them is no access to memory.
TEST(ConvertIfToSelect, KnownPushConstantsAreCheap) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    %3:i32 = load_push[align 4] 8
    yield %3
  } else {
    yield 0
  }
  %4:i32 = if %1 {
    %5:i32 = load_push[align 4] %0
    yield %5
  } else {
    yield 0
  }
  store_ssbo[0, align 4] 0, %2, %4
  return)",
                      ConvertIfToSelect),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = load_push[align 4] 8
  %3:i32 = select %1, %2, 0
  %4:i32 = if %1 {
    %5:i32 = load_push[align 4] %0
    yield %5
  } else {
    yield 0
  }
  store_ssbo[0, align 4] 0, %3, %4
  return
)");
}

constexpr char kKept[][400] = {
    // Memory.
    R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:f32 = if %1 {
    %3:f32 = load_ssbo[0, align 4] 0
    yield %3
  } else {
    yield 0f
  }
  store_ssbo[0, align 4] 0, %2
  return
)",
    // Too expensive: two divisions.
    R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = if %1 {
    %3:i32 = udiv 100, %0
    %4:i32 = udiv %3, %0
    yield %4
  } else {
    yield 0
  }
  store_ssbo[0, align 4] 0, %2
  return
)",
    // A side that leaves the loop.
    R"(  %0:i32 = local_index
  %1:i32 = loop (%2:i32 = 0) {
    %3:bool = uge %2, %0
    %4:i32 = if %3 {
      break %2
    } else {
      yield 1
    }
    %5:i32 = iadd %2, %4
    continue %5
  }
  store_ssbo[0, align 4] 0, %1
  return
)"};

TEST(ConvertIfToSelect, KeepsWhatMustOrShouldBranch) {
  for (const char* body : kKept) EXPECT_EQ(RunOnBody(body, ConvertIfToSelect), body);
}

}  // namespace
}  // namespace kiln::mid
