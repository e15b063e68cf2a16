#include "core/mid/values/hoist_common_code.h"

#include "core/mid/testing/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(HoistCommonCode, ChainsInEitherOrder) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    %2:i32 = iadd %0, 1
    %3:i32 = imul %2, %0
    %4:i32 = load_push[align 4] 8
    store_ssbo[0, align 4] %3, %4
    yield
  } else {
    %5:i32 = load_push[align 4] 8
    %6:i32 = iadd %0, 1
    %7:i32 = imul %0, %6
    %8:i32 = isub %7, %5
    store_ssbo[1, align 4] %7, %8
    yield
  }
  return)",
                      HoistCommonCode),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:i32 = iadd %0, 1
  %3:i32 = imul %2, %0
  %4:i32 = load_push[align 4] 8
  if %1 {
    store_ssbo[0, align 4] %3, %4
    yield
  } else {
    %5:i32 = isub %3, %4
    store_ssbo[1, align 4] %3, %5
    yield
  }
  return
)");
}

TEST(HoistCommonCode, ThroughTwoIfs) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  if %1 {
    if %2 {
      %3:i32 = iadd %0, 1
      store_ssbo[0, align 4] 0, %3
      yield
    } else {
      %4:i32 = iadd %0, 1
      store_ssbo[0, align 4] 4, %4
      yield
    }
    yield
  } else {
    %5:i32 = iadd %0, 1
    store_ssbo[0, align 4] 8, %5
    yield
  }
  return)",
                      HoistCommonCode),
            R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  %2:bool = ult %0, 2
  %3:i32 = iadd %0, 1
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
    store_ssbo[0, align 4] 8, %3
    yield
  }
  return
)");
}

TEST(HoistCommonCode, NeitherMemoryNorConvergentOps) {
  const char* const body = R"(  %0:i32 = local_index
  %1:bool = ult %0, 4
  if %1 {
    %2:i32 = load_ssbo[0, align 4] 0
    %3:i32 = read_first %0
    store_ssbo[0, align 4] %2, %3
    yield
  } else {
    %4:i32 = load_ssbo[0, align 4] 0
    %5:i32 = read_first %0
    store_ssbo[1, align 4] %4, %5
    yield
  }
  return
)";
  EXPECT_EQ(RunOnBody(body, HoistCommonCode), body);
}

}  // namespace
}  // namespace kiln::mid
