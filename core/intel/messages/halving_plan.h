// Decides which instructions of a function with 32 lanes are computed by halves of 16.
//
// Two rules, block by block. First, an instruction becomes two if only halves of its results are
// read (from the last instruction up, since an instruction that becomes two reads halves itself).
// Second, instructions that read joined halves, directly or through others, are computed by halves
// if fewer values have to be joined after them than before: one sum of a texel's four components,
// say, instead of the four components. For the second rule, instructions that share such values
// form a group, which is halved as a whole or not at all. Halves of responses then occupy registers
// for longer than joined values would, so the rule applies only to blocks whose values fit the
// registers in the present order.
//
// Conditions are halved with the instructions whose predicates they are. Flags cannot be joined;
// two take twice the room of one, which must be free (flag_room.h).
//
// Only reads the function. Cost: linear.
#ifndef KILN_CORE_INTEL_MESSAGES_HALVING_PLAN_H_
#define KILN_CORE_INTEL_MESSAGES_HALVING_PLAN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/base/pass.h"
#include "core/intel/device/device.h"
#include "core/intel/messages/flag_room.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::intel {

inline constexpr uint8_t kHalfLanes = 16;

// Returns true if the instruction makes a whole value of 32 lanes from two halves.
bool JoinsHalves(const lir::Function& f, lir::InstId id);

// Returns true if the instruction, which is for 16 lanes, can take this operand from a half instead
// of from a value of 32 lanes.
bool TakesHalf(const lir::Function& f, lir::InstId id, const lir::Operand& o);

class HalvingPlan {
 public:
  struct Reads {
    uint32_t whole = 0;  // operands that need all lanes, or are in other blocks
    uint32_t halves = 0;
    uint32_t elsewhere = 0;  // in other blocks, or on edges
  };

  HalvingPlan(const lir::Function& f, const Device& device, PassContext& context);

  bool IsHalved(lir::InstId id) const { return halved_[id.index] != 0; }
  bool IsEmpty() const { return empty_; }

  // Returns the readers of the value once the plan is carried out.
  const Reads& reads(const lir::Operand& o) const { return reads_[o.id]; }

 private:
  static constexpr uint32_t kNowhere = ~uint32_t{0}, kJoined = kNowhere - 1;

  // A component of a value whose halves may be read.
  struct Source {
    uint32_t inside = 0, outside = 0;  // reads by instructions that may be halved, and others
    uint32_t group = 0;                // of one of the readers inside
  };

  void CountReads();
  bool DefinedIn(lir::BlockId block, const lir::Operand& o) const {
    return defined_[o.id] == block;
  }
  bool ReadsHalf(lir::BlockId block, const lir::Operand& o) const;
  bool CanHalve(lir::InstId id) const;
  bool IsReadByHalvesAlone(lir::InstId id) const;
  bool HasFlagRoom(lir::InstId id);
  void Halve(lir::BlockId block, lir::InstId id);
  void HalveUpwards(lir::BlockId block);

  bool HalveDownwards(lir::BlockId block);
  bool FindBelow(lir::BlockId block);
  bool HasHalves(const lir::Operand& o) const;
  bool KeepWholeFlags(lir::BlockId block);
  void FindSources(lir::BlockId block);
  void CountJoins(lir::BlockId block);
  bool HalveGroups(lir::BlockId block);
  bool Fits(lir::BlockId block);
  uint32_t Group(uint32_t place);
  void Unite(uint32_t a, uint32_t b) { group_[Group(a)] = Group(b); }

  const lir::Function& f_;
  const lir::Machine& target_;
  PassContext& context_;
  FlagRoom flag_room_;
  std::vector<Reads> reads_;           // by value
  std::vector<lir::BlockId> defined_;  // by value: invalid for parameters, live-ins
  std::vector<char> halved_;           // by instruction
  bool empty_ = true;
  bool stopped_ = false;                           // no further rewrite is allowed
  std::optional<std::vector<uint32_t>> pressure_;  // by block, computed when first needed

  // For the current block. An index is the number of an instruction in it.
  std::vector<char> below_;              // by index: reads halves and may be halved
  std::vector<uint32_t> from_;           // by value: the maker of its halves: an index, kJoined (a
                                         // join of halves) or kNowhere (it has none)
  std::vector<uint32_t> halves_;         // values whose from_ is not kNowhere
  absl::flat_hash_set<uint32_t> whole_;  // flags that stay whole
  absl::flat_hash_map<uint64_t, Source> sources_;  // by value and component
  std::vector<uint32_t> group_;                    // by index: another of its group, or itself
  std::vector<int> joins_;                         // by group: additional joins if it is halved
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_HALVING_PLAN_H_
