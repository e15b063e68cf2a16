// The state that the parts of emission share: the function, the program so far, labels, the first
// error.
//
// Lanes: "mask" instructions exist for waves of both sizes; Masks names them once.
#ifndef KILN_CORE_AMD_EMIT_CONTEXT_H_
#define KILN_CORE_AMD_EMIT_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/amd/emit/program.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/lir/ops.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// The operations on masks of lanes, of one wave size.
struct MaskOps {
  isa::Opcode mov, and_, andn2, or_, xor_, cselect, cmp_eq, and_saveexec, andn1_saveexec, wqm;
};
const MaskOps& MaskOpsOf(isa::Wave wave);

class Context {
 public:
  // `spill_offset`: bytes of a lane's scratch before the spilled registers.
  Context(const lir::Function& f, uint32_t spill_offset);

  const lir::Function& f() const { return f_; }
  isa::Wave wave() const { return program_.wave; }
  const MaskOps& masks() const { return masks_; }
  uint32_t spill_offset() const { return spill_offset_; }
  Program& program() { return program_; }

  // Every row that follows is of this instruction.
  void SetOrigin(const lir::Inst& in) { origin_ = in; }
  const lir::Inst& origin() const { return origin_; }

  void Add(const isa::Instruction& inst);
  // Appends an instruction with up to three sources.
  void Add(isa::Opcode op, isa::Operand dst, isa::Operand src0 = {}, isa::Operand src1 = {},
           isa::Operand src2 = {});
  void AddBranch(isa::Opcode op, int label);
  // Appends s_mov of a constant to a scalar register, in its shortest form.
  void AddScalarConstant(isa::Operand dst, uint32_t bits);

  int NewLabel();
  void Bind(int label);  // to the next row
  bool IsUsed(int label) const { return used_[static_cast<size_t>(label)]; }
  bool IsBound(int label) const { return label_rows_[static_cast<size_t>(label)] >= 0; }

  // Switches all lanes on until EndAllLanes; the mask is in the temporary pair meanwhile. Does not
  // touch SCC. A stretch directly behind another one is joined to it.
  void BeginAllLanes();
  void EndAllLanes();
  // Switches lanes that help off until EndExact, likewise.
  void BeginExact();
  void EndExact();

  // Keeps the first error, with the instruction in question.
  void Fail(const lir::Inst& in, absl::string_view what);
  const absl::Status& status() const { return status_; }

  // Replaces labels by rows. All labels that branches use must be bound.
  void ResolveLabels();

 private:
  const lir::Function& f_;
  const uint32_t spill_offset_;
  Program program_;
  const MaskOps& masks_;
  lir::Inst origin_;
  std::vector<int> label_rows_;
  std::vector<bool> used_;
  size_t last_bound_ = 0;  // row of the label bound last
  // Number of rows behind the last EndAllLanes and EndExact; 0: none.
  size_t end_of_all_lanes_ = 0, end_of_exact_ = 0;
  absl::Status status_;
};

inline isa::Operand Exec() { return isa::Sgpr(isa::kExecLo); }
inline isa::Operand Temporary() { return isa::Sgpr(kTemporarySgpr); }
inline isa::Operand LiveLanes() { return isa::Sgpr(kLiveLanesSgpr); }
inline isa::Operand Constant(int small) {
  return isa::Source(small >= 0 ? isa::kInt0 + small : isa::kIntMinus1 - 1 - small);
}

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_CONTEXT_H_
