// The state that all emission code shares: the program to append to, its open ifs and loops, and
// the function to read. Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_CONTEXT_H_
#define KILN_CORE_INTEL_EMIT_CONTEXT_H_

#include "core/intel/device/device.h"
#include "core/intel/emit/structure.h"
#include "core/intel/isa/program.h"
#include "core/lir/lir.h"

namespace kiln::intel {

struct EmitContext {
  const Device& device;
  const lir::Function& f;
  isa::Program& p;
  Structure& structure;

  // Returns the instruction without operands and predicate.
  isa::Instruction Head(const lir::Inst& in, isa::Opcode op, int lanes, int first_lane) const;
  // Sets the LIR instruction's predicate, if it has one.
  void SetPredicate(isa::Instruction& e, lir::InstId id) const;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_CONTEXT_H_
