#include "core/front/ops/matrix_math.h"

namespace kiln::front {

ValueId MatrixMath::Dot(absl::Span<const ValueId> a, absl::Span<const ValueId> b) const {
  ValueId sum = Emit(mir::Op::kFmul, {a[0], b[0]});
  for (size_t i = 1; i < a.size(); ++i) {
    sum = Emit(mir::Op::kFadd, {sum, Emit(mir::Op::kFmul, {a[i], b[i]})});
  }
  return sum;
}

void MatrixMath::Product(const Matrix& a, const Matrix& b, Leaves* out) const {
  for (uint32_t c = 0; c < b.columns; ++c) {
    for (uint32_t r = 0; r < a.rows; ++r) {
      Leaves row;
      Leaves column;
      for (uint32_t k = a.columns; k-- > 0;) {
        row.push_back(a.at(k, r));
        column.push_back(b.at(c, k));
      }
      out->push_back(Dot(row, column));
    }
  }
}

ValueId MatrixMath::Minor(const Matrix& m, uint32_t skip_column, uint32_t skip_row) const {
  Matrix rest;
  rest.columns = rest.rows = m.columns - 1;
  for (uint32_t c = 0; c < m.columns; ++c) {
    for (uint32_t r = 0; r < m.rows; ++r) {
      if (c != skip_column && r != skip_row) rest.m.push_back(m.at(c, r));
    }
  }
  return Determinant(rest);
}

ValueId MatrixMath::Determinant(const Matrix& m) const {
  using mir::Op;
  if (m.columns == 1) return m.at(0, 0);
  if (m.columns == 2) {
    return Emit(Op::kFsub, {Emit(Op::kFmul, {m.at(0, 0), m.at(1, 1)}),
                            Emit(Op::kFmul, {m.at(1, 0), m.at(0, 1)})});
  }
  ValueId sum;
  for (uint32_t r = 0; r < m.rows; ++r) {
    const ValueId term = Emit(Op::kFmul, {m.at(0, r), Minor(m, 0, r)});
    sum = r == 0 ? term : Emit(r % 2 == 1 ? Op::kFsub : Op::kFadd, {sum, term});
  }
  return sum;
}

void MatrixMath::Inverse(const Matrix& m, Leaves* out) const {
  using mir::Op;
  const ValueId scale = Reciprocal(Determinant(m));
  for (uint32_t c = 0; c < m.columns; ++c) {
    for (uint32_t r = 0; r < m.rows; ++r) {
      ValueId cofactor = Minor(m, r, c);  // transposed
      if ((c + r) % 2 == 1) cofactor = Emit(Op::kFneg, {cofactor});
      out->push_back(Emit(Op::kFmul, {cofactor, scale}));
    }
  }
}

}  // namespace kiln::front
