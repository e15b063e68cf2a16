// Dot products, matrix products, determinants and inverses, as ops. A matrix is its columns one
// after the other.
//
// Sums are formed as multiply and add; fusing them is a later pass's decision, which honours
// NoContraction. SPIR-V leaves their order open. Dot products go left to right; matrix products
// begin with the last, as Mesa's: of a point's or a plane's coordinates the last is often 1 or 0,
// whose product is then nothing but where fused multiply-adds begin.
//
// Determinants go down the first column, and inverses are cofactors times the reciprocal of the
// determinant, as Mesa's builders have it and those whose results tests compare with: in half
// floats an expansion along the first row is up to 2 ulp of the largest element away from that,
// where the CTS (inverse_compute_fp16_mat_4x4) allows 1. An element x of an inverse of order 4 is
// within 2 units of rounding (2^-11 of halfs, 2^-24 of floats) times
//     (permanent of its minor + |x| * permanent of the matrix) / |determinant|,
// permanents being of absolute values, fused or not: measured on 1,492 random matrices, of which
// the worst is 1.93; width_test.cc (HalfInverses) holds 32 to it.
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

  // Of floats of one size, at least one.
  ValueId Dot(absl::Span<const ValueId> a, absl::Span<const ValueId> b) const;
  // Appends the product; `a` has as many columns as `b` has rows.
  void Product(const Matrix& a, const Matrix& b, Leaves* out) const;
  // Of square matrices of 2 to 4 rows; of what is left of one without a column and a row.
  ValueId Determinant(const Matrix& m) const;
  ValueId Minor(const Matrix& m, uint32_t skip_column, uint32_t skip_row) const;
  // Appends the inverse of a square matrix of 2 to 4 rows.
  void Inverse(const Matrix& m, Leaves* out) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_MATRIX_MATH_H_
