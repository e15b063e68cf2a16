// Operand predicates shared by the parts of allocation.
#ifndef KILN_CORE_LIR_RA_OPERANDS_H_
#define KILN_CORE_LIR_RA_OPERANDS_H_

#include "core/lir/lir.h"

namespace kiln::lir::ra {

inline bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_OPERANDS_H_
