// The semantics of vector opcodes as tables: one row for each opcode, in one file for each family.
#ifndef KILN_CORE_SIM_RDNA2_ALU_ROWS_H_
#define KILN_CORE_SIM_RDNA2_ALU_ROWS_H_

#include "absl/types/span.h"
#include "core/amd/isa/opcodes.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/alu/lane.h"

namespace kiln::sim::rdna2::alu {

struct Row {
  amd::isa::Opcode op;
  Accuracy accuracy;
  LaneResult (*evaluate)(const Lane&);
};

// Rows of one family; each opcode stands in one family.
absl::Span<const Row> FloatRows();           // add to fma, minimum to median, rounding, cubes
absl::Span<const Row> ConversionRows();      // between formats, and packing
absl::Span<const Row> DivisionRows();        // v_div_*
absl::Span<const Row> TranscendentalRows();  // reciprocals, roots, exponentials, sines
absl::Span<const Row> IntegerRows();         // 16, 32 and 64 bits
absl::Span<const Row> BitRows();             // moves, logic, shifts, fields, bytes
absl::Span<const Row> PackedRows();          // VOP3P and dot products
absl::Span<const Row> InterpolationRows();
absl::Span<const Row> ComparisonRows();  // VOPC

// minimum(a, b) and maximum(a, b) as v_min_* and v_max_* of the mode have them.
Number Minimum(const Number& a, const Number& b, const Mode& mode);
Number Maximum(const Number& a, const Number& b, const Mode& mode);

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_ROWS_H_
