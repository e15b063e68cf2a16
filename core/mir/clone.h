// Copies instructions and regions inside one module, with values renamed.
//
// Problem: unrolling, peeling and distributing code need the same instructions again, in which
// values defined by the copied code are the copies' and some others (loop parameters) stand for
// given ones. Invariants: the source stays as it is; what the copied code does not define and
// nobody mapped is used as it is. Cost: linear in what is copied; Clear costs what was mapped.
#ifndef KILN_CORE_MIR_CLONE_H_
#define KILN_CORE_MIR_CLONE_H_

#include <vector>

#include "core/mir/mir.h"

namespace kiln::mir {

class Cloner {
 public:
  explicit Cloner(Module& module) : m_(module) {}

  // In copies made from now on, `to` stands for `from`.
  void Map(ValueId from, ValueId to);
  // What stands for `v` in copies: also results of instructions already copied.
  ValueId Find(ValueId v) const;
  // Forgets every mapping.
  void Clear();

  // A copy of the instruction, its regions included; it is in no region yet.
  InstId Copy(InstId inst);
  RegionId CopyRegion(RegionId region);

 private:
  Module& m_;
  std::vector<ValueId> to_;      // by value; invalid: itself
  std::vector<ValueId> mapped_;  // those with an entry
};

}  // namespace kiln::mir

#endif  // KILN_CORE_MIR_CLONE_H_
