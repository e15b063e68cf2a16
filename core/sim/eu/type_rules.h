// Which operands of arithmetic the simulator runs: types, immediates, modifiers, conditions.
//
// What the rules do not list is refused when a program is loaded, by name: no result of it is known
// to be right. The table is the simulator's own; the compiler's is in isa/opcodes.cc, and
// type_rules_test says where the two differ and why. Sources:
//  * iga: IGC, visa/iga/IGALibrary/Models/bxml/ModelXe.hpp, the types of each opcode on 12.0.
//  * validate: Mesa 25.0.7, brw_eu_validate.c, which quotes the manuals.
//  * imm: Mesa 25.0.7, brw_opt_combine_constants.cpp, supports_src_as_imm: experiments with
//    immediates of three-source instructions.
//  * Mesa: what Mesa 25.0.7 sends for Gen12.0; nir_op_ibfe has unsigned width and offset
//    (brw_fs_nir.cpp).
//  * mixed: Skylake manual, volume 7, Special Restrictions for Handling Mixed Mode Float
//  Operations.
//
// How a source becomes a value (alu.h says what is done with it): each by its own type, bytes and
// words extended by their sign or with zeros, 16-bit immediates of three-source instructions as
// words or halves of their own beside wider operands, V and UV to words, VF and HF to the single
// that equals them.
#ifndef KILN_CORE_SIM_EU_TYPE_RULES_H_
#define KILN_CORE_SIM_EU_TYPE_RULES_H_

#include "absl/strings/string_view.h"
#include "core/intel/isa/instruction.h"

namespace kiln::sim::eu {

// Why the simulator does not run an arithmetic instruction with these operands; empty if it does.
absl::string_view WhyUnsupported(const intel::isa::Instruction& inst);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_TYPE_RULES_H_
