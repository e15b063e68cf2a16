#include "core/amd/emit/context.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/operands.h"
#include "core/amd/isa/inline_constants.h"
#include "core/amd/lir/machine.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

constexpr MaskOps kMaskOps32 = {
    Opcode::kSMovB32,           Opcode::kSAndB32,     Opcode::kSAndn2B32, Opcode::kSOrB32,
    Opcode::kSXorB32,           Opcode::kSCselectB32, Opcode::kSCmpEqU32, Opcode::kSAndSaveexecB32,
    Opcode::kSAndn1SaveexecB32, Opcode::kSWqmB32};
constexpr MaskOps kMaskOps64 = {
    Opcode::kSMovB64,           Opcode::kSAndB64,     Opcode::kSAndn2B64, Opcode::kSOrB64,
    Opcode::kSXorB64,           Opcode::kSCselectB64, Opcode::kSCmpEqU64, Opcode::kSAndSaveexecB64,
    Opcode::kSAndn1SaveexecB64, Opcode::kSWqmB64};

isa::Wave WaveOf(const lir::Function& f) {
  return f.dispatch_width == 64 ? isa::Wave::k64 : isa::Wave::k32;
}

}  // namespace

const MaskOps& MaskOpsOf(isa::Wave wave) {
  return wave == isa::Wave::k64 ? kMaskOps64 : kMaskOps32;
}

Context::Context(const lir::Function& f, uint32_t spill_offset)
    : f_(f), spill_offset_(spill_offset), masks_(MaskOpsOf(WaveOf(f))) {
  program_.wave = WaveOf(f);
}

void Context::Add(const isa::Instruction& inst) {
  Row row;
  row.inst = inst;
  row.spirv_id = origin_.spirv_id;
  program_.rows.push_back(row);
}

void Context::Add(Opcode op, isa::Operand dst, isa::Operand src0, isa::Operand src1,
                  isa::Operand src2) {
  isa::Instruction inst;
  inst.op = op;
  inst.dst = dst;
  inst.src[0] = src0;
  inst.src[1] = src1;
  inst.src[2] = src2;
  Add(inst);
}

void Context::AddBranch(Opcode op, int label) {
  Add(op, {});
  program_.rows.back().target = label;
  used_[static_cast<size_t>(label)] = true;
}

void Context::AddScalarConstant(isa::Operand dst, uint32_t bits) {
  isa::Instruction inst;
  inst.op = Opcode::kSMovB32;
  inst.dst = dst;
  const auto constant = isa::InlineConstant(bits, isa::Type::kB32);
  const auto number = static_cast<int32_t>(bits);
  if (constant) {
    inst.src[0] = *constant;
  } else if (number == static_cast<int16_t>(number)) {
    inst.op = Opcode::kSMovkI32;
    inst.simm = static_cast<uint16_t>(number);
  } else {
    inst.src[0] = isa::Source(isa::kLiteralCode);
    inst.literal = bits;
  }
  Add(inst);
}

int Context::NewLabel() {
  label_rows_.push_back(-1);
  used_.push_back(false);
  return static_cast<int>(label_rows_.size()) - 1;
}

void Context::Bind(int label) {
  assert(label_rows_[static_cast<size_t>(label)] < 0);
  label_rows_[static_cast<size_t>(label)] = static_cast<int>(program_.rows.size());
  last_bound_ = program_.rows.size();
}

void Context::BeginAllLanes() {
  const size_t rows = program_.rows.size();
  if (rows != 0 && end_of_all_lanes_ == rows && last_bound_ < rows) {
    program_.rows.pop_back();
    return;
  }
  Add(masks_.mov, Temporary(), Exec());
  Add(masks_.mov, Exec(), Constant(-1));
}

void Context::EndAllLanes() {
  Add(masks_.mov, Exec(), Temporary());
  end_of_all_lanes_ = program_.rows.size();
}

void Context::BeginExact() {
  const size_t rows = program_.rows.size();
  if (rows != 0 && end_of_exact_ == rows && last_bound_ < rows) {
    program_.rows.pop_back();
    return;
  }
  Add(masks_.and_saveexec, Temporary(), LiveLanes());
}

void Context::EndExact() {
  Add(masks_.mov, Exec(), Temporary());
  end_of_exact_ = program_.rows.size();
}

void Context::Fail(const lir::Inst& in, absl::string_view what) {
  if (!status_.ok()) return;
  const std::string_view name = Gfx1030Machine().ops[in.op].name;
  status_ =
      absl::InternalError(absl::StrCat("emission of ", absl::string_view(name.data(), name.size()),
                                       " (id ", in.spirv_id, "): ", what));
}

void Context::ResolveLabels() {
  for (Row& row : program_.rows) {
    if (row.target == Row::kNoTarget) continue;
    row.target = label_rows_[static_cast<size_t>(row.target)];
    assert(row.target >= 0);
  }
}

}  // namespace kiln::amd
