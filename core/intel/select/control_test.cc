// Tests the LIR that selection makes of each operation of control.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectControl, IfWithoutElse) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    if %2 {
      store_ssbo[0, align 4] 0, %1
      yield
    } else {
      yield
    }
)",
                     8),
            R"(
    block b0 depth 0
      %1:uw = lane_ids {w8 nomask}
      %2:ud = mov %1:uw {w8}
      %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
      if %3:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      %4:ud = mov #0x0:ud {w8}
      msg.write %4:ud %2:ud {w8 [untyped_write channels 1]}
      endif {w8}
      -> b2
    block b2 depth 0
)");
}

TEST(SelectControl, ValuesOfAnIfAreParameters) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    %3:i32 = if %2 {
      %4:i32 = imul %1, 3
      yield %4
    } else {
      yield 7
    }
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    block b0 depth 0
      %1:uw = lane_ids {w8 nomask}
      %2:ud = mov %1:uw {w8}
      %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
      if %3:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      %5:d = mul %2:d #0x3:w {w8}
      else {w8}
      -> b3(%5:ud)
      ~> b2
    block b2 depth 0
      %6:ud = mov #0x7:ud {w8}
      endif {w8}
      -> b3(%6:ud)
    block b3 depth 0 params %4
      %7:ud = mov #0x0:ud {w8}
      msg.write %7:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

// A break in an if is followed by a block of its own.
TEST(SelectControl, LoopsCarryParameters) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = loop (%2:i32 = 0) {
      %3:i32 = load_ssbo[0, align 4] %2
      %4:bool = ieq %3, 9
      if %4 {
        break %2
      } else {
        yield
      }
      %5:i32 = iadd %2, 4
      continue %5
    }
    store_ssbo[0, align 4] 0, %1
)",
                     8),
            R"(
    block b0 depth 0
      %3:ud = mov #0x0:ud {nomask}
      -> b1(%3:ud)
    block b1 depth 1 params %2
      %4x8:ud = header %2:ud {w8 nomask}
      %5x8:ud = msg.read %4x8:ud {w8 nomask [block_read_unaligned header 1 owords 2]}
      %6:uw = cmp %5:d #0x9:d {w8 cmod 1}
      if %6:uw {w8 pred 1}
      -> b2, b4
    block b2 depth 1
      %7:ud = mov %2:ud {w8}
      break {w8}
      -> b5(%7:ud)
      ~> b3
    block b3 depth 1
      endif {w8}
      ~> b4
    block b4 depth 1
      %8:d = add %2:d #0x4:d {nomask}
      while {w8}
      -> b1(%8:ud)
      ~> b5
    block b5 depth 0 params %1
      %9:ud = mov #0x0:ud {w8}
      msg.write %9:ud %1:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectControl, NestedLoopsAndContinues) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    loop (%2:i32 = 0) {
      %3:bool = uge %2, %1
      if %3 {
        break
      } else {
        yield
      }
      %4:i32 = iadd %2, 1
      %5:bool = ieq %4, 3
      if %5 {
        continue %4
      } else {
        yield
      }
      store_ssbo[0, align 4] 0, %4
      continue %4
    }
)",
                     8),
            R"(
    block b0 depth 0
      %1:uw = lane_ids {w8 nomask}
      %2:ud = mov %1:uw {w8}
      %4:ud = mov #0x0:ud {w8}
      -> b1(%4:ud)
    block b1 depth 1 params %3
      %5:uw = cmp %3:ud %2:ud {w8 cmod 4}
      if %5:uw {w8 pred 1}
      -> b2, b4
    block b2 depth 1
      break {w8}
      -> b8
      ~> b3
    block b3 depth 1
      endif {w8}
      ~> b4
    block b4 depth 1
      %6:d = add %3:d #0x1:d {w8}
      %7:uw = cmp %6:d #0x3:d {w8 cmod 1}
      if %7:uw {w8 pred 1}
      -> b5, b7
    block b5 depth 1
      cont {w8}
      -> b1(%6:ud)
      ~> b6
    block b6 depth 1
      endif {w8}
      ~> b7
    block b7 depth 1
      %8:ud = mov #0x0:ud {w8}
      msg.write %8:ud %6:ud {w8 [untyped_write channels 1]}
      while {w8}
      -> b1(%6:ud)
      ~> b8
    block b8 depth 0
)");
}

// A uniform value is passed to a per-lane parameter, then a word and a boolean.
TEST(SelectControl, ValuesOfOtherFilesAreCopiedBeforeTheJump) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = load_push[align 4] 0
    %3:bool = ult %1, 5
    %4:i32, %5:i16, %6:bool = if %3 {
      %7:i16 = trunc %2
      %8:bool = ult %2, 3
      yield %2, %7, %8
    } else {
      %9:i16 = trunc %1
      %10:bool = ieq %1, 7
      yield %1, %9, %10
    }
    %11:i32 = zext %5
    %12:i32 = select %6, %4, %11
    store_ssbo[0, align 4] 0, %12
)",
                     8),
            R"(
    block b0 depth 0
      %2:uw = lane_ids {w8 nomask}
      %3:ud = mov %2:uw {w8}
      %4:uw = cmp %3:ud #0x5:ud {w8 cmod 5}
      if %4:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      %9:ud %8:uw = cmp %1:ud #0x3:ud {nomask cmod 5}
      %10:ud = mov %1:ud {w8}
      %11:uw = mov %1:uw {w8}
      %12:ud = mov %9:ud {w8}
      else {w8}
      -> b3(%10:ud, %11:uw, %12:ud)
      ~> b2
    block b2 depth 0
      %14:d %13:uw = cmp %3:d #0x7:d {w8 cmod 1}
      %15:uw = mov %3:uw {w8}
      endif {w8}
      -> b3(%3:ud, %15:uw, %14:ud)
    block b3 depth 0 params %5 %6 %7
      %16:ud = mov %6:uw {w8}
      %17:uw = cmp %7:d #0x0:d {w8 cmod 2}
      %18:ud = sel %5:ud %16:ud %17:uw {w8 pred 1}
      %19:ud = mov #0x0:ud {w8}
      msg.write %19:ud %18:ud {w8 [untyped_write channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
