// Convergent operations stay where they are: no pass moves them to other control flow or merges
// them across it, even if they look equal.
#include <string>

#include "core/mid/control/convert_if_to_select.h"
#include "core/mid/loops/hoist_invariants.h"
#include "core/mid/loops/sink_values.h"
#include "core/mid/testing/testing.h"
#include "core/mid/values/hoist_common_code.h"
#include "core/mid/values/merge_equal_values.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using Pass = absl::StatusOr<bool> (*)(mir::Module&, PassContext&);

absl::StatusOr<bool> Nothing(mir::Module&, PassContext&) { return false; }

void ExpectUnchanged(const std::string& body) {
  const std::string before = RunOnBody(body, Nothing);
  ASSERT_NE(before.find("reduce"), std::string::npos) << before;
  for (Pass pass :
       {MergeEqualValues, HoistCommonCode, HoistInvariants, ConvertIfToSelect, SinkValues}) {
    EXPECT_EQ(RunOnBody(body, pass), before);
  }
}

TEST(Convergent, StaysInBothSidesOfAnIf) {
  ExpectUnchanged(R"(
    %0:i32 = local_index
    %1:bool = ult %0, 5
    %2:i32 = if %1 {
      %3:i32 = reduce[iadd, 0] %0
      yield %3
    } else {
      %4:i32 = reduce[iadd, 0] %0
      yield %4
    }
    store_ssbo[0, align 4] 0, %2
    return)");
}

TEST(Convergent, IsNotMergedWithAnEqualOneThatMoreLanesExecute) {
  ExpectUnchanged(R"(
    %0:i32 = local_index
    %1:bool = ult %0, 5
    %2:i32 = reduce[iadd, 0] %0
    store_ssbo[0, align 4] 0, %2
    if %1 {
      %3:i32 = reduce[iadd, 0] %0
      store_ssbo[0, align 4] 4, %3
      yield
    } else {
      yield
    }
    return)");
}

TEST(Convergent, IsNotHoistedOutOfALoopThatLanesLeave) {
  ExpectUnchanged(R"(
    %0:i32 = local_index
    %1:i32 = loop (%2:i32 = 0, %3:i32 = 0) {
      %4:i32 = reduce[iadd, 0] %0
      %5:i32 = iadd %3, %4
      %6:bool = uge %2, %0
      if %6 {
        break %5
      } else {
        yield
      }
      %7:i32 = iadd %2, 1
      continue %7, %5
    }
    store_ssbo[0, align 4] 0, %1
    return)");
}

TEST(Convergent, IsNotSunkToTheSideThatUsesIt) {
  ExpectUnchanged(R"(
    %0:i32 = local_index
    %1:bool = ult %0, 5
    %2:i32 = reduce[iadd, 0] %0
    if %1 {
      store_ssbo[0, align 4] 4, %2
      yield
    } else {
      yield
    }
    return)");
}

}  // namespace
}  // namespace kiln::mid
