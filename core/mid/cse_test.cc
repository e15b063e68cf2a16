#include "core/mid/cse.h"

#include "core/mid/testing.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

TEST(Cse, MergesEqualComputationsWhateverTheOrderOfCommutativeSources) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = subgroup_id
  %2:i32 = iadd %0, %1
  %3:i32 = iadd %1, %0
  %4:i32 = isub %0, %1
  %5:i32 = isub %1, %0
  store_ssbo[0, align 4] %2, %3, %4, %5
  return)",
                      EliminateCommonSubexpressions),
            R"(  %0:i32 = local_index
  %1:i32 = subgroup_id
  %2:i32 = iadd %0, %1
  %3:i32 = isub %0, %1
  %4:i32 = isub %1, %0
  store_ssbo[0, align 4] %2, %2, %3, %4
  return
)");
}

TEST(Cse, OuterServesInnerButSidesDoNotServeEachOther) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  %2:bool = ult %0, 4
  if %2 {
    %3:i32 = iadd %0, 1
    %4:i32 = iadd %0, 2
    store_ssbo[0, align 4] %3, %4
    yield
  } else {
    %5:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %5
    yield
  }
  return)",
                      EliminateCommonSubexpressions),
            R"(  %0:i32 = local_index
  %1:i32 = iadd %0, 1
  %2:bool = ult %0, 4
  if %2 {
    %3:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %3
    yield
  } else {
    %4:i32 = iadd %0, 2
    store_ssbo[0, align 4] %1, %4
    yield
  }
  return
)");
}

TEST(Cse, LoadsMergeOnlyFromMemoryNobodyWrites) {
  EXPECT_EQ(RunOnBody(R"(
  %0:i32 = load_push[align 4] 0
  %1:i32 = load_push[align 4] 0
  %2:f32 = load_push[align 4] 0
  %3:i32 = load_ssbo[0, align 4] 0
  %4:i32 = load_ssbo[0, align 4] 0
  store_ssbo[1, align 4] 0, %0, %1, %2, %3, %4
  return)",
                      EliminateCommonSubexpressions),
            R"(  %0:i32 = load_push[align 4] 0
  %1:f32 = load_push[align 4] 0
  %2:i32 = load_ssbo[0, align 4] 0
  %3:i32 = load_ssbo[0, align 4] 0
  store_ssbo[1, align 4] 0, %0, %0, %1, %2, %3
  return
)");
}

TEST(Cse, ResultsThatMustNotBeFusedStayApart) {
  EXPECT_EQ(RunOnBody(R"(
  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul.nocontract %0, %0
  %2:f32 = fmul %0, %0
  store_ssbo[1, align 4] 0, %1, %2
  return)",
                      EliminateCommonSubexpressions),
            R"(  %0:f32 = load_ssbo[0, align 4] 0
  %1:f32 = fmul.nocontract %0, %0
  %2:f32 = fmul %0, %0
  store_ssbo[1, align 4] 0, %1, %2
  return
)");
}

}  // namespace
}  // namespace kiln::mid
