#include "core/lir/order.h"

#include <algorithm>
#include <cassert>

namespace kiln::lir {

size_t CountInstructions(const Function& f) {
  size_t n = 0;
  for (const Block& b : f.blocks) n += b.insts.size();
  return n;
}

std::vector<InstId> OrderOf(const Function& f) {
  std::vector<InstId> order;
  order.reserve(CountInstructions(f));
  for (const Block& b : f.blocks) order.insert(order.end(), b.insts.begin(), b.insts.end());
  return order;
}

void SwapOrder(Function& f, std::vector<InstId>& order) {
  assert(order.size() == CountInstructions(f));
  auto at = order.begin();
  for (Block& b : f.blocks) at = std::swap_ranges(b.insts.begin(), b.insts.end(), at);
}

}  // namespace kiln::lir
