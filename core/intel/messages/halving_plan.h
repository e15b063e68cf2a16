// Which instructions of a function with 32 lanes are computed by halves of 16.
//
// Two rules, block by block. An instruction that only halves are taken of becomes two (from the
// last one up: what it reads, halves read then). And what stands below joined halves is computed by
// halves where fewer values are joined behind it than were before it: a texel's four components for
// one sum of them, say. For the second rule instructions that share such values are a group, all of
// which is halved or nothing; it keeps responses where joins would have taken their place, so that
// it is for blocks whose values fit the registers in the order at hand.
//
// Conditions are halved with the instructions whose predicates they are. Flags are not joined; two
// take twice the room of one, which must be free (flag_room.h).
//
// Only reads the function. Linear.
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
#include "core/lir/target.h"

namespace kiln::intel {

inline constexpr uint8_t kHalfLanes = 16;

// Does a value of 32 lanes become whole here, of two halves?
bool JoinsHalves(const lir::Function& f, lir::InstId id);

// Can the instruction, for 16 lanes, take this operand from a half instead of from a value of 32
// lanes?
bool TakesHalf(const lir::Function& f, lir::InstId id, const lir::Operand& o);

class HalvingPlan {
 public:
  struct Reads {
    uint32_t whole = 0;  // operands that want all lanes, or stand in other blocks
    uint32_t halves = 0;
    uint32_t elsewhere = 0;  // in other blocks, or on edges
  };

  HalvingPlan(const lir::Function& f, const Device& device, PassContext& context);

  bool IsHalved(lir::InstId id) const { return halved_[id.index] != 0; }
  bool IsEmpty() const { return empty_; }

  // What reads the value once the plan is carried out.
  const Reads& reads(const lir::Operand& o) const { return reads_[o.id]; }

 private:
  static constexpr uint32_t kNowhere = ~uint32_t{0}, kJoined = kNowhere - 1;

  // A component of a value that halves may be read of.
  struct Source {
    uint32_t inside = 0, outside = 0;  // reads by what may be halved, and others
    uint32_t group = 0;                // of one of those inside
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
  const lir::Target& target_;
  PassContext& context_;
  FlagRoom flag_room_;
  std::vector<Reads> reads_;           // by value
  std::vector<lir::BlockId> defined_;  // by value: invalid for parameters, live-ins
  std::vector<char> halved_;           // by instruction
  bool empty_ = true;
  bool stopped_ = false;                           // no more may be rewritten
  std::optional<std::vector<uint32_t>> pressure_;  // by block, once somebody asks

  // Of the block at hand; a place is a number of an instruction in it.
  std::vector<char> below_;              // by place: may be halved below halves
  std::vector<uint32_t> from_;           // by value: what would have halves of it: a place,
                                         // kJoined or kNowhere
  std::vector<uint32_t> halves_;         // those that are not from nowhere
  absl::flat_hash_set<uint32_t> whole_;  // flags that stay as they are
  absl::flat_hash_map<uint64_t, Source> sources_;  // by value and component
  std::vector<uint32_t> group_;                    // by place: another of its group, or itself
  std::vector<int> joins_;  // by group: how many more there are if it is halved
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_HALVING_PLAN_H_
