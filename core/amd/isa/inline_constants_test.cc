// The numbers are those of LLVM 19, AMDGPU operand syntax, and of the ISA guide, table 3.
#include "core/amd/isa/inline_constants.h"

#include <gtest/gtest.h>

namespace kiln::amd::isa {
namespace {

// Returns the operand's number, or -1.
int Code(uint32_t bits, Type type) {
  const auto constant = InlineConstant(bits, type);
  return constant ? constant->code : -1;
}

TEST(InlineConstants, SmallIntegersAreOfAllTypesButDoubles) {
  for (Type type : {Type::kB32, Type::kF32, Type::kI32, Type::kB64, Type::kU64, Type::kI16,
                    Type::kF16, Type::kPU16, Type::kPF16}) {
    EXPECT_EQ(Code(0, type), 128);
    EXPECT_EQ(Code(64, type), 192);
    EXPECT_EQ(Code(65, type), -1);
    EXPECT_EQ(Code(0xffffffff, type), 193);
    EXPECT_EQ(Code(0xfffffff0, type), 208);
    EXPECT_EQ(Code(0xffffffef, type), -1);
  }
  EXPECT_EQ(Code(0, Type::kF64), 128);
  EXPECT_EQ(Code(1, Type::kF64), -1) << "2^-1042";
}

TEST(InlineConstants, FloatsHaveTheWidthOfTheirType) {
  EXPECT_EQ(Code(0x3f800000, Type::kF32), 242);
  EXPECT_EQ(Code(0x3f800000, Type::kB32), 242);
  EXPECT_EQ(Code(0x3e22f983, Type::kF32), 248);
  EXPECT_EQ(Code(0xc0800000, Type::kU32), 247);
  EXPECT_EQ(Code(0x3f800000, Type::kB64), -1) << "1.0 as 64 bits is another number";
  EXPECT_EQ(Code(0x3ff00000, Type::kF64), 242);
  EXPECT_EQ(Code(0x3fc45f30, Type::kF64), -1) << "its low half is not 0";
  EXPECT_EQ(Code(0x3c00, Type::kF16), 242);
  EXPECT_EQ(Code(0x3118, Type::kF16), 248);
  EXPECT_EQ(Code(0x3c00, Type::kU16), -1) << "integers of 16 bits have no floats";
  EXPECT_EQ(Code(0x3c00, Type::kPF16), 242);
  EXPECT_EQ(Code(0x3c00, Type::kPU16), -1);
  EXPECT_EQ(Code(0x3c00, Type::kF32), -1);
}

TEST(InlineConstants, OfHalvesTheLowWordCounts) {
  EXPECT_EQ(Code(0x12343c00, Type::kF16), 242);
  EXPECT_EQ(Code(0xfff0, Type::kI16), 208);
  EXPECT_EQ(Code(0xfff0, Type::kPU16), -1) << "packed ones have both";
  EXPECT_EQ(Code(0x3c003c00, Type::kPF16), -1);
}

TEST(InlineConstants, LiteralsOf64BitsAreZeroExtended) {
  EXPECT_TRUE(LiteralMeans(0x7fffffff, Type::kU64));
  EXPECT_FALSE(LiteralMeans(0x80000000, Type::kU64));
  EXPECT_FALSE(LiteralMeans(0x80000000, Type::kB64));
  EXPECT_TRUE(LiteralMeans(0x80000000, Type::kI64));
  EXPECT_TRUE(LiteralMeans(0x80000000, Type::kF64)) << "it is the high half";
  EXPECT_TRUE(LiteralMeans(0x80000000, Type::kU32));
}

}  // namespace
}  // namespace kiln::amd::isa
