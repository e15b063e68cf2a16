// Tests the instructions that emission makes of each operation across lanes: see lanes.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Lane 19 is in the third register.
TEST(EmitLanes, AKnownLaneIsAScalar) {
  EXPECT_EQ(Emitted(R"(
    %10:ud@0 = broadcast %0:ud@64 #0x5:ud {w8 nomask}
)",
                    8),
            R"(
    (W) mov (1|M0) r0.0<1>:ud r8.5<0;1,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %10:ud@0 = broadcast %0:ud@64 #0x13:ud {w32 nomask}
)",
                    32),
            R"(
    (W) mov (1|M0) r0.0<1>:ud r10.3<0;1,0>:ud
)");
}

// The index is in bytes.
TEST(EmitLanes, AComputedLaneIsReadThroughAnAddress) {
  EXPECT_EQ(Emitted(R"(
    %10:ud@0 = broadcast %0:ud@64 %11:uw@9 {w16 nomask}
)",
                    16),
            R"(
    (W) add (1|M0) a0.0<1>:uw r1.2<0;1,0>:uw 0x100:uw
    (W) mov (1|M0) r0.0<1>:ud r[a0.0]<0;1,0>:ud
)");
}

// Sixteen lanes at a time, since there are as many address registers; any lane of the value can be
// read.
TEST(EmitLanes, ShufflesHaveAnAddressForEachLane) {
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = shuffle %0:ud@64 %3:uw@16 {w8}
)",
                    8),
            R"(
    (W) add (8|M0) a0.0<1>:uw r2.0<8;8,1>:uw 0x100:uw
    mov (8|M0) r4.0<1>:ud r[a0.0]<1,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = shuffle %0:ud@64 %3:uw@128 {w32}
)",
                    32),
            R"(
    (W) add (16|M0) a0.0<1>:uw r16.0<8;8,1>:uw 0x100:uw
    mov (16|M0) r4.0<1>:ud r[a0.0]<1,0>:ud
    (W) add (16|M16) a0.0<1>:uw r17.0<8;8,1>:uw 0x100:uw
    mov (16|M16) r6.0<1>:ud r[a0.0]<1,0>:ud
)");
}

// A region of rows of four lanes that all read one element.
TEST(EmitLanes, OneLaneOfEachQuad) {
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = quad_broadcast %0:ud@64 {w16 aux 2}
)",
                    16),
            R"(
    mov (16|M0) r4.0<1>:ud r8.2<4;4,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %4:uw@32 = quad_broadcast %3:uw@64 {w16 aux 1}
)",
                    16),
            R"(
    mov (16|M0) r4.0<1>:uw r8.1<4;4,0>:uw
)");
}

// Pairs and quads are exchanged in all quads at once; larger distances, group by group.
TEST(EmitLanes, LanesTradePlaces) {
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = xor_lanes %0:ud@64 {w8 nomask aux 1}
)",
                    8),
            R"(
    (W) mov (4|M0) r4.0<2>:ud r8.1<2;1,0>:ud
    (W) mov (4|M0) r4.1<2>:ud r8.0<2;1,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = xor_lanes %0:ud@64 {w8 nomask aux 2}
)",
                    8),
            R"(
    (W) mov (2|M0) r4.0<4>:ud r8.2<4;1,0>:ud
    (W) mov (2|M0) r4.1<4>:ud r8.3<4;1,0>:ud
    (W) mov (2|M0) r4.2<4>:ud r8.0<4;1,0>:ud
    (W) mov (2|M0) r4.3<4>:ud r8.1<4;1,0>:ud
)");
  EXPECT_EQ(Emitted(R"(
    %1:ud@32 = xor_lanes %0:ud@64 {w16 nomask aux 4}
)",
                    16),
            R"(
    (W) mov (4|M0) r4.0<1>:ud r8.4<1;1,0>:ud
    (W) mov (4|M0) r4.4<1>:ud r8.0<1;1,0>:ud
    (W) mov (4|M0) r5.0<1>:ud r9.4<1;1,0>:ud
    (W) mov (4|M0) r5.4<1>:ud r9.0<1;1,0>:ud
)");
}

// The flag is cleared before, for lanes that are off.
TEST(EmitLanes, VotesGoThroughAFlag) {
  EXPECT_EQ(Emitted(R"(
    %10:ud@0 %9:uw@0 = ballot %0:d@64 {w8 aux 2}
)",
                    8),
            R"(
    (W) mov (1|M0) f0.0<1>:uw 0x0:uw
    cmp (8|M0) (ne)f0.0 null<1>:d r8.0<8;8,1>:d 0:d
    (W) mov (1|M0) r0.0<1>:ud f0.0<0;1,0>:uw
)");
  EXPECT_EQ(Emitted(R"(
    %10:ud@0 %9:ud@0 = ballot %0:d@64 {w32 aux 2}
)",
                    32),
            R"(
    (W) mov (1|M0) f0.0<1>:ud 0x0:ud
    cmp (16|M0) (ne)f0.0 null<1>:d r8.0<8;8,1>:d 0:d
    cmp (16|M16) (ne)f0.0 null<1>:d r10.0<8;8,1>:d 0:d
    (W) mov (1|M0) r0.0<1>:ud f0.0<0;1,0>:ud
)");
}

}  // namespace
}  // namespace kiln::intel
