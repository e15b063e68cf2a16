// The pieces that are in registers, and their current names. Lifetime: a block; Clear ends it.
//
// A piece keeps the name of its value until it is filled or repeated; then it has the name of the
// value that the new instruction defines.
#ifndef KILN_CORE_LIR_RA_SPILL_REGISTERS_H_
#define KILN_CORE_LIR_RA_SPILL_REGISTERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// The name of a piece while it is in a register.
struct Name {
  uint32_t value = kNothing;
  uint32_t comp = 0;
  uint32_t block = kNothing;  // where a NoMask instruction made it; kNothing: valid everywhere
  friend bool operator==(const Name&, const Name&) = default;
};

struct Resident {
  uint32_t piece = 0;
  Name name;
};

// Returns true if the name may enter block b. A fill's name is not carried out of its loop: lanes
// that left would hold it while the loop fills it again for all lanes.
inline bool GoesTo(const SpillInput& in, const Resident& r, uint32_t b) {
  return r.name.block == kNothing || in.loops.contains(in.loops.innermost(r.name.block), b);
}

// A cursor over a list of residents, for look-ups in ascending order of pieces.
class Residents {
 public:
  explicit Residents(const std::vector<Resident>* list) : list_(list) {}
  const Resident* Find(uint32_t piece) {
    while (at_ < list_->size() && (*list_)[at_].piece < piece) ++at_;
    return at_ < list_->size() && (*list_)[at_].piece == piece ? &(*list_)[at_] : nullptr;
  }

 private:
  const std::vector<Resident>* list_;
  size_t at_ = 0;
};

// State of each block's ends in the last walk: the pieces that entered it in registers (heads of
// loops only), and those it ended with. Ascending by piece.
struct BlockEnds {
  explicit BlockEnds(size_t blocks) : entry(blocks), exit(blocks) {}
  std::vector<std::vector<Resident>> entry, exit;
};

class PiecesInRegisters {
 public:
  explicit PiecesInRegisters(const SpillInput& in)
      : in_(in),
        present_(in.pieces.count(), 0),
        index_(in.pieces.count(), 0),
        name_(in.pieces.count()) {}

  bool Has(uint32_t p) const { return present_[p]; }
  const Name& name(uint32_t p) const { return name_[p]; }      // its last name, if it has none now
  const std::vector<uint32_t>& list() const { return list_; }  // in no order

  // Returns false if it was in a register before.
  bool Add(uint32_t p, const Name& name) {
    name_[p] = name;
    if (present_[p]) return false;
    present_[p] = 1;
    index_[p] = static_cast<uint32_t>(list_.size());
    list_.push_back(p);
    return true;
  }
  // Returns false if it was in none.
  bool Remove(uint32_t p) {
    if (!present_[p]) return false;
    present_[p] = 0;
    list_[index_[p]] = list_.back();
    index_[list_.back()] = index_[p];
    list_.pop_back();
    return true;
  }
  void Clear() {
    for (uint32_t p : list_) present_[p] = 0;
    list_.clear();
  }

  // Returns true if all of these are in registers as consecutive components of one value.
  bool Together(uint32_t first, uint32_t last) const {
    for (uint32_t p = first; p <= last; ++p) {
      if (!present_[p] || name_[p].value != name_[first].value ||
          name_[p].comp - name_[first].comp !=
              uint32_t{in_.pieces.comp(p)} - in_.pieces.comp(first)) {
        return false;
      }
    }
    return true;
  }
  bool Together(const Operand& o) const {
    return Together(in_.pieces.of(o.value(), o.comp),
                    in_.pieces.of(o.value(), o.comp + o.comps - 1u));
  }

 private:
  const SpillInput& in_;
  std::vector<char> present_;           // per piece
  std::vector<uint32_t> list_, index_;  // those present, and the index of each in the list
  std::vector<Name> name_;              // per piece
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_REGISTERS_H_
