// Tests the instructions that emission makes of each operation of alu.h.
#include "core/intel/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Sixteen lanes per instruction; the second half is 64 bytes further on.
TEST(EmitAlu, WideInstructionsAreCut) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@64 = add %1:ud@128 %2:ud@192 {w32}
)",
                    32),
            R"(
    add (16|M0) r8.0<1>:ud r16.0<8;8,1>:ud r24.0<8;8,1>:ud
    add (16|M16) r10.0<1>:ud r18.0<8;8,1>:ud r26.0<8;8,1>:ud
)");
}

TEST(EmitAlu, MathHasSixteenLanesAndDivisionEight) {
  EXPECT_EQ(Emitted(R"(
    %0:f@64 = math %1:f@128 {w16 aux 4}
    %0:ud@64 = math %1:ud@128 %2:ud@192 {w16 aux 12}
)",
                    16),
            R"(
    math.sqt (16|M0) r8.0<1>:f r16.0<8;8,1>:f
    math.iqot (8|M0) r8.0<1>:ud r16.0<8;8,1>:ud r24.0<8;8,1>:ud
    math.iqot (8|M8) r9.0<1>:ud r17.0<8;8,1>:ud r25.0<8;8,1>:ud
)");
}

TEST(EmitAlu, MathOfHalvesHasEightLanes) {
  EXPECT_EQ(Emitted(R"(
    %3:hf@64 = math %4:hf@128 {w16 aux 4}
)",
                    16),
            R"(
    math.sqt (8|M0) r8.0<1>:hf r16.0<8;8,1>:hf
    math.sqt (8|M8) r8.8<1>:hf r16.8<8;8,1>:hf
)");
}

TEST(EmitAlu, FloatsIntoPackedHalvesAreCut) {
  EXPECT_EQ(Emitted(R"(
    %3:hf@64 = mov %1:f@128 {w16}
)",
                    16),
            R"(
    mov (8|M0) r8.0<1>:hf r16.0<8;8,1>:f
    mov (8|M8) r8.8<1>:hf r17.0<8;8,1>:f
)");
}

// With a null destination, which has the execution type, and besides a destination.
TEST(EmitAlu, ConditionsGoIntoTheFlag) {
  EXPECT_EQ(Emitted(R"(
    %9:uw@0 = cmp %1:d@64 #0x5:d {w8 cmod 5}
    %0:d@16 %9:uw@1 = cmp %1:d@64 %2:d@80 {w8 cmod 1}
)",
                    8),
            R"(
    cmp (8|M0) (lt)f0.0 null<1>:d r8.0<8;8,1>:d 5:d
    cmp (8|M0) (eq)f0.1 r2.0<1>:d r8.0<8;8,1>:d r10.0<8;8,1>:d
)");
}

TEST(EmitAlu, PredicatesAndModifiers) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = sel %1:ud@24 %2:ud@32 %9:uw@1 {w8 pred 1 inv}
    %0:f@16 = add -%1:f@24 %2:f@32 {w8 sat}
)",
                    8),
            R"(
    (~f0.1) sel (8|M0) r2.0<1>:ud r3.0<8;8,1>:ud r4.0<8;8,1>:ud
    add (8|M0) (sat)r2.0<1>:f -r3.0<8;8,1>:f r4.0<8;8,1>:f
)");
}

// Their instructions have one lane and no mask.
TEST(EmitAlu, UniformValuesAreScalars) {
  EXPECT_EQ(Emitted(R"(
    %10:ud@9 = add %11:ud@10 #0x4:ud {nomask}
    %0:ud@16 = add %1:ud@24 %10:ud@9 {w8}
)",
                    8),
            R"(
    (W) add (1|M0) r1.1<1>:ud r1.2<0;1,0>:ud 0x4:ud
    add (8|M0) r2.0<1>:ud r3.0<8;8,1>:ud r1.1<0;1,0>:ud
)");
}

TEST(EmitAlu, PartsOfElementsHaveStrides) {
  EXPECT_EQ(Emitted(R"(
    %0:ud@16 = mov %1+2:uw@24 {w8}
    %0:ud@16 = mov %1+3:ub@24 {w8}
)",
                    8),
            R"(
    mov (8|M0) r2.0<1>:ud r3.1<16;8,2>:uw
    mov (8|M0) r2.0<1>:ud r3.3<32;8,4>:ub
)");
}

TEST(EmitAlu, ThreeSources) {
  EXPECT_EQ(Emitted(R"(
    %0:f@16 = mad %1:f@24 %2:f@32 %10:f@9 {w8}
)",
                    8),
            R"(
    mad (8|M0) r2.0<1>:f r3.0<8;1>:f r4.0<8;1>:f r1.1<0>:f
)");
}

}  // namespace
}  // namespace kiln::intel
