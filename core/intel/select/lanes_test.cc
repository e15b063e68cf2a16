// Tests the LIR that selection makes of each operation of lanes.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectLanes, BallotsAndVotes) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    %3:i32, %4:i32, %5:i32, %6:i32 = ballot %2
    %7:bool = subgroup_any %2
    %8:bool = subgroup_all %2
    %9:i32 = select %7, %3, 1
    %10:i32 = select %8, %9, 2
    store_ssbo[0, align 4] 0, %10, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:ud %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
    %5:ud %6:uw = ballot %4:d {w8 nomask aux 2}
    %7:ud %8:uw = ballot %4:d {w8 nomask aux 2}
    %9:d %10:uw = cmp %7:ud #0x0:ud {nomask cmod 2}
    %11:ud %12:uw = ballot %4:d {w8 nomask aux 1}
    %13:d %14:uw = cmp %11:ud #0x0:ud {nomask cmod 1}
    %15:uw = cmp %9:d #0x0:d {nomask cmod 2}
    %16:ud = sel %5:ud #0x1:ud %15:uw {nomask pred 1}
    %17:uw = cmp %13:d #0x0:d {nomask cmod 2}
    %18:ud = sel %16:ud #0x2:ud %17:uw {nomask pred 1}
    %19:ud = mov %18:ud {w8}
    %20:ud = mov #0x0:ud {w8}
    %21:ud = mov #0x0:ud {w8}
    %22x2:ud = collect %19:ud %20:ud {w8}
    msg.write %21:ud %22x2:ud {w8 [untyped_write channels 3]}
)");
}

// If all lanes are on it is lane 0, otherwise it is found once per block.
TEST(SelectLanes, TheFirstLane) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = read_first %1
    %3:bool = ult %1, 5
    if %3 {
      %4:i32 = read_first %1
      %5:i32 = imul %1, 3
      %6:i32 = read_first %5
      store_ssbo[0, align 4] %4, %6, %2
      yield
    } else {
      yield
    }
)",
                     8),
            R"(
    block b0 depth 0
      %1:uw = lane_ids {w8 nomask}
      %6:ud = mov #0xffffffff:ud {nomask}
      %2:ud = mov %1:uw {w8}
      %3:ud = broadcast %2:ud #0x0:ud {nomask}
      %4:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
      if %4:uw {w8 pred 1}
      -> b1, b2
    block b1 depth 0
      %5:ud %7:uw = ballot %6:d {w8 nomask aux 2}
      %8:ud = fbl %5:ud {nomask}
      %10:uw = and %8:uw #0x7:uw {nomask}
      %11:uw = shl %10:uw #0x2:uw {nomask}
      %9:ud = broadcast %2:ud %11:uw {nomask}
      %12:d = mul %2:d #0x3:w {w8}
      %14:uw = and %8:uw #0x7:uw {nomask}
      %15:uw = shl %14:uw #0x2:uw {nomask}
      %13:ud = broadcast %12:ud %15:uw {nomask}
      %16:ud = mov %13:ud {w8}
      %17:ud = mov %3:ud {w8}
      %18:ud = mov %9:ud {w8}
      %19x2:ud = collect %16:ud %17:ud {w8}
      msg.write %18:ud %19x2:ud {w8 [untyped_write channels 3]}
      endif {w8}
      -> b2
    block b2 depth 0
)");
}

TEST(SelectLanes, TheElectedLane) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = subgroup_elect
    %3:i32 = select %2, %1, 0
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov %1:uw {w8}
    %4:d %5:uw = cmp %3:ud #0x0:ud {w8 cmod 1}
    %6:uw = cmp %4:d #0x0:d {w8 cmod 2}
    %7:ud = sel %2:ud #0x0:ud %6:uw {w8 pred 1}
    %8:ud = mov #0x0:ud {w8}
    msg.write %8:ud %7:ud {w8 [untyped_write channels 1]}
)");
}

// The lane number is a constant, a uniform value, or a per-lane value.
TEST(SelectLanes, ReadsOfALane) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = load_push[align 4] 0
    %3:i32 = imul %1, 3
    %4:i32 = read_lane %3, 5
    %5:i32 = read_lane %3, %2
    %6:i32 = shuffle %3, %3
    store_ssbo[0, align 4] 0, %4, %5, %6
)",
                     8),
            R"(
    %2:uw = lane_ids {w8 nomask}
    %3:ud = mov %2:uw {w8}
    %4:d = mul %3:d #0x3:w {w8}
    %5:ud = broadcast %4:ud #0x5:ud {nomask}
    %7:uw = and %1:uw #0x7:uw {nomask}
    %8:uw = shl %7:uw #0x2:uw {nomask}
    %6:ud = broadcast %4:ud %8:uw {nomask}
    %9:uw = and %4:uw #0x7:uw {w8 nomask}
    %10:uw = shl %9:uw #0x2:uw {w8 nomask}
    %11:ud = shuffle %4:ud %10:uw {w8}
    %12:ud = mov %5:ud {w8}
    %13:ud = mov %6:ud {w8}
    %14:ud = mov #0x0:ud {w8}
    %15x3:ud = collect %12:ud %13:ud %11:ud {w8}
    msg.write %14:ud %15x3:ud {w8 [untyped_write channels 7]}
)");
}

// They are moves by regions.
TEST(SelectLanes, ShufflesByAConstantMask) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = xor %1, 1
    %3:i32 = imul %1, 3
    %4:i32 = shuffle %3, %2
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = xor %2:ud #0x1:ud {w8}
    %4:d = mul %2:d #0x3:w {w8}
    %5:ud = xor_lanes %4:ud {w8 nomask aux 1}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectLanes, Quads) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = imul %1, 3
    %3:i32 = quad_broadcast[2] %2
    %4:i32 = quad_swap[1] %2
    store_ssbo[0, align 4] 0, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = mul %2:d #0x3:w {w8}
    %4:ud = quad_broadcast %3:ud {w8 aux 2}
    %5:ud = xor_lanes %3:ud {w8 nomask aux 1}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %4:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectLanes, ShortValuesAreReadWithTheirElement) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i16 = read_lane %2, 3
    %4:i32 = zext %3
    store_ssbo[0, align 4] 0, %4
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = broadcast %2:ud #0x3:ud {nomask}
    %4:ud = mov %3:uw {nomask}
    %5:ud = mov %4:ud {w16}
    %6:ud = mov #0x0:ud {w16}
    msg.write %6:ud %5:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

// The result is in U; for clusters each lane has its own.
TEST(SelectLanes, Reductions) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = reduce[iadd, 0] %1
    %3:i32 = reduce[umax, 4] %1
    store_ssbo[0, align 4] %1, %2, %3
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud %4:ud = lane_scan %2:ud #0x0:ud {w16 nomask aux 17825792}
    %5:ud %6:ud = lane_scan %2:ud #0x0:ud {w16 nomask aux 17039621}
    %7:ud = mov %3:ud {w16}
    %8x2:ud = collect %7:ud %5:ud {w16}
    msg.write %2:ud %8x2:ud {w16 [untyped_write lanes 16 channels 3]}
)");
}

TEST(SelectLanes, Scans) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = inclusive_scan[iadd] %1
    %4:f32 = exclusive_scan[fmin] %2
    %5:i32 = inclusive_scan[imul] %1
    store_ssbo[0, align 4] 0, %3, %4, %5
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:ud = lane_scan %2:ud #0x0:ud {w16 nomask aux 17826304}
    %4:f %5x2:f = lane_scan %2:f #0x7f800000:f {w16 nomask aux 17826571}
    %6:ud %7:ud = lane_scan %2:ud #0x1:ud {w16 nomask aux 17826305}
    %8:ud = mov #0x0:ud {w16}
    %9x3:ud = collect %3:ud %4:ud %6:ud {w16}
    msg.write %8:ud %9x3:ud {w16 [untyped_write lanes 16 channels 7]}
)");
}

}  // namespace
}  // namespace kiln::intel
