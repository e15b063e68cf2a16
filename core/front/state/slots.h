// The values of slots (plan.h) at the current point of the walk: SSA under construction.
//
// A slot is a scalar of a variable, a phi, or a value that is carried to another block. A slot
// without a value is undefined here. A log holds the writes since a region began, so that the
// region's end can undo them and hand the changes to the join. A callee's slots have no values
// except while it is being walked. Lifetime: the walk.
#ifndef KILN_CORE_FRONT_STATE_SLOTS_H_
#define KILN_CORE_FRONT_STATE_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::front {

class Slots {
 public:
  using Writes = std::vector<std::pair<uint32_t, mir::ValueId>>;  // slot, its value

  // `types`, by slot, must outlive this.
  explicit Slots(const std::vector<mir::Type>& types)
      : types_(types), current_(types.size()), stamp_(types.size(), 0) {}

  mir::Type type(uint32_t slot) const { return types_[slot]; }
  // Invalid: undefined here.
  mir::ValueId Get(uint32_t slot) const { return current_[slot]; }
  void Set(uint32_t slot, mir::ValueId value) {
    log_.push_back({slot, current_[slot]});
    current_[slot] = value;
  }

  // Returns a position to undo to. Marks are undone in the reverse order of their creation.
  size_t Mark() const { return log_.size(); }
  // Restores every slot to its value at the mark. Returns the undone values of the slots written
  // since, ascending, each once.
  Writes UndoTo(size_t mark);

  // Build lists without duplicates: after BeginList, IsNew returns true the first time it is called
  // for a slot. One list at a time; UndoTo ends it.
  void BeginList() { ++list_; }
  bool IsNew(uint32_t slot) {
    const bool is_new = stamp_[slot] != list_;
    stamp_[slot] = list_;
    return is_new;
  }

 private:
  const std::vector<mir::Type>& types_;
  std::vector<mir::ValueId> current_;
  Writes log_;                   // slot, its previous value
  std::vector<uint32_t> stamp_;  // by slot: the last list that it was in
  uint32_t list_ = 0;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_SLOTS_H_
