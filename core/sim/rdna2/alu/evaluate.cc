// See evaluate.h. The semantics are in the families' rows (rows.h).
#include "core/sim/rdna2/alu/evaluate.h"

#include <array>
#include <cassert>

#include "absl/strings/str_cat.h"
#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Encoding;
using amd::isa::Info;
using amd::isa::kOpcodeCount;
using amd::isa::Opcode;

using Table = std::array<Row, kOpcodeCount>;

void Enter(absl::Span<const Row> rows, Table& table) {
  for (const Row& row : rows) {
    Row& entry = table[static_cast<size_t>(row.op)];
    assert(entry.evaluate == nullptr);  // one family for each opcode
    entry = row;
  }
}

const Table& Rows() {
  static const Table table = [] {
    Table t;
    t.fill({Opcode::kSNop, Accuracy::kRefused, nullptr});
    for (const auto rows : {FloatRows, ConversionRows, DivisionRows, TranscendentalRows,
                            IntegerRows, BitRows, PackedRows, InterpolationRows, ComparisonRows}) {
      Enter(rows(), t);
    }
    return t;
  }();
  return table;
}

const Row& RowOf(Opcode op) { return Rows()[static_cast<size_t>(op)]; }

bool IsVector(Encoding e) { return amd::isa::IsVectorAlu(e) || e == Encoding::kVintrp; }

}  // namespace

Accuracy AccuracyOf(Opcode op) { return RowOf(op).accuracy; }

absl::Status CheckComputed(const amd::isa::Instruction& inst) {
  const amd::isa::OpcodeInfo& info = Info(inst.op);
  if (RowOf(inst.op).evaluate != nullptr) return absl::OkStatus();
  if (!IsVector(info.encoding)) {
    return absl::InvalidArgumentError(
        absl::StrCat(info.mnemonic, " is no instruction of the vector ALU"));
  }
  return absl::UnimplementedError(absl::StrCat(
      info.mnemonic, " reads or writes other lanes, so one lane's operands do not decide it"));
}

LaneResult Evaluate(const amd::isa::Instruction& inst, const Mode& mode, const LaneInputs& in) {
  const Row& row = RowOf(inst.op);
  assert(row.evaluate != nullptr);
  return row.evaluate(Lane(inst, mode, in));
}

}  // namespace kiln::sim::rdna2::alu
