// The dependency graph of a window of one block: what must stay in order.
//
// Edges: definition to use; for allocated code also use to next definition and definition to
// definition of the same units; the same for fixed registers that something in the window reads;
// memory writes against reads and writes, barriers against both, other side effects among
// themselves (OpFlags). Data edges carry the producer's latency, ordering edges none.
//
// A node has an exit if an instruction with kOpExit (the thread may end there) depends on it.
//
// Cost: linear in operands and edges. A window has at most kMaxWindow nodes.
#ifndef KILN_CORE_LIR_SCHEDULE_DAG_H_
#define KILN_CORE_LIR_SCHEDULE_DAG_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

inline constexpr size_t kMaxWindow = 1024;
inline constexpr int kNoExit = std::numeric_limits<int>::max();

struct DagEdge {
  uint32_t to = 0;
  int latency = 0;   // cycles from the issue of `from` to the earliest issue of `to`
};

struct DagNode {
  InstId inst;
  int issue = 0;                   // cycles of issue
  int delay = 0;                   // cycles from its issue to the end of the longest path
  int exit_unblocked_time = kNoExit;  // earliest issue of the first exit that depends on it
  uint32_t num_parents = 0;
  std::vector<DagEdge> children;   // ascending, one edge for each
};

// `allocated`: operands have places, and order is by units instead of values.
std::vector<DagNode> BuildDag(const Target& target, const Function& f,
                              absl::Span<const InstId> window, bool allocated);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_DAG_H_
