// Says which values exits (OpFlags kOpExit) need to be defined before them.
//
// From any exit the thread may go to Function::exit_block while no lane is entitled to execute it.
// Values that the block reads under the mask then matter to no lane. Values that it reads for all
// lanes (a value of a file without masked writes, or any operand of a NoMask instruction, such as
// the header of a last message) must be as the program defines them. So these are defined before
// the first exit (verify.h, L18), and are live at each exit.
//
// A limit: some machines turn lanes that have left on again for the exit block.
// There, code of the exit block that executes under the mask executes for those lanes as well, and
// the mask of the lanes that stayed changes at every exit. No value in SSA form expresses that:
// such a machine keeps the mask in reserved units (Function::reserved) or in a fixed register, and
// predicates with it.
#ifndef KILN_CORE_LIR_EXITS_H_
#define KILN_CORE_LIR_EXITS_H_

#include <vector>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

inline bool IsExit(const Machine& machine, const Function& f, InstId i) {
  return (machine.ops[f.inst(i).op].flags & kOpExit) != 0;
}

// Returns true if the instruction reads the operand for all lanes.
bool ReadsForAllLanes(const Machine& machine, const Function& f, InstId i, const Operand& use);

// Returns, in order, the operands that the exit block reads for all lanes and does not define
// itself; a component may be named more than once. Empty without an exit block. SSA form only.
std::vector<Operand> NeededAtExits(const Machine& machine, const Function& f);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_EXITS_H_
