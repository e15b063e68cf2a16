#include "core/front/ops/matrix_math.h"

#include <bit>
#include <vector>

#include "core/mir/build.h"
#include "gtest/gtest.h"

namespace kiln::front {
namespace {

using mir::Op;

// Checks the ops' values on small integers, which are exact in any order, and their order.
class MatrixMathTest : public ::testing::Test {
 protected:
  MatrixMathTest() {
    emission_.module.body = mir::NewRegion(emission_.module);
    emission_.builder.SetRegion(emission_.module.body);
  }

  Matrix Make(uint32_t columns, uint32_t rows, const std::vector<float>& leaves) {
    Matrix m;
    m.columns = columns;
    m.rows = rows;
    for (float x : leaves) m.m.push_back(math_.Float(x));
    return m;
  }
  float Value(ValueId v) const {
    const mir::Module& module = emission_.module;
    if (module.IsConstant(v)) {
      return std::bit_cast<float>(static_cast<uint32_t>(module.value(v).bits));
    }
    for (mir::InstId id : module.region(module.body).insts) {
      if (module.result(id) != v) continue;
      const float a = Value(module.sources(id)[0]);
      if (module.inst(id).op == Op::kFrcp) return 1 / a;
      if (module.inst(id).op == Op::kFneg) return -a;
      const float b = Value(module.sources(id)[1]);
      switch (module.inst(id).op) {
        case Op::kFmul: return a * b;
        case Op::kFadd: return a + b;
        case Op::kFsub: return a - b;
        default: break;
      }
    }
    ADD_FAILURE() << "an op that is not known here";
    return 0;
  }
  // Returns the first factors of the products, in order of emission.
  std::vector<float> FirstFactors() const {
    std::vector<float> factors;
    const mir::Module& module = emission_.module;
    for (mir::InstId id : module.region(module.body).insts) {
      if (module.inst(id).op == Op::kFmul) factors.push_back(Value(module.sources(id)[0]));
    }
    return factors;
  }

  const std::vector<spv::Capability> capabilities_;
  Emission emission_{capabilities_, 1000, false};
  const MatrixMath math_{emission_};
};

TEST_F(MatrixMathTest, DotGoesLeftToRight) {
  const ValueId dot = math_.Dot(Make(1, 3, {1, 2, 3}).m, Make(1, 3, {4, 5, 6}).m);
  EXPECT_EQ(Value(dot), 32);
  EXPECT_EQ(FirstFactors(), (std::vector<float>{1, 2, 3}));
}

TEST_F(MatrixMathTest, ProductsBeginWithTheLast) {
  // Columns (1, 2), (3, 4), (5, 6) times a column (7, 8, 9).
  Leaves out;
  math_.Product(Make(3, 2, {1, 2, 3, 4, 5, 6}), Make(1, 3, {7, 8, 9}), &out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(Value(out[0]), 7 + 24 + 45);
  EXPECT_EQ(Value(out[1]), 14 + 32 + 54);
  EXPECT_EQ(FirstFactors(), (std::vector<float>{5, 3, 1, 6, 4, 2}));
}

TEST_F(MatrixMathTest, ProductIsColumnByColumn) {
  Leaves out;
  math_.Product(Make(2, 2, {1, 2, 3, 4}), Make(2, 2, {5, 6, 7, 8}), &out);
  ASSERT_EQ(out.size(), 4u);
  const std::vector<float> expected = {1 * 5 + 3 * 6, 2 * 5 + 4 * 6, 1 * 7 + 3 * 8, 2 * 7 + 4 * 8};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(Value(out[i]), expected[i]) << i;
}

TEST_F(MatrixMathTest, Determinants) {
  EXPECT_EQ(Value(math_.Determinant(Make(2, 2, {1, 2, 3, 4}))), -2);
  EXPECT_EQ(Value(math_.Determinant(Make(3, 3, {2, 0, 1, 1, 3, 2, 1, 1, 4}))), 18);
  EXPECT_EQ(Value(math_.Determinant(Make(4, 4, {1, 0, 0, 0, 5, 2, 0, 0, 6, 7, 3, 0, 8, 9, 10, 4}))),
            24);
}

// In half floats the order decides which results are within an ulp of other implementations'.
TEST_F(MatrixMathTest, DeterminantsGoDownTheFirstColumn) {
  math_.Determinant(Make(3, 3, {2, 3, 5, 7, 11, 13, 17, 19, 23}));
  EXPECT_EQ(FirstFactors(), (std::vector<float>{11, 19, 2, 7, 17, 3, 7, 17, 5}));
}

TEST_F(MatrixMathTest, AnInverseIsCofactorsOverTheDeterminant) {
  Leaves out;
  math_.Inverse(Make(3, 3, {2, 0, 1, 1, 3, 2, 1, 1, 4}), &out);
  ASSERT_EQ(out.size(), 9u);
  // The adjugate, column by column; the determinant is 18.
  const std::vector<float> adjugate = {10, 1, -3, -2, 7, -3, -2, -2, 6};
  for (size_t i = 0; i < 9; ++i) EXPECT_FLOAT_EQ(Value(out[i]), adjugate[i] / 18) << i;
}

TEST_F(MatrixMathTest, AMinorLeavesOutAColumnAndARow) {
  const Matrix m = Make(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 10});
  EXPECT_EQ(Value(math_.Minor(m, 0, 0)), 5 * 10 - 8 * 6);
  EXPECT_EQ(Value(math_.Minor(m, 1, 2)), 1 * 8 - 7 * 2);
}

}  // namespace
}  // namespace kiln::front
