// Selection of control flow: MIR regions become blocks. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_CONTROL_H_
#define KILN_CORE_INTEL_SELECT_CONTROL_H_

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/room.h"
#include "core/mir/construct.h"

namespace kiln::intel {

class Control : public Room {
 public:
  Control(Emission& e, Conversions& conversions, Bools& bools,
          std::function<absl::Status(mir::RegionId)> visit_region)
      : Room(e), conversions_(conversions), bools_(bools), visit_region_(std::move(visit_region)) {}

  absl::Status VisitIf(mir::InstId id);
  absl::Status VisitLoop(mir::InstId id);
  void Enter(lir::BlockId block);

 private:
  struct LoopTargets {
    lir::BlockId header;
    lir::BlockId exit;
  };
  void Terminate(Opcode op, const std::optional<Flag>& predicate = std::nullopt);
  std::vector<Operand> EdgeArguments(lir::BlockId to, absl::Span<const mir::ValueId> values);
  void AddEdgeTo(lir::BlockId to, absl::Span<const mir::ValueId> values);
  void JumpOut(mir::InstId jump);
  absl::StatusOr<mir::RegionEnd> VisitSide(mir::RegionId region);
  void EnterTail();
  absl::Status VisitIfSide(mir::RegionId region, Opcode op, lir::BlockId join, lir::BlockId next);
  void AddParam(lir::BlockId block, mir::ValueId v);
  void AddResults(lir::BlockId block, mir::InstId id);

  Conversions& conversions_;
  Bools& bools_;
  const std::function<absl::Status(mir::RegionId)> visit_region_;
  std::vector<LoopTargets> loops_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_CONTROL_H_
