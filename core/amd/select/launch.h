// Selection of what the launch gives: ids, counts, push constants in registers; and of clocks.
// Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_LAUNCH_H_
#define KILN_CORE_AMD_SELECT_LAUNCH_H_

#include <array>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "core/amd/select/emission.h"

namespace kiln::amd {

class Launch : public Room {
 public:
  explicit Launch(Emission& e) : Room(e) {}

  // Declares the registers that the program starts with (abi.h).
  void DeclareLiveIns();
  absl::Status VisitLaunch(mir::InstId id);
  void VisitClock(mir::InstId id);
  // Returns what an SGPR holds at the start.
  const Operand& Scalar(uint32_t sgpr) const { return scalars_[sgpr]; }
  Operand LocalId(int axis) const { return local_id_[static_cast<size_t>(axis)]; }
  // Returns the 64-bit address, two dwords of S in a row, whose low half the SGPR has. The high
  // half is in the next one in a kernel, else a constant. Made once, at the start of the program.
  Operand Address(uint32_t sgpr);
  // Returns the V# of that many bytes (S or an immediate) at an address, of which the first two
  // components are read: four dwords of S.
  Operand RawBuffer(const Operand& address, const Operand& bytes);
  Operand PushDword(uint32_t dword) const { return push_[dword]; }

 private:
  bool BecomesAddress(uint32_t sgpr) const;
  Operand LocalIndex();
  Operand SubgroupId();
  Operand WorkgroupId(uint32_t component);
  Operand NumWorkgroups(uint32_t dimension);
  Operand BaseWorkgroup(uint32_t dimension);
  // Returns a dword of a kernel's argument segment, loaded once.
  Operand Argument(uint32_t offset);

  // By SGPR; none where the program has no such value. Those that BecomesAddress have two
  // components.
  std::vector<Operand> scalars_;
  std::vector<Operand> addresses_;  // by SGPR of the low half; none before the first use
  std::vector<Operand> push_;
  std::array<Operand, 3> local_id_;
  absl::btree_map<uint32_t, Operand> arguments_;  // by offset
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_LAUNCH_H_
