// Room for flags beside those of a block, in the order that it has.
//
// Flags are few and saving them costs moves and waits. An order of the block in which all of them
// fit is there before scheduling; who makes more flags of one asks here whether that stays so.
// Flags that cross blocks are counted as if they lived everywhere. Linear: one flag after the other
// is given room, so that places that are looked at twice are places where the answer is no.
#ifndef KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_
#define KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::intel {

bool IsFlag(const lir::Function& f, const lir::Operand& o);

class FlagRoom {
 public:
  // `granules`: those that values may have.
  FlagRoom(const lir::Function& f, uint32_t granules);

  void Enter(lir::BlockId block);

  // Takes as much again as a flag of the block that was entered has, from its definition to the
  // last instruction that reads it. False: there is no room.
  bool Double(lir::ValueId flag);

 private:
  struct Span {
    lir::BlockId block;
    uint32_t first = 0, last = 0;  // instructions of the block
  };

  const lir::Function& f_;
  const uint32_t granules_, each_;  // of the pool, and of one flag
  uint32_t crossing_ = 0;           // granules of flags that cross blocks
  std::vector<Span> spans_;         // by value: of flags
  std::vector<uint32_t> taken_;     // by instruction of the block
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_
