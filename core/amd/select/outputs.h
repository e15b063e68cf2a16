// Selection of a fragment's outputs: the exports that end its wave. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_OUTPUTS_H_
#define KILN_CORE_AMD_SELECT_OUTPUTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/amd/abi/fragment.h"
#include "core/amd/select/bools.h"

namespace kiln::amd {

class Outputs : public Room {
 public:
  Outputs(Emission& e, Bools& bools) : Room(e), bools_(bools) {}

  absl::Status VisitStore(mir::InstId id);
  // Exports the stored outputs at the end of the program.
  void ExportAll();
  // Exports that no lane is left. For the block in which waves end of which all lanes were killed.
  void ExportNothing();

 private:
  using Colour = std::array<Operand, 4>;
  struct Export {
    uint8_t target = 0;
    uint8_t enable = 0;
    bool compressed = false;
    std::array<Operand, 4> values = {};
  };

  std::optional<Export> DepthExport();
  Export PackedExportOf(const ColourExport& colour, uint8_t target, const Colour& values);
  Export ColourExportOf(const ColourExport& colour, uint8_t target);
  void Emit(const Export& made, bool last);

  Bools& bools_;
  absl::btree_map<std::pair<uint32_t, uint8_t>, Colour> colours_;  // by location and index
  Operand depth_, stencil_, sample_mask_;
  Operand coverage_alpha_;  // of render target 0, where colours have 1 instead
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_OUTPUTS_H_
