// Tests the instructions that emission makes of operations of fragment programs: see fragment.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// A row of the region is one subspan's x or y, for its four lanes.
TEST(EmitFragment, PlacesOfPixelsAddTheLaneInItsQuad) {
  EXPECT_EQ(Emitted(R"(
    %3:uw@16 = pixel_places %12x8:uw@8 {w16 nomask}
    %3:uw@16 = pixel_places %12x8:uw@8 {w8 nomask aux 1}
)",
                    16),
            R"(
    (W) add (16|M0) r2.0<1>:uw r1.4<2;4,0>:uw 0x10101010:v
    (W) add (8|M0) r2.0<1>:uw r1.5<2;4,0>:uw 0x11001100:v
)");
}

TEST(EmitFragment, NumbersOfSamplesAreNibbles) {
  EXPECT_EQ(Emitted(R"(
    %3:uw@16 = sample_ids %12x8:uw@8 {w16 nomask}
)",
                    16),
            R"(
    (W) shr (16|M0) r2.0<1>:uw r1.0<1;8,0>:ub 0x44440000:uv
    (W) and (16|M0) r2.0<1>:uw r2.0<8;8,1>:uw 0xF:uw
)");
}

TEST(EmitFragment, OffsetsOfSamplesAreBytes) {
  EXPECT_EQ(Emitted(R"(
    %3:uw@16 = sample_offsets %12x8:uw@8 {w16 nomask}
    %3:uw@16 = sample_offsets %12x8:uw@8 {w16 nomask aux 1}
)",
                    16),
            R"(
    (W) mov (16|M0) r2.0<1>:uw r1.0<16;8,2>:ub
    (W) mov (16|M0) r2.0<1>:uw r1.1<16;8,2>:ub
)");
}

TEST(EmitFragment, LanesArePackedInTheFirstBytes) {
  EXPECT_EQ(Emitted(R"(
    %3:ud@16 = pack_lanes %0:ud@64 {w16 nomask aux 2}
    %1:ud@32 = pack_lanes %0:ud@64 {w16 nomask aux 1}
)",
                    16),
            R"(
    (W) mov (16|M0) r2.0<1>:uw r8.0<16;8,2>:uw
    (W) mov (16|M0) r4.0<1>:ub r8.0<32;8,4>:ub
)");
}

// The mask of dead lanes is f1; for 32 lanes it comes from two registers.
TEST(EmitFragment, MasksOfLanesAreWordsOfFlags) {
  EXPECT_EQ(Emitted(R"(
    start_dead %12.7:uw@15 {w16 nomask}
    %9:uw@1 = dispatched %12.7:uw@15 {w16 nomask}
    kill %0:f@64 #0x0:f {w16 cmod 5}
    %9:uw@0 = live {w16 nomask}
)",
                    16),
            R"(
    (W) not (1|M0) f1.0<1>:uw r1.14<0;1,0>:uw
    (W) mov (1|M0) f0.1<1>:uw r1.14<0;1,0>:uw
    (~f1.0) cmp (16|M0) (lt)f1.0 null<1>:f r8.0<8;8,1>:f 0x0:f
    (W) not (1|M0) f0.0<1>:uw f1.0<0;1,0>:uw
)");
}

TEST(EmitFragment, MasksOf32LanesComeFromTwoRegisters) {
  EXPECT_EQ(Emitted(R"(
    start_dead %12.7:uw@15 %13.7:uw@23 {w32 nomask}
    %9:ud@0 = dispatched %12.7:uw@15 %13.7:uw@23 {w32 nomask}
    kill %0:f@64 #0x0:f {w32 cmod 5}
    %9:ud@0 = live {w32 nomask}
)",
                    32),
            R"(
    (W) not (1|M0) f1.0<1>:uw r1.14<0;1,0>:uw
    (W) not (1|M0) f1.1<1>:uw r2.14<0;1,0>:uw
    (W) mov (1|M0) f0.0<1>:uw r1.14<0;1,0>:uw
    (W) mov (1|M0) f0.1<1>:uw r2.14<0;1,0>:uw
    (~f1.0) cmp (16|M0) (lt)f1.0 null<1>:f r8.0<8;8,1>:f 0x0:f
    (~f1.0) cmp (16|M16) (lt)f1.0 null<1>:f r10.0<8;8,1>:f 0x0:f
    (W) not (1|M0) f0.0<1>:ud f1.0<0;1,0>:ud
)");
}

// First the coarse differences of the whole quad, to the right and down, then those of the lane's
// own row and own column.
TEST(EmitFragment, DifferencesInTheQuad) {
  EXPECT_EQ(Emitted(R"(
    %1:f@32 = quad_difference %0:f@64 {w16}
    %1:f@32 = quad_difference %0:f@64 {w16 aux 1}
    %1:f@32 = quad_difference %0:f@64 {w16 aux 2}
    %1:f@32 = quad_difference %0:f@64 {w8 aux 3}
)",
                    16),
            R"(
    add (16|M0) r4.0<1>:f r8.1<4;4,0>:f -r8.0<4;4,0>:f
    add (16|M0) r4.0<1>:f r8.2<4;4,0>:f -r8.0<4;4,0>:f
    add (16|M0) r4.0<1>:f r8.1<2;2,0>:f -r8.0<2;2,0>:f
    add (4|M0) r4.0<1>:f r8.2<0;2,1>:f -r8.0<0;2,1>:f
    add (4|M4) r4.4<1>:f r8.6<0;2,1>:f -r8.4<0;2,1>:f
)");
}

TEST(EmitFragment, TheLastWriteEndsTheThread) {
  EXPECT_EQ(Emitted(R"(
    msg.target %15x4:ud@0 {w8 [target_write]}
    msg.target_end %15x4:ud@0 {w8 [target_write bti 1 target 1 last_target 1]}
)",
                    8),
            R"(
    sendc.rc (8|M0) null r0 null 0x0 0x08030400
    sendc.rc (8|M0) null r0 null 0x1000 0x08031401 {EOT}
)");
}

}  // namespace
}  // namespace kiln::intel
