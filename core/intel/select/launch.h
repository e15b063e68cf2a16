// Selection of the data that a thread starts with: its header r0, push registers, the numbers of
// its lanes; and of its end. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_LAUNCH_H_
#define KILN_CORE_INTEL_SELECT_LAUNCH_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Launch : public Room {
 public:
  explicit Launch(Emission& e) : Room(e) {}

  void DeclareLiveIns();
  void EndThread();
  Operand PushDword(uint32_t byte) const;
  lir::ValueId PushRegister(uint32_t index) const { return push_[index]; }
  Operand LaneIds();
  absl::Status VisitLaunch(mir::InstId id);
  // The thread's header.
  lir::ValueId r0() const { return r0_; }

 private:
  Operand LocalIndex();

  lir::ValueId r0_;
  std::vector<lir::ValueId> push_;  // by push register
  std::optional<Operand> lane_ids_, local_index_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_LAUNCH_H_
