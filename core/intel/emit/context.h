// Where machine code is appended, and what emission of every operation reads; internal to this
// folder.
#ifndef KILN_CORE_INTEL_EMIT_CONTEXT_H_
#define KILN_CORE_INTEL_EMIT_CONTEXT_H_

#include "core/intel/device/device.h"
#include "core/intel/isa/program.h"
#include "core/lir/lir.h"

namespace kiln::intel {

struct EmitContext {
  const Device& device;
  const lir::Function& f;
  isa::Program& p;

  // Everything of an instruction but its operands and predicate.
  isa::Instruction Head(const lir::Inst& in, isa::Opcode op, int lanes, int first_lane) const;
  // That of the LIR instruction, if it has one.
  void SetPredicate(isa::Instruction& e, lir::InstId id) const;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_CONTEXT_H_
