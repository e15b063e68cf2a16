// Selection of a fragment's outputs: the writes to render targets that end its thread. Internal to
// this folder.
#ifndef KILN_CORE_INTEL_SELECT_OUTPUTS_H_
#define KILN_CORE_INTEL_SELECT_OUTPUTS_H_

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/control.h"
#include "core/intel/select/fragment.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Outputs : public Room {
 public:
  Outputs(Emission& e, Bools& bools, Fragment& fragment, Control& control)
      : Room(e), bools_(bools), fragment_(fragment), control_(control) {}

  absl::Status VisitStore(mir::InstId id);
  // Writes the stored outputs and ends the thread.
  absl::Status EndThread();

 private:
  using Colour = std::array<std::optional<Operand>, 4>;
  // The operands of a message, one or two.
  using Payloads = std::vector<Operand>;

  void MaskByAlpha();
  void FillUndefined();
  void EnterExitBlock();
  Payloads PayloadsOf(uint32_t location, bool last);
  Operand Collected(const std::vector<Operand>& parts, bool last);
  Operand Packed(const Operand& lanes, int bytes, bool last);
  void WriteTarget(const Payloads& payloads, const isa::MessageFields& message);

  Bools& bools_;
  Fragment& fragment_;
  Control& control_;
  absl::btree_map<std::pair<uint32_t, int>, Colour> colours_;  // by location and index
  std::optional<Operand> depth_, stencil_, sample_mask_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_OUTPUTS_H_
