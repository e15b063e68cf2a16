// Dot products, matrix products and determinants, as ops. A matrix is its columns one after the
// other.
//
// Sums are formed as multiply and add; fusing them is a later pass's decision, which honours
// NoContraction. SPIR-V leaves their order open. Dot products go left to right; matrix products
// begin with the last, as Mesa's: of a point's or a plane's coordinates the last is often 1 or 0,
// whose product is then nothing but where fused multiply-adds begin.
#ifndef KILN_CORE_FRONT_MATRIX_MATH_H_
#define KILN_CORE_FRONT_MATRIX_MATH_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/front/op_emitter.h"

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
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_MATRIX_MATH_H_
