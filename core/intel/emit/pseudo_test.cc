// Tests the instructions that emission makes of each operation of pseudo.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Eight lane numbers are an immediate vector; the next ones add the number of those before.
TEST(EmitPseudo, LaneNumbers) {
  EXPECT_EQ(Emitted(R"(
    %3:uw@16 = lane_ids {w32 nomask}
)",
                    32),
            R"(
    (W) mov (8|M0) r2.0<1>:uw 0x76543210:v
    (W) add (8|M0) r2.8<1>:uw r2.0<8;8,1>:uw 0x8:uw
    (W) add (16|M0) r3.0<1>:uw r2.0<8;8,1>:uw 0x10:uw
)");
}

TEST(EmitPseudo, ProductsOfDwords) {
  EXPECT_EQ(Emitted(R"(
    %0:d@16 %1:d@24 = mul32 %2:d@32 #0x12345678:d {w8}
)",
                    8),
            R"(
    mul (8|M0) r2.0<1>:d r4.0<8;8,1>:d 0x5678:uw
    mul (8|M0) r3.0<1>:d r4.0<8;8,1>:d 0x1234:uw
    add (8|M0) r2.1<2>:uw r2.1<16;8,2>:uw r3.0<16;8,2>:uw
)");
}

// Uses the accumulator, which has eight lanes.
TEST(EmitPseudo, HighDwordsOfProducts) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = mul_high %1:ud@32 %2:ud@48 {w16}
)",
                    16),
            R"(
    mul (8|M0) acc0.0<1>:ud r4.0<8;8,1>:ud r6.0<16;8,2>:uw
    mach (8|M0) r2.0<1>:ud r4.0<8;8,1>:ud r6.0<8;8,1>:ud {AccWrEn}
    mul (8|M8) acc0.0<1>:ud r5.0<8;8,1>:ud r7.0<16;8,2>:uw
    mach (8|M8) r3.0<1>:ud r5.0<8;8,1>:ud r7.0<8;8,1>:ud {AccWrEn}
)");
}

// The conversion does not write the upper half, so the move clears it.
TEST(EmitPseudo, HalvesInDwords) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = f2f16 %1:f@24 {w8}
)",
                    8),
            R"(
    mov (8|M0) r2.0<2>:hf r3.0<8;8,1>:f
    mov (8|M0) r2.0<1>:ud r2.0<16;8,2>:uw
)");
}

TEST(EmitPseudo, WordsArePacked) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = pack %3:uw@24 %4:uw@32 {w16}
)",
                    16),
            R"(
    mov (16|M0) r2.0<2>:uw r3.0<8;8,1>:uw
    mov (16|M0) r2.1<2>:uw r4.0<8;8,1>:uw
)");
}

// A part that already is in its register is not moved.
TEST(EmitPseudo, AnAddressIsPackedOverItsLowHalf) {
  EXPECT_EQ(Emitted(R"(
    %7:ud@16 = pack %0:ud@32 %10:ud@9 {w8}
    %7:ud@16 = pack %7:ud@16 %1:ud@40 {w8}
)",
                    8),
            R"(
    mov (8|M0) r2.0<2>:ud r4.0<8;8,1>:ud
    mov (8|M0) r2.1<2>:ud r1.1<0;1,0>:ud
    mov (8|M0) r2.1<2>:ud r5.0<8;8,1>:ud
)");
}

TEST(EmitPseudo, OperandsOfHalvesAreInterleaved) {
  EXPECT_EQ(Emitted(R"(
    %7:ud@32 = interleave %0:ud@64 %1:ud@80 {w16}
)",
                    16),
            R"(
    mov (8|M0) r4.0<1>:ud r8.0<8;8,1>:ud
    mov (8|M0) r5.0<1>:ud r10.0<8;8,1>:ud
    mov (8|M8) r6.0<1>:ud r9.0<8;8,1>:ud
    mov (8|M8) r7.0<1>:ud r11.0<8;8,1>:ud
)");
}

TEST(EmitPseudo, OneAddressForEightLanes) {
  EXPECT_EQ(Emitted(R"(
    %16x16:ud@32 = same_address %10:ud@9 %11:ud@10 {w8 nomask}
)",
                    8),
            R"(
    (W) mov (8|M0) r4.0<2>:ud r1.1<0;1,0>:ud
    (W) mov (8|M0) r4.1<2>:ud r1.2<0;1,0>:ud
)");
}

TEST(EmitPseudo, ResponsesOfHalvesAreJoined) {
  EXPECT_EQ(Emitted(R"(
    %5x2:ud@64 = join_groups %16x16:ud@128 %14x32:ud@160 {w16}
)",
                    16),
            R"(
    mov (8|M0) r8.0<1>:ud r16.0<8;8,1>:ud
    mov (8|M8) r9.0<1>:ud r20.0<8;8,1>:ud
    mov (8|M0) r10.0<1>:ud r17.0<8;8,1>:ud
    mov (8|M8) r11.0<1>:ud r21.0<8;8,1>:ud
)");
}

// Sixteen lanes per instruction.
TEST(EmitPseudo, ProductsOfThirtyTwoLanes) {
  EXPECT_EQ(Emitted(R"(
    %0:d@32 %1:d@64 = mul32 %2:d@96 #0x12345678:d {w32}
)",
                    32),
            R"(
    mul (16|M0) r4.0<1>:d r12.0<8;8,1>:d 0x5678:uw
    mul (16|M0) r8.0<1>:d r12.0<8;8,1>:d 0x1234:uw
    add (16|M0) r4.1<2>:uw r4.1<16;8,2>:uw r8.0<16;8,2>:uw
    mul (16|M16) r6.0<1>:d r14.0<8;8,1>:d 0x5678:uw
    mul (16|M16) r10.0<1>:d r14.0<8;8,1>:d 0x1234:uw
    add (16|M16) r6.1<2>:uw r6.1<16;8,2>:uw r10.0<16;8,2>:uw
)");
}

// The accumulator has the sign of the operands; the low word of a constant is unsigned.
TEST(EmitPseudo, HighDwordsOfSignedProducts) {
  EXPECT_EQ(Emitted(R"(
    %0:d@16 = mul_high %1:d@32 #0x12345678:d {w8}
)",
                    8),
            R"(
    mul (8|M0) acc0.0<1>:d r4.0<8;8,1>:d 0x5678:uw
    mach (8|M0) r2.0<1>:d r4.0<8;8,1>:d 305419896:d {AccWrEn}
)");
}

TEST(EmitPseudo, FloatsArePackedAsHalves) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = pack %1:f@24 %2:f@32 {w8}
)",
                    8),
            R"(
    mov (8|M0) r2.0<2>:hf r3.0<8;8,1>:f
    mov (8|M0) r2.1<2>:hf r4.0<8;8,1>:f
)");
}

// An instruction writes at most two registers: eight lanes of 64 bits.
TEST(EmitPseudo, AddressesOfSixteenLanesArePackedInTwoParts) {
  EXPECT_EQ(Emitted(R"(
    %7:ud@32 = pack %0:ud@64 %1:ud@80 {w16}
)",
                    16),
            R"(
    mov (8|M0) r4.0<2>:ud r8.0<8;8,1>:ud
    mov (8|M8) r6.0<2>:ud r9.0<8;8,1>:ud
    mov (8|M0) r4.1<2>:ud r10.0<8;8,1>:ud
    mov (8|M8) r6.1<2>:ud r11.0<8;8,1>:ud
)");
}

}  // namespace
}  // namespace kiln::intel
