// What a fragment leaves: the writes to render targets that end its thread.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_OUTPUTS_H_
#define KILN_CORE_INTEL_SELECT_OUTPUTS_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/intel/select/access.h"
#include "core/intel/select/control.h"
#include "core/intel/select/fragment.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Outputs : public Room {
 public:
  Outputs(Emission& e, Access& access, Fragment& fragment, Control& control)
      : Room(e), access_(access), fragment_(fragment), control_(control) {}

  absl::Status VisitStore(mir::InstId id);
  // Writes what was stored and ends the thread.
  absl::Status EndThread();

 private:
  using Colour = std::array<std::optional<Operand>, 4>;

  void EnterExitBlock();
  Operand PayloadOf(const Colour& colour, bool last);
  void WriteTarget(const Operand& payload, const isa::MessageFields& message);

  Access& access_;
  Fragment& fragment_;
  Control& control_;
  absl::btree_map<uint32_t, Colour> colours_;   // by location
  std::optional<Operand> depth_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_OUTPUTS_H_
