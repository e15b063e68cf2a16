// The values of slots (plan.h) at the place that the walk has reached: SSA under construction.
//
// A slot is a scalar of a variable, a phi, or a value that is carried to another block. A slot
// without a value is undefined here. What was written since a region began is in a log, so that the
// region's end can undo it and hand the changes to the join. A callee's slots are without values
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

  // A place to undo to. Marks are undone in the order opposite to that in which they were taken.
  size_t Mark() const { return log_.size(); }
  // Gives every slot the value it had at the mark. Returns what they had until now of those that
  // were written since, ascending, each once.
  Writes UndoTo(size_t mark);

  // For lists without duplicates: BeginList, then IsNew is true the first time a slot is asked
  // about. One list at a time; UndoTo ends it.
  void BeginList() { ++list_; }
  bool IsNew(uint32_t slot) {
    const bool is_new = stamp_[slot] != list_;
    stamp_[slot] = list_;
    return is_new;
  }

 private:
  const std::vector<mir::Type>& types_;
  std::vector<mir::ValueId> current_;
  Writes log_;                   // slot, what it had before
  std::vector<uint32_t> stamp_;  // the last list that a slot was in
  uint32_t list_ = 0;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_STATE_SLOTS_H_
