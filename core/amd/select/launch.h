// Selection of what the launch gives: ids, counts, push constants in registers. Internal to this
// folder.
#ifndef KILN_CORE_AMD_SELECT_LAUNCH_H_
#define KILN_CORE_AMD_SELECT_LAUNCH_H_

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "core/amd/select/emission.h"

namespace kiln::amd {

class Launch : public Room {
 public:
  explicit Launch(Emission& e) : Room(e) {}

  // Declares the registers that the program starts with (abi.h).
  void DeclareLiveIns();
  absl::Status VisitLaunch(mir::InstId id);
  Operand LocalId(int axis) const { return local_id_[static_cast<size_t>(axis)]; }
  // Returns the 64-bit address, two dwords of S in a row, whose low half the SGPR has. Made once, at
  // the start of the program.
  Operand Address(uint32_t sgpr);
  // Returns the V# of that many bytes at an address: four dwords of S.
  Operand RawBuffer(const Operand& address, uint32_t bytes);
  Operand PushDword(uint32_t dword) const { return push_[dword]; }

 private:
  Operand Scalar(uint32_t sgpr) { return scalars_[sgpr]; }
  Operand LocalIndex();
  Operand SubgroupId();
  Operand WorkgroupId(uint32_t component);

  std::vector<Operand> scalars_;  // by SGPR; none where the program has no such value
  std::vector<Operand> addresses_;  // by SGPR of the low half; none before the first use
  std::vector<Operand> push_;
  std::array<Operand, 3> local_id_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_LAUNCH_H_
