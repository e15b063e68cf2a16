// Computes a scalar ALU instruction: a pure function of its operands' bits.
//
// Covers the arithmetic of SOP1, SOP2, SOPC and SOPK. Not here: what reads or writes state besides
// its operands and SCC (program counter, M0-relative registers, hardware registers, waits).
// s_*_saveexec and s_*_wrexec are here: exec is an operand.
#ifndef KILN_CORE_SIM_RDNA2_ALU_SCALAR_H_
#define KILN_CORE_SIM_RDNA2_ALU_SCALAR_H_

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "core/amd/isa/instruction.h"

namespace kiln::sim::rdna2::alu {

struct ScalarInputs {
  // Zero-extended to 64 bits; of SOPK only src[0] (s_cmpk) is used, its constant is in simm.
  std::array<uint64_t, 2> src = {};
  bool scc = false;
  uint64_t old = 0;   // the destination before the instruction (opcode_flag::kDstR)
  uint64_t exec = 0;  // s_*_saveexec, s_*_wrexec
};

struct ScalarResult {
  uint64_t value = 0;  // the destination, if the opcode has one
  bool scc = false;    // SCC after it; unchanged unless the opcode has kSccW
  uint64_t exec = 0;   // exec after it; unchanged unless the opcode has kExecW
};

// Returns OK if EvaluateScalar computes the instruction; otherwise an error that names it and the
// state that it needs.
absl::Status CheckScalarComputed(const amd::isa::Instruction& inst);

// Returns the results. CheckScalarComputed(inst) must be OK. O(1).
ScalarResult EvaluateScalar(const amd::isa::Instruction& inst, const ScalarInputs& in);

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_SCALAR_H_
