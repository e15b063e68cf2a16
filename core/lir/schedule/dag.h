// The dependency graph of a window of one block: which instructions must stay in order.
//
// Edges: definition to use; for allocated code also use to next definition and definition to
// definition of the same units; the same for fixed registers that are read in the window; memory
// writes against reads and writes of their class, ordered reads among themselves, barriers against
// all, other side effects among themselves (OpFlags). Edges carry latencies: data edges and those
// between two writers of a register the producer's latency, those from a reader to the next writer
// the time until the operand has been read, edges of memory and effects none.
//
// Before allocation, operations that clobber a pool (OpInfo::clobbers) keep their order relative to
// definitions and uses of values in that pool; otherwise such a value would have to be saved.
//
// An exit (OpFlags kOpExit) comes after the definitions of values that the exit block reads for all
// lanes, and before their units are overwritten. Writes of memory, other side effects, operations
// across lanes and, in allocated code, instructions that the allocator inserted (values are at home
// at an exit) stay on their side of it. Reads of memory and computations of a lane's own values may
// pass it either way.
//
// A node has an exit if a preferred one (InstFlags kPreferredExit) depends on it. Exits that are
// not preferred only impose the order above, so that without the flag times are those of a block
// without exits.
//
// Edges are found consumer by consumer, in the order of the window, so that sorting them by
// producer is one counting pass. Units are not tracked one by one: the ends of the ranges that
// operands name cut the pool into pieces, and each piece is tracked as a whole.
//
// Cost: linear in operands, cuts within them, and edges. A window has at most kMaxWindow nodes.
#ifndef KILN_CORE_LIR_SCHEDULE_DAG_H_
#define KILN_CORE_LIR_SCHEDULE_DAG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir::schedule {

inline constexpr size_t kMaxWindow = 1024;
inline constexpr int kNoExit = std::numeric_limits<int>::max();

struct DagEdge {
  uint32_t to = 0;
  int latency = 0;  // cycles from the issue of `from` to the earliest issue of `to`
};

struct DagNode {
  InstId inst;
  int issue = 0;    // cycles of issue
  int latency = 0;  // cycles from its issue to its result
  int read = 0;     // ... until its operands have been read
  int busy = 0;     // ... until its unit takes the next one
  uint8_t unit = 0;
  int delay = 0;                      // cycles from its issue to the end of the longest path
  int exit_unblocked_time = kNoExit;  // earliest issue of the first preferred exit depending on it
  // For preferred exits in the first block that has one: Timing::percent_after. All instructions
  // after one count less already, and do not count even less after further exits.
  int percent_after = 100;
  uint32_t num_parents = 0;
  uint32_t first_child = 0;  // in Dag::edges
  uint32_t num_children = 0;
};

struct Dag {
  std::vector<DagNode> nodes;
  std::vector<DagEdge> edges;  // by node; ascending, one edge for each child
  bool has_exits = false;      // at least one exit is preferred
  uint8_t last_unit = 0;       // unit of the block's terminator, if it comes next; it waits until
                               // the unit is free. Unit 0 is never busy.

  absl::Span<const DagEdge> children(uint32_t n) const {
    return absl::MakeConstSpan(edges).subspan(nodes[n].first_child, nodes[n].num_children);
  }
};

// Builds the graphs of one function's windows, one after another. It keeps tables by value and by
// unit from one window to the next, so that a small window is cheap in a large function. Values and
// instructions must not be added meanwhile.
class DagBuilder {
 public:
  // `allocated`: operands have registers, and order is by units instead of values.
  DagBuilder(const Machine& machine, const Function& f, bool allocated);

  // Builds the graph of a window. `terminator`: that of the block, if it follows the window
  // directly; else invalid.
  void Build(absl::Span<const InstId> window, InstId terminator, Dag* dag);

 private:
  enum : uint32_t { kNone = ~uint32_t{0} };

  // The last writer of units, a fixed register or memory, and the readers since then.
  struct Access {
    uint32_t writer = kNone;
    uint32_t readers = kNone;  // head of a list in readers_
  };
  struct Reader {
    uint32_t node = 0;
    uint32_t next = kNone;
  };
  struct RawEdge {
    uint32_t from = 0;
    uint32_t to = 0;
    int latency = 0;
  };
  // The units that one component of a value takes, and the multiple to which a definition is
  // rounded up.
  struct Shape {
    uint8_t pool = 0;
    uint32_t per_comp = 0;
    uint32_t written = 1;
  };
  // By unit: accesses of the piece that starts there, if a range of the window starts or ends
  // there.
  struct PoolState {
    std::vector<Access> access;
    std::vector<uint64_t> cuts;  // a bit for each unit
  };

  void AddEdge(uint32_t from, uint32_t to, int latency);
  void Read(Access* a, uint32_t n);
  void AddReader(Access* a, uint32_t n);
  void Write(Access* a, uint32_t n);
  void Order(Access* a, uint32_t n);
  void Units(const Operand& o, bool is_def, uint32_t* first, uint32_t* end) const;
  void Cut(const Operand& o, bool is_def);
  template <class F>
  void ForUnits(const Operand& o, bool is_def, F&& f);
  template <class F>
  void ForRange(PoolState* pool, uint32_t at, uint32_t end, F&& f);
  void CutRange(uint32_t pool, uint32_t first, uint32_t end);
  void Clobbers(uint32_t n);
  void Begin(absl::Span<const InstId> window);
  void Operands(uint32_t n);
  void Effects(uint32_t n);
  void FindPlacesNeededAtExits();
  void Exit(uint32_t n);
  void AfterPlacesNeededAtExits(uint32_t n);
  void Finish();
  void Times();
  void Forget();

  const Machine& t_;
  const Function& f_;
  const bool allocated_;
  std::vector<uint32_t> definer_;  // by value: the node of the window that defines it
  std::vector<Shape> shapes_;      // by value
  std::vector<PoolState> pools_;
  std::vector<Access> fixed_;        // by code, which is a small number ...
  std::vector<char> fixed_read_;     // ... those that are read in the window
  const uint8_t clobbered_;          // pools that operations of the machine clobber
  std::vector<Access> clobberable_;  // by pool, of those, before allocation
  std::array<Access, kMemoryClasses> memory_;
  Access ordered_reads_, effects_;
  Access exits_;                     // written by exits, read by instructions that may pass no exit
  std::vector<InstId> first_exits_;  // preferred exits of the first block that has one
  std::vector<Operand> at_exits_;    // operands that the exit block reads for all lanes
  std::vector<Reader> readers_;
  std::vector<RawEdge> raw_;         // ascending by `to`, one edge for each pair
  std::vector<uint32_t> last_edge_;  // by node: the last edge from it
  std::vector<int> earliest_;
  Dag* dag_ = nullptr;
};

// Builds the graph of a single window.
Dag BuildDag(const Machine& machine, const Function& f, absl::Span<const InstId> window,
             bool allocated);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_DAG_H_
