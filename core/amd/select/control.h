// Selection of control flow: MIR regions become blocks. Internal to this folder.
//
// Jumps that all lanes take alike are branches on SCC. Others change exec; the masks of lanes that
// wait are in slots, reserved registers numbered by nesting depth (lir/ops.def). core/amd/emit
// writes them out: where a side has no lane left it branches to the next restoring point, the
// else, endif or while of the innermost construct of masks, and that is where the physical edges
// made here lead: to the block after the restoring point.
#ifndef KILN_CORE_AMD_SELECT_CONTROL_H_
#define KILN_CORE_AMD_SELECT_CONTROL_H_

#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/amd/select/bools.h"
#include "core/mir/construct.h"

namespace kiln::amd {

class Control : public Room {
 public:
  Control(Emission& e, Bools& bools, std::function<absl::Status(mir::RegionId)> visit_region)
      : Room(e), bools_(bools), visit_region_(std::move(visit_region)) {}

  absl::Status VisitIf(mir::InstId id);
  absl::Status VisitLoop(mir::InstId id);
  void VisitKill(mir::InstId id);
  // Ends the lanes that help, if there are any. Not inside of constructs.
  void EndHelpers();
  // Enters the block in which waves end of which all lanes were killed. Returns false if there is
  // none.
  bool EnterExitBlock();
  // Slots that the masks of waiting lanes take.
  uint32_t slots() const { return max_slots_; }

 private:
  struct LoopState {
    lir::BlockId header;
    lir::BlockId exit;
    bool masked = false;
    uint32_t slot = 0;
    size_t masks = 0;  // constructs of masks around it
  };
  // A construct of masks around the present position: the blocks after its restoring point.
  struct Mask {
    lir::BlockId next;
    lir::BlockId other;  // of loops: the exit; else invalid
    bool left = false;   // lanes may have left it by a break or continue
  };

  std::vector<Operand> EdgeArguments(lir::BlockId to, absl::Span<const mir::ValueId> values);
  void AddEdgeTo(lir::BlockId to, absl::Span<const mir::ValueId> values);
  void AddParam(lir::BlockId block, mir::ValueId v, bool masked);
  void AddResults(lir::BlockId block, mir::InstId id, bool masked);
  void Terminate(LirOp op, std::initializer_list<Operand> uses = {}, uint32_t aux = 0,
                 uint8_t flags = 0);
  void JumpOut(mir::InstId jump);
  void EndLanes();
  lir::BlockId ExitBlock();
  void AddRestoringEdges(size_t masks);
  absl::StatusOr<mir::RegionEnd> VisitSide(mir::RegionId region);
  absl::Status VisitMaskedSide(mir::RegionId region, LirOp op, lir::BlockId join, lir::BlockId next,
                               uint32_t slot);
  absl::Status VisitUniformSide(mir::RegionId region, lir::BlockId join);
  absl::Status VisitMaskedIf(mir::InstId id);
  absl::Status VisitUniformIf(mir::InstId id);
  bool IsMasked(mir::InstId loop) const;
  bool HasDivergentContinue(mir::RegionId region) const;
  uint32_t TakeSlots(uint32_t count);

  Bools& bools_;
  const std::function<absl::Status(mir::RegionId)> visit_region_;
  std::vector<LoopState> loops_;
  std::vector<Mask> masks_;
  lir::BlockId exit_;   // where waves end of which all lanes were killed; invalid: none do
  lir::BlockId ended_;  // the block in which the thread continues after lanes ended
  uint32_t used_slots_ = 0;
  uint32_t max_slots_ = 0;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_CONTROL_H_
