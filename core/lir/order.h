// The order of a function's instructions as a value: passes that schedule keep the order from
// before, and return to it where the new one does not fit the registers.
#ifndef KILN_CORE_LIR_ORDER_H_
#define KILN_CORE_LIR_ORDER_H_

#include <cstddef>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::lir {

// Returns the number of instructions that are in blocks.
size_t CountInstructions(const Function& f);

// Returns the instructions block by block, in layout order.
std::vector<InstId> OrderOf(const Function& f);

// Gives the function the order, and `order` the one that the function had. The function's blocks
// have as many instructions each as when the order was taken.
void SwapOrder(Function& f, std::vector<InstId>& order);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_ORDER_H_
