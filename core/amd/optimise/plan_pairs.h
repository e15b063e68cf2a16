// Chooses which instructions of 16 bits are computed in pairs. Internal to this folder.
#ifndef KILN_CORE_AMD_OPTIMISE_PLAN_PAIRS_H_
#define KILN_CORE_AMD_OPTIMISE_PLAN_PAIRS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/amd/optimise/word.h"
#include "core/lir/machine.h"

namespace kiln::amd {

// Two words that share a dword: the results of two instructions, or two parameters of a block.
struct WordPair {
  lir::BlockId block;
  std::array<lir::ValueId, 2> values;  // low, high
  std::array<lir::InstId, 2> insts;    // invalid: parameters
  bool exchanged = false;              // source 0 of the high one goes with source 1 of the low one

  bool is_parameter() const { return !insts[0].valid(); }
};

struct PairPlan {
  std::vector<WordPair> pairs;
  std::vector<int32_t> place;  // by value: 2 * pair, + 1 for the high word; -1: in none

  const WordPair* PairOf(uint32_t value) const {
    return place[value] < 0 ? nullptr : &pairs[static_cast<size_t>(place[value]) / 2];
  }
  // Returns the word's position: the same number for words of one dword, and whether it is the high
  // one. (A constant has none.)
  struct Position {
    bool in_pair = false;
    uint32_t id = 0;  // of the pair or of the value
    uint16_t comp = 0;
    bool high = false;
    bool SameDword(const Position& o) const {
      return in_pair == o.in_pair && id == o.id && comp == o.comp;
    }
  };
  Position PositionOf(const Word& word) const;
};

// Returns the pairs, and reorders blocks so that the instructions of each pair are neighbours. A
// group of pairs that feed each other is made if it saves more instructions, at their frequency,
// than it costs: words that must be put together, or taken apart for their readers.
// `may_rewrite` is asked before each group.
PairPlan PlanPairs(const lir::Machine& machine, lir::Function& f, const lir::DefUse& info,
                   const Readers& readers, const std::function<bool()>& may_rewrite);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_OPTIMISE_PLAN_PAIRS_H_
