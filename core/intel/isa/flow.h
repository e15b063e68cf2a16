// Control flow of a machine program: the possible successors of each instruction, and basic blocks.
//
// Lists every edge that hardware may take, physical ones included: the fall-through of an else and
// of a break whose other lanes continue, and the jump of an endif when no lane is on. Cost: linear.
#ifndef KILN_CORE_INTEL_ISA_FLOW_H_
#define KILN_CORE_INTEL_ISA_FLOW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

struct MachineBlock {
  int32_t begin = 0;  // instructions [begin, end)
  int32_t end = 0;
  std::vector<int32_t> successors;  // block indices, ascending, without repetition
};

// Returns blocks in program order. Calls and returns are an Unimplemented error, missing branch
// targets an InvalidArgument one.
absl::StatusOr<std::vector<MachineBlock>> BuildBlocks(const Program& program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_FLOW_H_
