#ifndef KILN_CORE_LIR_RA_LOOP_SPANS_H_
#define KILN_CORE_LIR_RA_LOOP_SPANS_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::lir::ra {

// Loops by their heads: a block is in the loop of h if it is between h and last(h) in the layout.
class LoopSpans {
 public:
  explicit LoopSpans(const Function& f);
  // The head of the innermost loop that the block is in; kNone if it is in none.
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t innermost(uint32_t b) const { return innermost_[b]; }
  uint32_t parent(uint32_t head) const { return parent_[head]; }
  uint32_t last(uint32_t head) const { return last_[head]; }
  bool contains(uint32_t head, uint32_t b) const {
    return head == kNone || (head <= b && b <= last_[head]);
  }

 private:
  std::vector<uint32_t> last_, innermost_, parent_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_LOOP_SPANS_H_
