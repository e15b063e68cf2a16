// Straight lines: runs of instructions that execute one after the other with no join between them.
//
// A line starts at the start of a region and after every if and loop; an instruction that owns
// regions is the last of its line. Lines become the basic blocks. Linear to build; a snapshot.
#ifndef KILN_CORE_MIR_STRAIGHT_LINES_H_
#define KILN_CORE_MIR_STRAIGHT_LINES_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::mir {

class StraightLines {
 public:
  explicit StraightLines(const Module& module) : line_(module.insts.size()) {
    Walk(module, module.body);
  }

  // The number of the instruction's line; of an instruction in no region: 0.
  uint32_t Of(InstId id) const { return line_[id.index]; }

 private:
  void Walk(const Module& module, RegionId region) {
    uint32_t line = ++count_;
    for (InstId id : module.region(region).insts) {
      line_[id.index] = line;
      const Inst& inst = module.inst(id);
      for (int r = 0; r < inst.num_regions; ++r) Walk(module, inst.regions[r]);
      if (inst.num_regions != 0) line = ++count_;
    }
  }

  std::vector<uint32_t> line_;  // by instruction
  uint32_t count_ = 0;
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_STRAIGHT_LINES_H_
