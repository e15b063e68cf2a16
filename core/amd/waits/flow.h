// The blocks of a program and the wave's edges between them.
#ifndef KILN_CORE_AMD_WAITS_FLOW_H_
#define KILN_CORE_AMD_WAITS_FLOW_H_

#include <cstddef>
#include <vector>

#include "core/amd/emit/program.h"

namespace kiln::amd {

struct FlowBlock {
  size_t first = 0, end = 0;  // rows
  std::vector<size_t> succs;  // blocks
};

// Returns the blocks in the order of their rows. A program without rows has none.
std::vector<FlowBlock> BlocksOf(const Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_FLOW_H_
