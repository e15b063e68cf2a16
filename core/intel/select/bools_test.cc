// Tests the LIR that selection makes of each operation of bools.h.
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(SelectBools, AFlagIsMadeAtItsUse) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    %3:i32 = select %2, %1, 9
    store_ssbo[0, align 4] 0, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
    %4:ud = sel %2:ud #0x9:ud %3:uw {w8 pred 1}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

// A third flag evicts the first.
TEST(SelectBools, AFlagServesSeveralUses) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ult %1, 5
    %3:bool = ult %1, 6
    %4:bool = ult %1, 7
    %5:i32 = select %2, %1, 9
    %6:i32 = select %3, %5, 8
    %7:i32 = select %4, %6, 7
    %8:i32 = select %2, %7, 3
    store_ssbo[0, align 4] 0, %8
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
    %4:ud = sel %2:ud #0x9:ud %3:uw {w8 pred 1}
    %5:uw = cmp %2:ud #0x6:ud {w8 cmod 5}
    %6:ud = sel %4:ud #0x8:ud %5:uw {w8 pred 1}
    %7:uw = cmp %2:ud #0x7:ud {w8 cmod 5}
    %8:ud = sel %6:ud #0x7:ud %7:uw {w8 pred 1}
    %9:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
    %10:ud = sel %8:ud #0x3:ud %9:uw {w8 pred 1}
    %11:ud = mov #0x0:ud {w8}
    msg.write %11:ud %10:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectBools, NegationTurnsTheFlag) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:bool = ieq %1, 5
    %3:bool = not %2
    %4:i32 = select %3, %1, 9
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:uw = cmp %2:d #0x5:d {w8 cmod 1}
    %4:ud = sel %2:ud #0x9:ud %3:uw {w8 pred 1 inv}
    %5:ud = mov #0x0:ud {w8}
    msg.write %5:ud %4:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectBools, CombinedConditionsAreStored) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:bool = slt %1, 5
    %4:bool = flt %2, 1f
    %5:bool = and %3, %4
    %6:i32 = select %5, %1, 9
    store_ssbo[0, align 4] 0, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:d %3:uw = cmp %2:d #0x5:d {w8 cmod 5}
    %6:f %5:uw = cmp %2:f #0x3f800000:f {w8 cmod 5}
    %7:d = and %4:d %6:d {w8}
    %8:uw = cmp %7:d #0x0:d {w8 cmod 2}
    %9:ud = sel %2:ud #0x9:ud %8:uw {w8 pred 1}
    %10:ud = mov #0x0:ud {w8}
    msg.write %10:ud %9:ud {w8 [untyped_write channels 1]}
)");
}

// select(b, k, 0) of a stored boolean.
TEST(SelectBools, AMaskIsTheSelect) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:bool = slt %1, 5
    %4:bool = flt %2, 1f
    %5:bool = or %3, %4
    %6:i32 = select %5, 1, 0
    store_ssbo[0, align 4] 0, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:d %3:uw = cmp %2:d #0x5:d {w8 cmod 5}
    %6:f %5:uw = cmp %2:f #0x3f800000:f {w8 cmod 5}
    %7:d = or %4:d %6:d {w8}
    %8:ud = and %7:ud #0x1:ud {w8}
    %9:ud = mov #0x0:ud {w8}
    msg.write %9:ud %8:ud {w8 [untyped_write channels 1]}
)");
}

// They leave words, from which the stored boolean is widened.
TEST(SelectBools, ComparisonsOfWords) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:bool = ult %2, 5i16
    %4:bool = ult %1, 6
    %5:bool = xor %3, %4
    %6:i32 = select %5, %1, 9
    store_ssbo[0, align 4] 0, %6
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %4:uw %3:uw = cmp %2:uw #0x5:uw {w16 cmod 5}
    %5:d = mov %4:w {w16}
    %7:ud %6:uw = cmp %2:ud #0x6:ud {w16 cmod 5}
    %8:d = xor %5:d %7:d {w16}
    %9:uw = cmp %8:d #0x0:d {w16 cmod 2}
    %10:ud = sel %2:ud #0x9:ud %9:uw {w16 pred 1}
    %11:ud = mov #0x0:ud {w16}
    msg.write %11:ud %10:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectBools, UniformConditions) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = load_push[align 4] 0
    %2:bool = ult %1, 5
    %3:i32 = select %2, %1, 9
    %4:i32 = subgroup_invocation
    store_ssbo[0, align 4] %4, %3
)",
                     8),
            R"(
    %4:uw = lane_ids {w8 nomask}
    %2:uw = cmp %1:ud #0x5:ud {nomask cmod 5}
    %3:ud = sel %1:ud #0x9:ud %2:uw {nomask pred 1}
    %5:ud = mov %4:uw {w8}
    %6:ud = mov %3:ud {w8}
    msg.write %5:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectBools, SelectsOfBooleans) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:bool = slt %1, 5
    %4:bool = flt %2, 1f
    %5:bool = fge %2, 2f
    %6:bool = select %3, %4, %5
    %7:i32 = select %6, %1, 9
    store_ssbo[0, align 4] 0, %7
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %4:f %3:uw = cmp %2:f #0x3f800000:f {w8 cmod 5}
    %6:f %5:uw = cmp %2:f #0x40000000:f {w8 cmod 4}
    %7:uw = cmp %2:d #0x5:d {w8 cmod 5}
    %8:ud = sel %4:ud %6:ud %7:uw {w8 pred 1}
    %9:uw = cmp %8:d #0x0:d {w8 cmod 2}
    %10:ud = sel %2:ud #0x9:ud %9:uw {w8 pred 1}
    %11:ud = mov #0x0:ud {w8}
    msg.write %11:ud %10:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectBools, BytesAreSelectedAsDwords) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i8 = trunc %1
    %3:bool = ult %1, 5
    %4:i8 = select %3, %2, 3i8
    %5:i32 = zext %4
    store_ssbo[0, align 4] 0, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = mov %2:ub {w8}
    %4:uw = cmp %2:ud #0x5:ud {w8 cmod 5}
    %5:ud = sel %3:ud #0x3:ud %4:uw {w8 pred 1}
    %6:ud = mov %5:ub {w8}
    %7:ud = mov #0x0:ud {w8}
    msg.write %7:ud %6:ud {w8 [untyped_write channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
