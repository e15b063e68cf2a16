// Text of a LIR function; parse.h reads it back.
//
//   function test width 16
//   value %0 G 4x1
//   value %1 G 4x4 whole id 12
//   value %2 F 0x1
//   pool grf units 512
//   reserved grf at 24 units 2
//   livein %0 at 8 held
//   spilled 24
//   block b0 depth 0
//     %1x4:f = load %0:ud {w16 aux 3}
//     msg.write %0:ud %2:ud {w16 [untyped_write bti 3 lanes 16 channels 1]}
//     %2:ud = cmp -|%1.2|:f #0x3f800000:f {w16 cmod 2}
//     if %2:ud {w16 pred 1}
//     -> b1, b2
//   block b1 depth 0 params %5 %6
//     -> b3(%1.1:f, _)
//     ~> b2
//
// `bytes x comps` follows the file. An operand is `[-][|]%value[.comp][xcomps][|][+sub][:type]` and
// after allocation `@unit`; `#bits` is an immediate, `$name` or `$code` a fixed register, `_` an
// absent operand. Braces hold the fields that differ from their default, and the side row in
// brackets. `->` precedes logical, `~>` physical successors. Instructions that are in no block are
// not printed; ids of instructions are not in the text.
#ifndef KILN_CORE_LIR_PRINT_H_
#define KILN_CORE_LIR_PRINT_H_

#include <string>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

std::string Print(const Machine& machine, const Function& f);
std::string PrintInst(const Machine& machine, const Function& f, InstId i);
std::string PrintOperand(const Machine& machine, const Operand& o);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_PRINT_H_
