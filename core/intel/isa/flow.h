// Control flow of a machine program: where each instruction may go next, and basic blocks.
//
// Every edge that hardware may take is listed, physical ones included: the fall-through of else
// and of a break whose other lanes go on, the jump of endif when no lane is on. Cost: linear.
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

// Blocks in program order. Calls and returns are an Unimplemented error, missing targets an
// InvalidArgument one.
absl::StatusOr<std::vector<MachineBlock>> BuildBlocks(const Program& program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_FLOW_H_
