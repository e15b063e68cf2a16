// Merges instructions that compute the same (value numbering).
#ifndef KILN_CORE_LIR_MERGE_EQUAL_H_
#define KILN_CORE_LIR_MERGE_EQUAL_H_

#include <cstdint>
#include <functional>

#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::lir {

// The place from which an equal instruction may give the result: nowhere, before it in the same
// block (kLanes: and with the same lanes on), or also a block that dominates it.
enum class Reach : uint8_t { kNone, kLanes, kBlock, kDominated };

// The rules of a machine or of a pass.
class MergeRules {
 public:
  virtual ~MergeRules() = default;
  // `id` has definitions; those of an instruction that may go are values.
  virtual Reach ReachOf(const Function& f, InstId id) const = 0;
  // Returns true if lanes are off behind an instruction that were on before it: no Reach::kLanes
  // goes past it.
  virtual bool TurnsLanesOff(const Function&, InstId) const { return false; }
  // Returns the types of operands that count as one in this instruction, a bit for each: signed and
  // unsigned in a sum. Types are below 32.
  virtual uint32_t EqualTypes(const Function&, InstId) const { return 0; }
};

// In and out: SSA. An instruction goes if an equal one (operation, fields, side row, sources) is
// before it within reach; uses of its definitions become uses of the other's. `may_rewrite` is
// asked before each, and no is respected. Returns true if any went. Expected linear.
bool MergeEqual(const MergeRules& rules, Function& f, const std::function<bool()>& may_rewrite);

// The same by what the machine's table says of its operations.
//
// Left alone: what has effects, accesses memory that may change, or defines a value of a file with
// a save file (there is one register for it, so that living longer costs more than the
// instruction). Within a block only: constants (a copy or collect of them is cheaper than a
// register), and what depends on which lanes are on, of which a block keeps one set up to its next
// exit.
bool MergeEqual(const Machine& machine, Function& f, const std::function<bool()>& may_rewrite);

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_MERGE_EQUAL_H_
