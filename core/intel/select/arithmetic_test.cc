// Tests the LIR that selection makes of each operation of arithmetic.h.
#include "core/intel/device/testing.h"
#include "core/intel/select/testing.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

// Commutative operations swap their sources, others take a register.
TEST(SelectArithmetic, ImmediatesStandLast) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = iadd 5, %1
    %3:i32 = isub 5, %1
    %4:i32 = shl 5, %1
    store_ssbo[0, align 4] 0, %2, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %5:ud = mov #0x5:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = add %2:d #0x5:d {w8}
    %4:d = add -%2:d #0x5:d {w8}
    %6:ud = shl %5:ud %2:ud {w8}
    %7:ud = mov #0x0:ud {w8}
    %8x3:ud = collect %3:ud %4:ud %6:ud {w8}
    msg.write %7:ud %8x3:ud {w8 [untyped_write channels 7]}
)");
}

// No 32 x 32-bit multiplier: mul32, mul_high.
TEST(SelectArithmetic, ProductsOfDwords) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = imul %1, %1
    %3:i32 = umul_high %1, %1
    %4:i32 = smul_high %1, 7
    store_ssbo[0, align 4] 0, %2, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = mul %2:d %2:uw {w8}
    %4:ud = mul_high %2:ud %2:ud {w8}
    %5:d = mul_high %2:d #0x7:d {w8}
    %6:ud = mov #0x0:ud {w8}
    %7x3:ud = collect %3:ud %4:ud %5:ud {w8}
    msg.write %6:ud %7x3:ud {w8 [untyped_write channels 7]}
)");
}

// Factors of dwords of which nothing is known, and a constant with a factor above 16 bits.
TEST(SelectArithmetic, ProductsOfDwordsThatTheDeviceHas) {
  const char* const body = R"(
    %1:i32 = load_ssbo[0, align 4] 0
    %2:i32 = imul %1, %1
    %3:i32 = imul %1, 0x1000000f
    store_ssbo[0, align 4] 0, %2, %3
)";
  const std::string native = Selected(body, 8, TglBut(&Instructions::dword_product));
  EXPECT_NE(native.find("mul %"), native.npos) << native;
  EXPECT_EQ(native.find("mul32"), native.npos) << native;
  const std::string parts = Selected(body, 8);
  EXPECT_NE(parts.find("mul32"), parts.npos) << parts;
}

TEST(SelectArithmetic, DivisionIsAMathFunction) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = udiv 1000, %1
    %3:i32 = srem %1, %1
    store_ssbo[0, align 4] 0, %2, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %4:ud = mov #0x3e8:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = math %4:ud %2:ud {w8 aux 12}
    %5:d = math %2:d %2:d {w8 aux 13}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %3:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectArithmetic, ModuloHasTheDivisorsSign) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = smod %1, 7
    store_ssbo[0, align 4] 0, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %3:ud = mov #0x7:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %4:d = math %2:d %3:d {w8 aux 13}
    %5:d = add %4:d %3:d {w8}
    %6:d = xor %4:d %3:d {w8}
    %7:d %8:uw = cmp %6:d #0x0:d {w8 cmod 5}
    %9:d %10:uw = cmp %4:d #0x0:d {w8 cmod 2}
    %11:d = and %7:d %9:d {w8}
    %12:uw = cmp %11:d #0x0:d {w8 cmod 2}
    %13:d = sel %5:d %4:d %12:uw {w8 pred 1}
    %14:ud = mov #0x0:ud {w8}
    msg.write %14:ud %13:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectArithmetic, MinimaAreSelectsWithACondition) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = imin %1, 3
    %4:i32 = umax %1, %3
    %5:f32 = fmin %2, 1f
    store_ssbo[0, align 4] 0, %4, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = sel %2:d #0x3:d {w8 cmod 5}
    %4:ud = sel %2:ud %3:ud {w8 cmod 4}
    %5:f = sel %2:f #0x3f800000:f {w8 cmod 5}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %4:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectArithmetic, SignsOfNumbers) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:i32 = isign %1
    %4:f32 = fsign %2
    %5:i32 = iabs %1
    %6:f32 = fneg %2
    store_ssbo[0, align 4] 0, %3, %4, %5, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:d = sel %2:d #0xffffffff:d {w8 cmod 4}
    %4:d = sel %3:d #0x1:d {w8 cmod 5}
    %5:ud = and %2:ud #0x80000000:ud {w8}
    %6:ud = or %5:ud #0x3f800000:ud {w8}
    %7:uw = cmp %2:f #0x0:f {w8 cmod 2}
    %8:ud = sel %6:ud %5:ud %7:uw {w8 pred 1}
    %9:d = mov |%2|:d {w8}
    %10:f = mov -%2:f {w8}
    %11:ud = mov #0x0:ud {w8}
    %12x4:ud = collect %4:ud %8:ud %9:ud %10:ud {w8}
    msg.write %11:ud %12x4:ud {w8 [untyped_write channels 15]}
)");
}

TEST(SelectArithmetic, BitsCountedAndFound) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = bit_count %1
    %3:i32 = find_lsb %1
    %4:i32 = find_umsb %1
    %5:i32 = find_smsb %1
    store_ssbo[0, align 4] 0, %2, %3, %4, %5
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = cbit %2:ud {w8}
    %4:ud = fbl %2:ud {w8}
    %5:ud = lzd %2:ud {w8}
    %6:d = add -%5:d #0x1f:d {w8}
    %7:d = asr %2:d #0x1f:ud {w8}
    %8:ud = xor %2:ud %7:ud {w8}
    %9:ud = lzd %8:ud {w8}
    %10:d = add -%9:d #0x1f:d {w8}
    %11:ud = mov #0x0:ud {w8}
    %12x4:ud = collect %3:ud %4:ud %6:ud %10:ud {w8}
    msg.write %11:ud %12x4:ud {w8 [untyped_write channels 15]}
)");
}

TEST(SelectArithmetic, BitFields) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = bitfield_insert %1, 3, 4, 5
    %3:i32 = ubitfield_extract %1, 4, %1
    %4:i32 = bit_reverse %1
    store_ssbo[0, align 4] 0, %2, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %3:ud = mov #0x5:ud {nomask}
    %5:ud = mov #0x3:ud {nomask}
    %7:ud = mov #0x4:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %4:ud = bfi1 %3:ud #0x4:ud {w8}
    %6:ud = bfi2 %4:ud %5:ud %2:ud {w8}
    %8:ud = bfe %2:ud %7:ud %2:ud {w8}
    %9:uw = cmp %2:ud #0x20:ud {w8 cmod 5}
    %10:ud = sel %8:ud %2:ud %9:uw {w8 pred 1}
    %11:ud = bfrev %2:ud {w8}
    %12:ud = mov #0x0:ud {w8}
    %13x3:ud = collect %6:ud %10:ud %11:ud {w8}
    msg.write %12:ud %13x3:ud {w8 [untyped_write channels 7]}
)");
}

// An or of two shifts by constants that add up to 32.
TEST(SelectArithmetic, RotationsAreRecognised) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = shl %1, 5
    %3:i32 = ushr %1, 27
    %4:i32 = or %2, %3
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = shl %2:ud #0x5:ud {w8}
    %4:ud = shr %2:ud #0x1b:ud {w8}
    %5:ud = rol %2:ud #0x5:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectArithmetic, ShiftsStayWithoutRotations) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = shl %1, 5
    %3:i32 = ushr %1, 27
    %4:i32 = or %2, %3
    store_ssbo[0, align 4] 0, %4
)",
                     8, TglBut(&Instructions::rotate)),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud = shl %2:ud #0x5:ud {w8}
    %4:ud = shr %2:ud #0x1b:ud {w8}
    %5:ud = or %3:ud %4:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectArithmetic, BorrowsAreComparisons) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = usub_borrow %1, 9
    store_ssbo[0, align 4] 0, %2
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:ud %4:uw = cmp %2:ud #0x9:ud {w8 cmod 5}
    %5:ud = and %3:ud #0x1:ud {w8}
    %6:ud = mov #0x0:ud {w8}
    msg.write %6:ud %5:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectArithmetic, DotProductsOfBytes) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i32 = sdot4x8 %1, %1, 1
    %3:i32 = udot4x8_sat %1, %1, %1
    store_ssbo[0, align 4] 0, %2, %3
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %3:ud = mov #0x1:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %4:d = dp4a %3:d %2:d %2:d {w8}
    %5:ud = dp4a %2:ud %2:ud %2:ud {w8 sat}
    %6:ud = mov #0x0:ud {w8}
    %7x2:ud = collect %4:ud %5:ud {w8}
    msg.write %6:ud %7x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectArithmetic, FloatsRoundAndSaturate) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = ffloor %2
    %4:f32 = ffract %2
    %5:f32 = fsaturate %2
    %6:f32 = ftrunc %2
    store_ssbo[0, align 4] 0, %3, %4, %5, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %2:ud = mov %1:uw {w8}
    %3:f = rndd %2:f {w8}
    %4:f = frc %2:f {w8}
    %5:f = mov %2:f {w8 sat}
    %6:f = rndz %2:f {w8}
    %7:ud = mov #0x0:ud {w8}
    %8x4:ud = collect %3:ud %4:ud %5:ud %6:ud {w8}
    msg.write %7:ud %8x4:ud {w8 [untyped_write channels 15]}
)");
}

// Three-source instructions have an immediate if the first source is a constant that 16 bits hold
// exactly, for floats as a normal number (2^-15 is none); other constants are in registers.
TEST(SelectArithmetic, ShortImmediatesOfThreeSources) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = ffma %2, 2f, 3f
    %4:f32 = ffma %2, %2, -0.5f
    %5:f32 = ffma %2, %2, 0.1f
    %6:f32 = ffma %2, %2, 3.0517578125e-05f
    store_ssbo[0, align 4] 0, %3, %4, %5, %6
    %7:i32 = ubitfield_extract %1, %1, 5
    %8:i32 = sbitfield_extract %1, %1, 5
    store_ssbo[0, align 4] 16, %7, %8
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %3:ud = mov #0x40000000:ud {nomask}
    %6:ud = mov #0x3dcccccd:ud {nomask}
    %8:ud = mov #0x38000000:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %4:f = mad #0x4200:hf %2:f %3:f {w8}
    %5:f = mad #0xb800:hf %2:f %2:f {w8}
    %7:f = mad %6:f %2:f %2:f {w8}
    %9:f = mad %8:f %2:f %2:f {w8}
    %10:ud = mov #0x0:ud {w8}
    %11x4:ud = collect %4:ud %5:ud %7:ud %9:ud {w8}
    msg.write %10:ud %11x4:ud {w8 [untyped_write channels 15]}
    %12:ud = bfe #0x5:uw %2:ud %2:ud {w8}
    %13:d = bfe #0x5:w %2:d %2:d {w8}
    %14:ud = mov #0x10:ud {w8}
    %15x2:ud = collect %12:ud %13:ud {w8}
    msg.write %14:ud %15x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectArithmetic, MathFunctions) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = fsqrt %2
    %4:f32 = frcp 2f
    %5:f32 = fexp2 %2
    %6:f32 = fsin %2
    store_ssbo[0, align 4] 0, %3, %4, %5, %6
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %5:ud = mov #0x40000000:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %3:f = math %2:f {w8 aux 4}
    %4:f = math %5:f {nomask aux 1}
    %6:f = math %2:f {w8 aux 3}
    %7:f = math %2:f {w8 aux 6}
    %8:ud = mov %4:ud {w8}
    %9:ud = mov #0x0:ud {w8}
    %10x4:ud = collect %3:ud %8:ud %6:ud %7:ud {w8}
    msg.write %9:ud %10x4:ud {w8 [untyped_write channels 15]}
)");
}

// By reciprocal, logarithm and exponential.
TEST(SelectArithmetic, DivisionsAndPowersOfFloats) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = fdiv %2, 3f
    %4:f32 = fpow %2, %3
    store_ssbo[0, align 4] 0, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %4:ud = mov #0x40400000:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %3:f = math %4:f {w8 aux 1}
    %5:f = mul %2:f %3:f {w8}
    %6:f = math %2:f {w8 aux 2}
    %7:f = mul %6:f %5:f {w8}
    %8:f = math %7:f {w8 aux 3}
    %9:ud = mov #0x0:ud {w8}
    msg.write %9:ud %8:ud {w8 [untyped_write channels 1]}
)");
}

TEST(SelectArithmetic, RemaindersOfFloats) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:f32 = bitcast %1
    %3:f32 = frem %2, 3f
    %4:f32 = fmod %2, 3f
    store_ssbo[0, align 4] 0, %3, %4
)",
                     8),
            R"(
    %1:uw = lane_ids {w8 nomask}
    %3:ud = mov #0x40400000:ud {nomask}
    %2:ud = mov %1:uw {w8}
    %4:f = math %3:f {w8 aux 1}
    %5:f = mul %2:f %4:f {w8}
    %6:f = rndz %5:f {w8}
    %7:f = mad %2:f -%3:f %6:f {w8}
    %8:f = math %3:f {w8 aux 1}
    %9:f = mul %2:f %8:f {w8}
    %10:f = rndd %9:f {w8}
    %11:f = mad %2:f -%3:f %10:f {w8}
    %12:ud = mov #0x0:ud {w8}
    %13x2:ud = collect %7:ud %11:ud {w8}
    msg.write %12:ud %13x2:ud {w8 [untyped_write channels 3]}
)");
}

TEST(SelectArithmetic, HalvesAreComputedPacked) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:f16 = bitcast %2
    %4:f16 = fadd %3, 1h
    %5:f16 = fsqrt %4
    %6:f32 = f2f %5
    store_ssbo[0, align 4] 0, %6
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %2:ud = mov %1:uw {w16}
    %3:hf = add %2:hf #0x3c00:hf {w16}
    %4:hf = math %3:hf {w16 aux 4}
    %5:f = mov %4:hf {w16}
    %6:ud = mov #0x0:ud {w16}
    msg.write %6:ud %5:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

TEST(SelectArithmetic, ShortIntegersAreComputedPacked) {
  EXPECT_EQ(Selected(R"(
    %1:i32 = subgroup_invocation
    %2:i16 = trunc %1
    %3:i16 = imul %2, %2
    %4:i16 = udiv %3, 3i16
    %5:i32 = zext %4
    store_ssbo[0, align 4] 0, %5
)",
                     16),
            R"(
    %1:uw = lane_ids {w16 nomask}
    %6:ud = mov #0x3:ud {nomask}
    %2:ud = mov %1:uw {w16}
    %3:w = mul %2:w %2:w {w16}
    %4:ud = mov %3:uw {w16}
    %5:ud = math %4:ud %6:ud {w16 aux 12}
    %7:ud = mov %5:uw {w16}
    %8:ud = mov #0x0:ud {w16}
    msg.write %8:ud %7:ud {w16 [untyped_write lanes 16 channels 1]}
)");
}

}  // namespace
}  // namespace kiln::intel
