// See packed_form.h. That both halves are what the instructions of 16 bits compute (rounding,
// subnormal numbers, NaN) is from the pseudo code of AMD's RDNA2 ISA guide, chapter 12.8; MODE's
// fields for 16 bits hold for both.
#include "core/amd/optimise/packed_form.h"

#include "core/amd/lir/ops.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using lir::Operand;

struct Row {
  Opcode single, packed;
  uint8_t negated;  // bit i: source i
  bool commutes;
};
constexpr Row kRows[] = {
    {Opcode::kVAddF16, Opcode::kVPkAddF16, 0, true},
    {Opcode::kVSubF16, Opcode::kVPkAddF16, 2, true},
    {Opcode::kVSubrevF16, Opcode::kVPkAddF16, 1, true},
    {Opcode::kVMulF16, Opcode::kVPkMulF16, 0, true},
    {Opcode::kVFmaF16, Opcode::kVPkFmaF16, 0, true},
    {Opcode::kVMinF16, Opcode::kVPkMinF16, 0, true},
    {Opcode::kVMaxF16, Opcode::kVPkMaxF16, 0, true},
    {Opcode::kVAddNcU16, Opcode::kVPkAddU16, 0, true},
    {Opcode::kVSubNcU16, Opcode::kVPkSubU16, 0, false},
    {Opcode::kVMulLoU16, Opcode::kVPkMulLoU16, 0, true},
    {Opcode::kVMinI16, Opcode::kVPkMinI16, 0, true},
    {Opcode::kVMaxI16, Opcode::kVPkMaxI16, 0, true},
    {Opcode::kVMinU16, Opcode::kVPkMinU16, 0, true},
    {Opcode::kVMaxU16, Opcode::kVPkMaxU16, 0, true},
    {Opcode::kVLshlrevB16, Opcode::kVPkLshlrevB16, 0, false},
    {Opcode::kVLshrrevB16, Opcode::kVPkLshrrevB16, 0, false},
    {Opcode::kVAshrrevI16, Opcode::kVPkAshrrevI16, 0, false},
};

const Row* RowOf(uint16_t op) {
  for (const Row& row : kRows) {
    if (op == Op(row.single)) return &row;
  }
  return nullptr;
}

}  // namespace

bool HasPackedForm(uint16_t op) { return RowOf(op) != nullptr; }

std::optional<PackedForm> PackedFormOf(const lir::Function& f, const lir::DefUse& info,
                                       lir::InstId id) {
  const lir::Inst& in = f.inst(id);
  const Row* row = RowOf(in.op);
  if (row == nullptr || (in.flags & ~lir::kSaturate) != 0) return std::nullopt;
  const auto defs = f.defs(id);
  const auto uses = f.uses(id);
  if (defs.size() != 1 || f.value(defs[0].value()).file != kFileV) return std::nullopt;
  if (!(ExtraOf(f, in) == Extra{})) return std::nullopt;
  PackedForm form;
  form.op = row->packed;
  form.is_float = isa::Info(row->packed).dst == isa::Type::kPF16;
  form.commutes = row->commutes;
  form.saturates = (in.flags & lir::kSaturate) != 0;
  if (form.saturates && !form.is_float) return std::nullopt;
  for (const Operand& use : uses) {
    if (use.kind == Operand::Kind::kNone) break;
    const bool is_word = use.kind == Operand::Kind::kImm || (lir::IsValue(use) && use.comps == 1);
    if (!is_word || form.sources == 3 || (use.mods & Operand::kAbsolute) != 0) return std::nullopt;
    const auto i = static_cast<size_t>(form.sources++);
    form.words[i] = WordOf(f, info, use);
    const bool negated = ((use.mods & Operand::kNegate) != 0) != ((row->negated >> i & 1) != 0);
    if (form.words[i].is_constant()) {
      if (negated) form.words[i].dword.id ^= 0x8000;
    } else {
      form.negated[i] = negated;
    }
  }
  return form;
}

}  // namespace kiln::amd
