// What is read comes back into registers: by repeating its computation where that is possible, else
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

  // The operand as it can be read now; fills what is not in a register.
  Operand InRegisters(Operand o);

 private:
  void Fill(uint32_t first, uint32_t last);
  // Are the sources at hand, or can they be repeated in turn?
  bool CanRepeat(ValueId v, int depth) const;
  // May the source, where it is at hand, be read again for `i` in this block? The thread that comes
  // from an exit brings along nothing that lanes have for themselves.
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
