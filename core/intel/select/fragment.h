// Selection of the data that a fragment thread starts with (interpolated and flat inputs, the
// pixel's position, facing, masks of lanes), of derivatives, and of kills. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_FRAGMENT_H_
#define KILN_CORE_INTEL_SELECT_FRAGMENT_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/intel/abi/fragment.h"
#include "core/intel/isa/messages.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Fragment : public Room {
 public:
  Fragment(Emission& e, Bools& bools, Launch& launch)
      : Room(e), bools_(bools), launch_(launch), live_(e.scopes()) {}

  void DeclareLiveIns();
  absl::Status VisitInput(mir::InstId id);  // load_input, interpolate
  absl::Status VisitDerivative(mir::InstId id);
  absl::Status VisitKill(mir::InstId id);
  void VisitHelperInvocation(mir::InstId id);
  // Returns the lanes whose effects count, as a flag: made once in a block, and again after a kill.
  // In compute all lanes count, and there is no flag.
  std::optional<Operand> LiveLanes();
  // Returns true if any lane may leave before the end.
  bool Exits() const { return exits_; }

 private:
  using Part = out::PayloadPart;
  // The barycentric coordinates of the lanes.
  struct Barycentrics {
    Operand i, j;
  };

  const FragmentAbi& fragment() const { return *abi_.fragment; }
  Operand LanesOf(Part part);
  Barycentrics BarycentricsOf(Part part);
  Barycentrics BarycentricsAtOffset(mir::InstId id);
  Barycentrics BarycentricsAtSample(mir::InstId id);
  // Sends a message to the pixel interpolator. `sample` is a uniform number that is added to the
  // message's.
  Barycentrics Interpolator(const isa::MessageFields& message, const Operand& payload,
                            std::optional<Operand> sample = std::nullopt);
  Operand SetupDword(uint32_t slot, uint32_t component, int dword);
  Operand Interpolated(uint32_t slot, uint32_t component, const Barycentrics& at);
  absl::Status ReadAttribute(mir::InstId id, const Barycentrics& at);
  Operand ElementOf(mir::InstId id, uint32_t component, const Barycentrics& at);
  absl::Status ReadBuiltIn(mir::InstId id);
  Operand FragCoord(uint32_t component);
  Operand PixelPlace(bool y);
  Operand SampleOffset(bool y);
  Operand SampleId();
  Operand SampleMask();
  // Returns a 16-bit value that one operation makes from registers of the payload.
  Operand WordsOf(uint16_t op, uint32_t aux, const std::vector<lir::ValueId>& registers);
  Operand Facing();
  Operand TargetIndexBits(int shift, uint32_t mask);
  Operand Positions(int half, Type t, int dword) const;
  Operand Dispatched();

  Bools& bools_;
  Launch& launch_;
  std::vector<lir::ValueId> positions_;            // a register for each 16 lanes
  absl::btree_map<uint32_t, lir::ValueId> setup_;  // by register
  absl::btree_map<Part, Barycentrics> barycentrics_;
  absl::btree_map<Part, Operand> lanes_of_;
  std::vector<lir::ValueId> offsets_;  // of samples, likewise
  std::array<std::optional<Operand>, 2> pixel_place_, sample_offset_;
  std::optional<Operand> sample_id_;
  BlockCache<std::optional<Operand>> live_;
  bool exits_ = false;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_FRAGMENT_H_
