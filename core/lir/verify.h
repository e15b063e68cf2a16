// Checks that a function is well formed.
//
// Numbered invariants (messages name the number):
//   L1  Ids are in range: operations, files, values, instructions, blocks, operand ranges.
//   L2  A value has at least one component, of at least one unit. elem_bytes is 0 for flags and
//       masks: always in a file that has a save_file, which is not always masked.
//   L3  An instruction is in at most one block, and there once.
//   L4  A value has at most one definition (instruction, parameter or live-in), and one if used.
//   L5  A definition names the whole value: component 0, all components, no modifiers. It is never
//       an immediate.
//   L6  A use names components that exist.
//   L7  A terminator is the last instruction of its block.
//   L8  An edge carries exactly one argument per parameter of its destination; it carries arguments
//       only as the single logical successor of its block, and then the terminator uses no value.
//   L9  An argument is kNone or has the file, element size and number of components of its
//       parameter. Parameters are in no file with a save_file (they could not be copied under a
//       mask); in files of masks they can be (FileInfo::merge_clobbers).
//   L10 predicate_mode != 0: the last use is a flag value or a fixed register.
//   L11 Every use is dominated by its definition over logical edges (except in blocks that no lane
//       reaches), and the layout has every definition before its uses.
//   L12 Block 0 has no parameters and no predecessors; the last block has a terminator or no
//       successors. A block without terminator has the next block as its single successor.
//   L13 A physical successor is not a logical one too, and is named once.
//   L14 A block that sends lanes forward past the next block without kOpUniformJump has the next
//       block as a successor of either kind, unless nothing follows it in the layout.
//   L15 kOpCopy: one definition, one use without modifiers. kOpCollect: one definition, uses are
//       values or kNone, and their units add up to those of the definition.
//   L16 Live-ins are aligned and inside their pool, outside the reserved units. The header of
//       scratch messages, if there is one, is among them.
//   L17 The side row of an operation with kOpSide exists.
//   L18 A function with exits has an exit block: the last one, without successors and without
//       exits. Every value that it reads for all lanes is defined by its own instructions or above
//       every exit.
//   L19 Sizes of pools are at most the machine's; reserved units lie inside and do not overlap.
//       At most one range is for the spilled values of a pool.
//   L20 The definition of an operation with a tied use has the file, element size and number of
//       components of that use, which is a value without modifiers.
//   L21 No NoMask instruction names a value of a file that is always masked.
//   L22 Only exits have kPreferredExit.
//   P1  (allocated only) Every value operand has a unit, inside its pool and aligned. There are
//       no collects.
//   P2  (allocated only) A tied use has the register of the definition.
//
// Linear except for dominance. Returns the first violation as an internal error.
#ifndef KILN_CORE_LIR_VERIFY_H_
#define KILN_CORE_LIR_VERIFY_H_

#include "absl/status/status.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

// Checks a function in SSA form, before allocation.
absl::Status Verify(const Machine& machine, const Function& f);

// Checks an allocated function: L1, L3, L7, L12-L14, L17, the shape of L18, L19, L21, L22, P1 and
// P2. Values have several definitions then.
absl::Status VerifyAllocated(const Machine& machine, const Function& f);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_VERIFY_H_
