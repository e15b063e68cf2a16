// The operands of arithmetic that the simulator supports: types, immediates, modifiers, conditions.
//
// Operands that the rules do not list are refused by name when a program is loaded, since no result
// is known to be right. The table is the simulator's own; the compiler's is in isa/opcodes.cc, and
// type_rules_test says where the two differ and why. Sources:
// * iga: IGC, visa/iga/IGALibrary/Models/bxml/ModelXe.hpp, the types of each opcode on 12.0.
// * validate: Mesa 25.0.7, brw_eu_validate.c, which quotes the manuals.
// * imm: Mesa 25.0.7, brw_opt_combine_constants.cpp, supports_src_as_imm: experiments with
//   immediates of three-source instructions.
// * Mesa: instructions that Mesa 25.0.7 emits for Gen12.0; nir_op_ibfe has unsigned width and
//   offset (brw_fs_nir.cpp).
// * mixed: Skylake manual, volume 7, Special Restrictions for Handling Mixed Mode Float Operations.
//
// Conversion of sources to values (alu.h has the operations on them): each by its own type, bytes
// and words extended by their sign or with zeros, 16-bit immediates of three-source instructions as
// words or halves even if other operands are wider, V and UV to words, VF and HF to the single that
// equals them.
#ifndef KILN_CORE_SIM_EU_TYPE_RULES_H_
#define KILN_CORE_SIM_EU_TYPE_RULES_H_

#include "absl/strings/string_view.h"
#include "core/intel/isa/instruction.h"

namespace kiln::sim::eu {

// Returns why the simulator does not support an arithmetic instruction with these operands; empty
// if it does.
absl::string_view WhyUnsupported(const intel::isa::Instruction& inst);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_TYPE_RULES_H_
