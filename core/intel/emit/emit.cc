#include "core/intel/emit/emit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/intel/emit/alu.h"
#include "core/intel/emit/check_instructions.h"
#include "core/intel/emit/context.h"
#include "core/intel/emit/fragment.h"
#include "core/intel/emit/headers.h"
#include "core/intel/emit/lanes.h"
#include "core/intel/emit/operands.h"
#include "core/intel/emit/pseudo.h"
#include "core/intel/emit/scans.h"
#include "core/intel/emit/scratch.h"
#include "core/intel/emit/sends.h"
#include "core/intel/emit/structure.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;

using EmitFunction = absl::Status (*)(EmitContext&, lir::InstId);
constexpr EmitFunction kNoEmitter = nullptr;
// The emitter of each operation from kFirstPseudo on.
constexpr EmitFunction kEmitters[] = {
#define KILN_INTEL_OP(op, text, flags, uses, memory_class, timing, emitter) emitter,
#include "core/intel/lir/ops.def"
#undef KILN_INTEL_OP
};

class Emitter {
 public:
  Emitter(const Device& device, const lir::Function& f)
      : f_(f), p_(device.generation), structure_(p_), em_{device, f, p_, structure_} {}

  absl::StatusOr<isa::Program> Run(const ControlChange& control) {
    ChangeControl(Opcode::kAnd, ~control.clear, control.clear != 0);
    ChangeControl(Opcode::kOr, control.set, control.set != 0);
    FindLoopHeaders();
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      if (f_.exit_block.valid() && f_.exit_block.index == b) structure_.EndHalts();
      for (int i = 0; i < loops_at_[b]; ++i) structure_.BeginLoop(p_.Next());
      for (lir::InstId id : f_.blocks[b].insts) {
        if (absl::Status s = Instruction(id); !s.ok()) return s;
      }
    }
    if (!structure_.Closed())
      return absl::InternalError("emit: a control-flow construct has no end");
    if (absl::Status s = CheckInstructions(em_.device, p_); !s.ok()) return s;
    return std::move(p_);
  }

 private:
  // Changes bits of cr0.0. The scoreboard pass makes the next instruction wait for the change,
  // since no hardware interlock protects cr0.
  void ChangeControl(Opcode op, uint32_t bits, bool needed) {
    if (!needed) return;
    isa::Instruction e;
    e.op = op;
    e.no_mask = true;
    e.dst.file = isa::File::kArf;
    e.dst.arf = isa::Arf::kControl;
    e.dst.region.hstride = 1;
    e.src[0] = e.dst;
    e.src[0].region = {0, 1, 0};
    e.src[1] = ImmediateOperand(bits, Type::kUD);
    p_.Append(e);
  }

  // Counts the loops that begin at each block: the block that a while jumps back to.
  void FindLoopHeaders() {
    loops_at_.assign(f_.blocks.size(), 0);
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const lir::Block& block = f_.blocks[b];
      if (block.insts.empty() || f_.inst(block.insts.back()).op != Op(Opcode::kWhile)) continue;
      size_t header = b;
      for (const lir::Edge& e : block.succs) header = std::min<size_t>(header, e.to.index);
      for (lir::BlockId s : block.physical_succs) header = std::min<size_t>(header, s.index);
      ++loops_at_[header];
    }
  }

  absl::Status Instruction(lir::InstId id) {
    const lir::Inst& in = f_.inst(id);
    if (!IsEuOp(in.op)) {
      const EmitFunction emit = kEmitters[in.op - kFirstPseudo];
      if (emit != kNoEmitter) return emit(em_, id);
      return WithSpirvId(absl::InternalError(absl::StrCat("emit: operation ", in.op,
                                                          " has no machine instruction")),
                         in.spirv_id);
    }
    const auto op = static_cast<Opcode>(in.op);
    if (isa::IsBranch(op)) return Branch(id, op);
    return EmitPlain(em_, id, op);
  }

  absl::Status Branch(lir::InstId id, Opcode op) {
    isa::Instruction e = em_.Head(f_.inst(id), op, f_.inst(id).width, 0);
    em_.SetPredicate(e, id);
    const int32_t at = p_.Append(e);
    switch (op) {
      case Opcode::kIf: structure_.OnIf(at); break;
      case Opcode::kElse: structure_.OnElse(at); break;
      case Opcode::kEndif: structure_.OnEndif(at); break;
      case Opcode::kBreak:
      case Opcode::kCont: structure_.OnBreakOrContinue(at); break;
      case Opcode::kWhile: structure_.OnWhile(at); break;
      default: return absl::InternalError("emit: a branch is outside the control-flow structure");
    }
    return absl::OkStatus();
  }

  const lir::Function& f_;
  isa::Program p_;
  Structure structure_;
  EmitContext em_;
  std::vector<int> loops_at_;  // loops that begin at a block
};

}  // namespace

absl::StatusOr<isa::Program> Emit(const Device& device, const lir::Function& f,
                                  const ControlChange& control) {
  return Emitter(device, f).Run(control);
}

}  // namespace kiln::intel
