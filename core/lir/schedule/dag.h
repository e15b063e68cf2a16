// The dependency graph of a window of one block: what must stay in order.
//
// Edges: definition to use; for allocated code also use to next definition and definition to
// definition of the same units; the same for fixed registers that something in the window reads;
// memory writes against reads and writes of their class, ordered reads among themselves, barriers
// against all,
// other side effects among themselves (OpFlags). Edges carry latencies: data edges and those
// between two writers of a register the producer's, those from a reader to the next writer its time
// of reading, edges of memory and effects none.
//
// Before allocation what operations clobber (OpInfo::clobbers) stands apart from the definitions
// and uses of values in those pools as it did, or such a value would have to be saved.
//
// An exit (OpFlags kOpExit) comes after the definitions of what the exit block reads for all lanes
// and before others take their units. Writes of memory, other side effects, what looks across lanes
// and, in allocated code, what the allocator inserted (values are at home at an exit) stay on their
// side of it; reads of memory and what computes a lane's own value pass it either way.
//
// A node has an exit if a preferred one (InstFlags kPreferredExit) depends on it. Those that nobody
// prefers are ordered as above and no more, so that without the flag times are those of a block
// without exits.
//
// Edges are found consumer by consumer, in the order of the window, so that sorting them by
// producer is one counting pass. Units are not tracked one by one: the ends of the ranges that
// operands name cut the pool, and what no range cuts is one thing.
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
#include "core/lir/target.h"

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
  int exit_unblocked_time = kNoExit;  // earliest issue of the first preferred exit behind it
  // Of preferred exits in the first block that has one: Timing::behind. What comes behind one
  // counts less already, all of it, and not less still behind others.
  int behind = 100;
  uint32_t num_parents = 0;
  uint32_t first_child = 0;  // in Dag::edges
  uint32_t num_children = 0;
};

struct Dag {
  std::vector<DagNode> nodes;
  std::vector<DagEdge> edges;  // by node; ascending, one edge for each child
  bool has_exits = false;      // one at least is preferred
  uint8_t last_unit = 0;       // of the block's terminator, if it comes next: it waits until that
                               // is free. Unit 0 is never busy.

  absl::Span<const DagEdge> children(uint32_t n) const {
    return absl::MakeConstSpan(edges).subspan(nodes[n].first_child, nodes[n].num_children);
  }
};

// Builds the graphs of one function's windows, one after another: what it keeps from one to the
// next are tables by value and by unit, so that a small window costs little in a large function.
// Values and instructions must not be added meanwhile.
class DagBuilder {
 public:
  // `allocated`: operands have places, and order is by units instead of values.
  DagBuilder(const Target& target, const Function& f, bool allocated);

  // `terminator`: what stands behind the window, at the block's end; invalid if there is more
  // before it, or none.
  void Build(absl::Span<const InstId> window, InstId terminator, Dag* dag);

 private:
  enum : uint32_t { kNone = ~uint32_t{0} };

  // The last writer and the readers since then of one thing: units, a fixed register, memory.
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
  // The units that one component of a value takes, and what a definition of it is rounded up to.
  struct Shape {
    uint8_t pool = 0;
    uint32_t per_comp = 0;
    uint32_t written = 1;
  };
  // By unit: what starts there, if a range of the window starts or ends there.
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
  void Finish();
  void Times();
  void Forget();

  const Target& t_;
  const Function& f_;
  const bool allocated_;
  std::vector<uint32_t> definer_;  // by value: the node of the window that defines it
  std::vector<Shape> shapes_;      // by value
  std::vector<PoolState> pools_;
  std::vector<Access> fixed_;        // by code, which is small ...
  std::vector<char> fixed_read_;     // ... those that something in the window reads
  uint8_t clobbered_ = 0;            // pools that operations of the target clobber
  std::vector<Access> clobberable_;  // by pool, of those, before allocation
  std::array<Access, kMemoryClasses> memory_;
  Access ordered_reads_, effects_;
  Access exits_;                     // written by exits, read by what no exit may pass
  std::vector<InstId> first_exits_;  // preferred, of the first block that has one
  std::vector<Operand> at_exits_;    // what the exit block reads for all lanes
  std::vector<Reader> readers_;
  std::vector<RawEdge> raw_;         // ascending by `to`, one edge for each pair
  std::vector<uint32_t> last_edge_;  // by node: the last edge from it
  std::vector<int> earliest_;
  Dag* dag_ = nullptr;
};

// One window on its own.
Dag BuildDag(const Target& target, const Function& f, absl::Span<const InstId> window,
             bool allocated);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_DAG_H_
