#include "core/front/ops/op_emitter.h"

#include <string>
#include <vector>

#include "core/mir/build.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using mir::Op;

// Tests on hand-made MIR, without a SPIR-V module.
class OpEmitterTest : public ::testing::Test {
 protected:
  explicit OpEmitterTest(bool mark_undefined = false)
      : emission_(capabilities_, 1000, mark_undefined) {
    emission_.module.body = mir::NewRegion(emission_.module);
    emission_.builder.SetRegion(emission_.module.body);
    emission_.builder.set_spirv_id(8);
  }

  // Returns the names of the ops in order, without operands.
  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    for (mir::InstId id : emission_.module.region(emission_.module.body).insts) {
      names.emplace_back(mir::Info(emission_.module.inst(id).op).name);
    }
    return names;
  }
  uint16_t FlagsOf(size_t i) const {
    const mir::Region& body = emission_.module.region(emission_.module.body);
    return emission_.module.inst(body.insts[i]).flags;
  }

  const std::vector<spv::Capability> capabilities_;
  Emission emission_;
  OpEmitter ops_{emission_};
};

using Names = std::vector<std::string>;

TEST_F(OpEmitterTest, OperandsMustFitTheSignature) {
  const ValueId x = emission_.builder.LocalIndex();
  EXPECT_TRUE(ops_.Emit(Op::kIadd, {x, ops_.Int(1)}).valid());
  EXPECT_TRUE(ops_.ok());
  EXPECT_TRUE(ops_.Emit(Op::kFadd, {x, ops_.Float(1)}).valid());
  EXPECT_FALSE(ops_.ok());
  EXPECT_EQ(Ops(), (Names{"local_index", "iadd"}));
}

TEST_F(OpEmitterTest, OperandsOfOneLetterAreOfOneType) {
  const ValueId wide = emission_.builder.IntOf(mir::Type::kI64, 1);
  ops_.Emit(Op::kIadd, {wide, wide});
  EXPECT_TRUE(ops_.ok());
  ops_.Emit(Op::kIadd, {ops_.Int(1), wide});
  EXPECT_EQ(emission_.errors.status().message(), "operand types of iadd");
}

TEST_F(OpEmitterTest, TheNumberOfOperandsIsChecked) {
  ops_.Emit(Op::kIadd, {ops_.Int(1)});
  EXPECT_EQ(emission_.errors.status().message(), "operand types of iadd");
}

TEST_F(OpEmitterTest, AnInvalidOperandIsMalformed) {
  ops_.Emit(Op::kIadd, {ops_.Int(1), ValueId()});
  EXPECT_EQ(emission_.errors.status().message(), "operand types of iadd");
}

TEST_F(OpEmitterTest, NoContractionIsOfFloatsOnly) {
  emission_.no_contraction = true;
  ops_.Emit(Op::kFadd, {ops_.Float(1), ops_.Float(2)});
  ops_.Emit(Op::kIadd, {ops_.Int(1), ops_.Int(2)});
  emission_.no_contraction = false;
  ops_.Emit(Op::kFadd, {ops_.Float(1), ops_.Float(2)});
  EXPECT_EQ(FlagsOf(0), mir::kExact);
  EXPECT_EQ(FlagsOf(1), 0);
  EXPECT_EQ(FlagsOf(2), 0);
}

TEST_F(OpEmitterTest, LimitsAreOfArithmeticAndComparisonsOfTheirWidth) {
  emission_.float_limits = {.of_f16 = mir::kKeepNan, .of_f32 = mir::kNoContraction};
  const ValueId half = emission_.builder.Constant(mir::Type::kF16, 0x3c00);
  const ValueId one = ops_.Float(1);
  ops_.Emit(Op::kFadd, {half, half});
  ops_.Emit(Op::kFlt, {one, one});
  ops_.Emit(Op::kF2f16, {one});
  ops_.Emit(Op::kSelect, {emission_.builder.Bool(true), one, one});
  ops_.Emit(Op::kIadd, {ops_.Int(1), ops_.Int(2)});
  EXPECT_EQ(FlagsOf(0), mir::kKeepNan);
  EXPECT_EQ(FlagsOf(1), mir::kNoContraction);
  for (int i = 2; i < 5; ++i) EXPECT_EQ(FlagsOf(i), 0) << i;
}

TEST_F(OpEmitterTest, ConstantsAreConvertedAtOnce) {
  const ValueId minus = emission_.builder.IntOf(mir::Type::kI16, -2);
  uint32_t bits = 0;
  EXPECT_TRUE(ops_.IsConstant(ops_.ConvertInt(minus, mir::Type::kI32, true), &bits));
  EXPECT_EQ(bits, 0xfffffffeu);
  EXPECT_TRUE(ops_.IsConstant(ops_.ConvertInt(minus, mir::Type::kI32, false), &bits));
  EXPECT_EQ(bits, 0xfffeu);
  EXPECT_EQ(Ops(), Names());
}

TEST_F(OpEmitterTest, IntegersAreWidenedBySignAndCut) {
  const ValueId x = emission_.builder.LocalIndex();
  const ValueId wide = ops_.ConvertInt(x, mir::Type::kI64, true);
  EXPECT_EQ(ops_.TypeOf(wide), mir::Type::kI64);
  ops_.ConvertInt(x, mir::Type::kI64, false);
  ops_.ConvertInt(wide, mir::Type::kI16, true);
  EXPECT_EQ(ops_.ConvertInt(x, mir::Type::kI32, true), x);
  EXPECT_EQ(Ops(), (Names{"local_index", "sext", "zext", "trunc"}));
}

TEST_F(OpEmitterTest, WideConstantsAreThoseThatNeedMoreThan32Bits) {
  const auto wide = [&](int64_t x) {
    return ops_.IsWideConstant(emission_.builder.IntOf(mir::Type::kI64, x));
  };
  EXPECT_FALSE(wide(0xffffffff));
  EXPECT_TRUE(wide(0x100000000));
  EXPECT_FALSE(wide(INT32_MIN));
  EXPECT_TRUE(wide(int64_t{INT32_MIN} - 1));
  EXPECT_FALSE(ops_.IsWideConstant(ops_.Int(~0u)));
}

TEST_F(OpEmitterTest, RecutsBothWays) {
  const ValueId x = ops_.ConvertInt(emission_.builder.LocalIndex(), mir::Type::kI64, false);
  Leaves halves;
  ops_.Recut({x}, mir::Type::kF32, &halves);
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_EQ(ops_.TypeOf(halves[1]), mir::Type::kF32);
  Leaves whole;
  ops_.Recut(halves, mir::Type::kI64, &whole);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(ops_.TypeOf(whole[0]), mir::Type::kI64);
  EXPECT_TRUE(ops_.ok());
}

TEST_F(OpEmitterTest, UndefinedIsNotMarkedForCompiling) {
  const ValueId x = emission_.builder.LocalIndex();
  EXPECT_EQ(ops_.UndefinedBeyond(x, 4, x), x);
  EXPECT_EQ(ops_.UndefinedWhere(emission_.builder.Bool(true), x), x);
  EXPECT_EQ(Ops(), (Names{"local_index"}));
}

class MarkingTest : public OpEmitterTest {
 protected:
  MarkingTest() : OpEmitterTest(/*mark_undefined=*/true) {}
};

TEST_F(MarkingTest, UndefinedIsMarkedForJudges) {
  const ValueId x = emission_.builder.LocalIndex();
  EXPECT_EQ(ops_.UndefinedBeyond(ops_.Int(3), 4, x), x);  // never beyond
  EXPECT_NE(ops_.UndefinedBeyond(x, 4, x), x);
  EXPECT_EQ(ops_.UndefinedWhere(ValueId(), x), x);
  EXPECT_EQ(Ops(), (Names{"local_index", "uge", "select"}));
}

}  // namespace
}  // namespace kiln::front
