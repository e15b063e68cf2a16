// Computes when each instruction of an order issues: in order, one at a time, once its operands are
// available and its unit is free.
#ifndef KILN_CORE_LIR_SCHEDULE_ISSUE_CLOCK_H_
#define KILN_CORE_LIR_SCHEDULE_ISSUE_CLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "core/lir/machine.h"
#include "core/lir/schedule/dag.h"

namespace kiln::lir::schedule {

class IssueClock {
 public:
  void Start(const Dag& dag) {
    unblocked_.assign(dag.nodes.size(), 0);
    last_unit_ = dag.last_unit;
    std::fill(std::begin(free_), std::end(free_), 0);
    now_ = end_ = exit_ = 0;
    percent_after_ = kWhole;
  }
  int now() const { return now_; }
  // The time when the operands are available, as far as producers have issued.
  int unblocked(uint32_t n) const { return unblocked_[n]; }
  int free(uint8_t unit) const { return free_[unit]; }
  int TimeOf(const Dag& dag, uint32_t n) const {
    return std::max({now_, unblocked_[n], free_[dag.nodes[n].unit]});
  }
  // Issues the next instruction of the order.
  void Issue(const Dag& dag, uint32_t n) {
    const DagNode& node = dag.nodes[n];
    const int issue = TimeOf(dag, n);
    now_ = issue + node.issue;
    free_[node.unit] = issue + node.busy;
    end_ = std::max(end_, now_);
    if (percent_after_ == kWhole) {
      percent_after_ = node.percent_after;
      exit_ = now_;
    }
    for (const DagEdge& e : dag.children(n)) {
      unblocked_[e.to] = std::max(unblocked_[e.to], issue + e.latency);
      end_ = std::max(end_, unblocked_[e.to]);
    }
  }
  // Cycles until the last result is available and the terminator's unit is free; cycles after a
  // preferred exit count as its timing says (DagNode::percent_after).
  int cycles() const {
    const int end = std::max(end_, free_[last_unit_]);
    return exit_ + static_cast<int>(int64_t{end - exit_} * percent_after_ / kWhole);
  }

 private:
  static constexpr int kWhole = 100;

  std::vector<int> unblocked_;   // by node
  int free_[kTimingUnits] = {};  // when each unit takes the next instruction
  uint8_t last_unit_ = 0;        // Dag::last_unit
  int now_ = 0, end_ = 0;
  int exit_ = 0, percent_after_ = kWhole;  // the first exit after which cycles count less
};

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_ISSUE_CLOCK_H_
