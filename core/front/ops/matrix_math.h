// Dot products, matrix products, determinants and inverses, as ops. A matrix is stored column by
// column.
//
// Sums are formed as multiply and add; fusing them is a later pass's decision, which honours
// NoContraction. SPIR-V leaves their order open. Dot products go from left to right; matrix
// products begin with the last term, as Mesa's do: the last coordinate of a point or plane is often
// 1 or 0, and in a chain of fused multiply-adds its product then costs nothing as the first addend.
//
// Determinants expand along the first column, and inverses are cofactors times the reciprocal of
// the determinant, as in Mesa's builders and the results that tests compare with: in half floats,
// an expansion along the first row differs by up to 2 ulp of the largest element, where the CTS
// (inverse_compute_fp16_mat_4x4) allows 1. An element x of an inverse of order 4 has an error of at
// most 2 units of rounding (2^-11 for halfs, 2^-24 for floats) times
//     (permanent of its minor + |x| * permanent of the matrix) / |determinant|,
// with permanents of absolute values, fused or not. Measured on 1,492 random matrices, the worst is
// 1.93 units; width_test.cc (HalfInverses) checks the bound on 32.
#ifndef KILN_CORE_FRONT_OPS_MATRIX_MATH_H_
#define KILN_CORE_FRONT_OPS_MATRIX_MATH_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/front/ops/op_emitter.h"

namespace kiln::front {

struct Matrix {
  uint32_t columns = 1;
  uint32_t rows = 1;
  Leaves m;  // column by column
  ValueId at(uint32_t column, uint32_t row) const { return m[column * rows + row]; }
};

class MatrixMath : public OpEmitter {
 public:
  using OpEmitter::OpEmitter;

  // Takes floats of equal width, at least one pair.
  ValueId Dot(absl::Span<const ValueId> a, absl::Span<const ValueId> b) const;
  // Appends the product; `a` has as many columns as `b` has rows.
  void Product(const Matrix& a, const Matrix& b, Leaves* out) const;
  // Take square matrices of 2 to 4 rows. Minor: the determinant without one column and one row.
  ValueId Determinant(const Matrix& m) const;
  ValueId Minor(const Matrix& m, uint32_t skip_column, uint32_t skip_row) const;
  // Appends the inverse of a square matrix of 2 to 4 rows.
  void Inverse(const Matrix& m, Leaves* out) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_MATRIX_MATH_H_
