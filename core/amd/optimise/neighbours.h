// Brings two instructions of a block together, so that one may take their place. Internal to this
// folder.
#ifndef KILN_CORE_AMD_OPTIMISE_NEIGHBOURS_H_
#define KILN_CORE_AMD_OPTIMISE_NEIGHBOURS_H_

#include <vector>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::amd {

class Neighbours {
 public:
  // Instructions farther apart than this stay apart, which bounds the work for each pair.
  static constexpr size_t kMaxBetween = 128;

  Neighbours(const lir::Machine& machine, lir::Function& f);

  // Moves what lies between the two behind them, if it depends on the first, else in front of them.
  // Both are of one block, pure, and in no pair; from then on they are one, in whatever order.
  // Returns false if one depends on the other, by way of others too, or they are too far apart.
  bool BringTogether(lir::BlockId block, lir::InstId a, lir::InstId b);

  // Takes back all pairs made since there were `pairs`, and the moves for them.
  size_t pairs() const { return done_.size(); }
  void Undo(size_t pairs);

 private:
  struct Done {
    lir::BlockId block;
    size_t first;
    std::vector<lir::InstId> before;  // the order from there on
    lir::InstId a, b;
  };
  // The instructions that move behind the pair.
  struct Moving {
    bool reads = false, writes = false, scc = false;
  };
  bool TouchesScc(lir::InstId id) const;
  bool Writes(lir::InstId id) const;  // memory, or anything that keeps its place
  bool Reads(lir::InstId id) const;
  bool DependsOnMoving(lir::InstId id, const Moving& moving) const;
  void Move(lir::InstId id, Moving* moving);
  void Place(lir::BlockId block, size_t first, absl::Span<const lir::InstId> order);

  const lir::Machine& machine_;
  lir::Function& f_;
  std::vector<uint32_t> position_;        // by instruction, in its block
  std::vector<lir::InstId> partner_;      // by instruction
  std::vector<uint32_t> made_by_moving_;  // by value: the number of the call
  uint32_t call_ = 0;
  std::vector<Done> done_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_NEIGHBOURS_H_
