// Register dwords that a block read filled from beyond the end of a buffer, and the instructions
// that use them.
//
// Compilers read uniform data in blocks that are larger than what the program asks for; the rest of
// a block may lie outside. Such a read counts as out of bounds only when an instruction reads the
// register's dword.
#ifndef KILN_CORE_SIM_EU_OUTSIDE_READS_H_
#define KILN_CORE_SIM_EU_OUTSIDE_READS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Forgets dwords [first, first + count) of the registers, counted from r0.0: they are overwritten.
void ForgetOutside(uint32_t first, uint32_t count, Thread& thread);

// Returns the dwords that an instruction reads and forgets them, and those that it overwrites.
// `message`: of a send, else null. `enabled`: the channels that execute.
std::vector<OutsideDword> TakeOutsideReads(const Op& op, const Message* message, uint32_t enabled,
                                           Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_OUTSIDE_READS_H_
