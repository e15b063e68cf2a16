// Emits the jumps of structured control flow under exec.
//
// Lanes that wait are kept in slots, masks in reserved registers by nesting depth (lir/ops.h);
// those in lanes of vector registers are read into a scalar register and written back. A jump that
// may leave no lane on goes to the innermost place that restores lanes: the mask_else, the
// mask_endif, the block where continuing lanes meet, the mask_while.
//
//   mask_if     slot = exec, exec &= condition; none left: to the restoring place
//   mask_else   exec = slot without exec
//   mask_endif  exec = slot; breaks and continues in between took their lanes out of the slot
//   mask_loop   slot + 1 = exec at the entry, slot = the lanes that are still in the loop
//   mask_while  exec = slot, back to the head; the last lane to leave restores slot + 1
//
//   mask_end    the lanes leave all slots; nothing that follows counts on lanes being left
//
// A conditional break whose if has nothing else in it takes the lanes out directly.
#ifndef KILN_CORE_AMD_EMIT_JUMPS_H_
#define KILN_CORE_AMD_EMIT_JUMPS_H_

#include <vector>

#include "core/amd/emit/context.h"
#include "core/amd/emit/structure.h"

namespace kiln::amd {

class Jumps {
 public:
  Jumps(Context& c, const Structure& structure);

  // To be called before a block's instructions: binds its label, restores lanes that continued.
  void BeginBlock(size_t block);

  // Emits the terminator of a block. Returns the number of blocks behind it that it has emitted as
  // well, and whose labels it has bound.
  size_t EmitTerminator(size_t block, lir::InstId i);

  // Emits an instruction that makes helpers of lanes or ends them. Returns false for others.
  bool EmitKill(lir::InstId i);

  // To be called before the end: fails if a construct is open, or if a uniform jump goes into or
  // out of one.
  void Finish();

 private:
  struct Construct {
    enum class Kind : uint8_t { kIf, kLoop } kind = Kind::kIf;
    uint32_t slot = 0;
    int restore = 0;       // label of the next restoring place
    bool removed = false;  // lanes may have left the slot since the construct began
    bool ended = false;    // and the program: of all lanes there may be none left
    // For loops:
    size_t head = 0;  // block
    lir::BlockId continue_block;
    int exit = 0;            // label
    bool continues = false;  // lanes may wait for the restoring place, while others are on
    int entry_id = 0;        // of any construct: a number of its own
  };
  struct UniformJump {
    lir::InstId inst;
    size_t from, to;
  };

  // Return the register of a slot, or the one for work on slots in lanes; Read after it holds what
  // is in the slot. Write puts it back.
  isa::Operand Register(uint32_t slot) const;
  isa::Operand Read(uint32_t slot);
  void Write(uint32_t slot);
  void RemoveLanes(uint32_t slot, isa::Operand lanes);
  int Label(size_t block) const { return block_labels_[block]; }
  Construct* Top(Construct::Kind kind, lir::InstId i);
  bool MayExitWithLanes() const;
  size_t InnermostLoop() const;

  void If(lir::InstId i);
  void Else(size_t block, lir::InstId i);
  void Endif(lir::InstId i);
  void Loop(size_t block, lir::InstId i);
  void While(size_t block, lir::InstId i);
  void RestoreContinued(Construct& loop);
  // Takes lanes out of the loop or out of this iteration: all that are on, or those in `condition`.
  void Leave(lir::InstId i, bool breaks);
  void LeaveIf(lir::InstId i, bool breaks, isa::Operand condition, bool inverse);
  void EndAll(lir::InstId i);
  int ExitLabel() const { return Label(f_.exit_block.index); }
  void LeaveOpenIfs(size_t loop, isa::Operand lanes);
  void GoToRestoringPlace(isa::Opcode branch);
  void SccIf(size_t block, lir::InstId i);
  void Jump(size_t block, lir::InstId i);
  void NoteUniform(size_t from, size_t to, lir::InstId i) { uniform_.push_back({i, from, to}); }
  int InnermostId() const { return open_.empty() ? 0 : open_.back().entry_id; }

  Context& c_;
  const lir::Function& f_;
  const Structure& structure_;
  const SlotPlaces places_;
  std::vector<int> block_labels_;
  std::vector<Construct> open_;
  int next_id_ = 0;
  std::vector<int> at_start_, at_end_;  // by block: the innermost construct
  std::vector<UniformJump> uniform_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_JUMPS_H_
