// Brings operands back into registers: by repeating the computation where that is possible, else
// from memory. It keeps no state of its own.
#ifndef KILN_CORE_LIR_RA_SPILL_FILLS_H_
#define KILN_CORE_LIR_RA_SPILL_FILLS_H_

#include <cstdint>

#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_input.h"
#include "core/lir/ra/spill_registers.h"
#include "core/lir/ra/spill_room.h"

namespace kiln::lir::ra {

class SpillFills {
 public:
  SpillFills(const SpillInput& in, const SpillHere& here, PiecesInRegisters& registers,
             SpillRoom& room, SpillCode& code)
      : in_(in), here_(here), registers_(registers), room_(room), code_(code) {}

  // Returns the operand under its current name; fills pieces that are not in a register.
  Operand InRegisters(Operand o);

 private:
  void Fill(uint32_t first, uint32_t last);
  // Returns true if the sources are in registers, or can be repeated in turn.
  bool CanRepeat(ValueId v, int depth) const;
  // Returns true if the source, where it is in a register, may be read again for `i` in this block.
  // A thread that arrives at the exit block from an exit has no per-lane values.
  bool MayReadAgain(InstId i, const Operand& o) const;
  ValueId Repeat(ValueId v);

  const SpillInput& in_;
  const SpillHere& here_;
  PiecesInRegisters& registers_;
  SpillRoom& room_;
  SpillCode& code_;
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_FILLS_H_
