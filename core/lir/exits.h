// What exits (OpFlags kOpExit) ask of the code before them.
//
// From any exit the thread may go to Function::exit_block, with no lane that has a right to
// anything. What that block reads under the mask matters to no lane then; what it reads for all
// lanes (a value of a file without masked writes, or anything by a NoMask instruction: the header
// of a last message) must be as the program says. So it is defined before the first exit (verify.h,
// L18), and needed at each.
//
// A limit: where a machine turns lanes that left on again for the exit block (Intel's halt does),
// what that block does under the mask happens for them as well, and the mask of those that stayed
// changes at every exit. No value in SSA form says it: such a machine keeps it in units that are no
// value's (Function::reserved) or in a fixed register, and predicates with that.
#ifndef KILN_CORE_LIR_EXITS_H_
#define KILN_CORE_LIR_EXITS_H_

#include <vector>

#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::lir {

inline bool IsExit(const Target& target, const Function& f, InstId i) {
  return (target.ops[f.inst(i).op].flags & kOpExit) != 0;
}

// Does the instruction read the operand for all lanes?
bool ReadsForAllLanes(const Target& target, const Function& f, InstId i, const Operand& use);

// Operands by which the exit block reads for all lanes what it does not define itself, in order; a
// component may be named more than once. Empty where there is no exit block. SSA form.
std::vector<Operand> NeededAtExits(const Target& target, const Function& f);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_EXITS_H_
