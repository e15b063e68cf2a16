// Copies instructions and regions inside one module, with values renamed.
//
// Problem: unrolling, peeling and distributing code need copies of instructions in which values
// that the copied code defines are replaced by those of the copy, and some others (loop parameters)
// by given ones. Invariants: the original stays unchanged; values that are neither mapped nor
// defined in the copied code are used as they are. Cost: linear in the copied code; Clear is linear
// in the number of mappings.
#ifndef KILN_CORE_MIR_CLONE_H_
#define KILN_CORE_MIR_CLONE_H_

#include <vector>

#include "core/mir/mir.h"

namespace kiln::mir {

class Cloner {
 public:
  explicit Cloner(Module& module) : m_(module) {}

  // Uses `to` for `from` in copies made from now on.
  void Map(ValueId from, ValueId to);
  // Returns the value that copies use for `v`. Results of instructions already copied are mapped
  // too.
  ValueId Find(ValueId v) const;
  // Forgets every mapping.
  void Clear();

  // Returns a copy of the instruction, its regions included; it is in no region yet.
  InstId Copy(InstId inst);
  RegionId CopyRegion(RegionId region);

 private:
  Module& m_;
  std::vector<ValueId> to_;      // by value; invalid: itself
  std::vector<ValueId> mapped_;  // those with an entry
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_CLONE_H_
