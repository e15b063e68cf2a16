// Finds in the layout of a function what emission of jumps must know beforehand: where lanes that
// continue meet again, and short forms of breaks.
#ifndef KILN_CORE_AMD_EMIT_STRUCTURE_H_
#define KILN_CORE_AMD_EMIT_STRUCTURE_H_

#include <vector>

#include "core/lir/lir.h"

namespace kiln::amd {

struct Structure {
  // By the block of a mask_loop: the block where lanes that continue meet those that reach the end
  // of the body. Invalid if no lane continues, or if they meet at the mask_while itself.
  std::vector<lir::BlockId> continue_block;
  // By block: `if (c) break`, with nothing between the mask_if at its end, the mask_break or
  // mask_continue that is the next block, and the mask_endif that is the block after that.
  std::vector<bool> leaves_at_once;
  // By block: the only instruction is a mask_endif.
  std::vector<bool> only_endif;
};

Structure StructureOf(const lir::Function& f);

// Returns the last instruction of a block if it is a terminator, else an invalid id.
lir::InstId TerminatorOf(const lir::Function& f, size_t block);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_STRUCTURE_H_
