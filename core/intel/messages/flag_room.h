// Finds free flags in a block with its present order of instructions.
//
// Flags are few, and saving them costs moves and waits. Before scheduling, an order of the block
// exists in which all of them fit; a pass that makes more flags of one asks here whether that stays
// true. Flags that cross blocks are counted as if they were live everywhere. Cost: linear as long
// as there is room, since each successful request fills a range of instructions; only ranges
// without room are looked at again.
#ifndef KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_
#define KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::intel {

class FlagRoom {
 public:
  // `granules`: the number of granules that values may use.
  FlagRoom(const lir::Function& f, uint32_t granules);

  void Enter(lir::BlockId block);

  // Doubles the granules of a flag of the entered block, from its definition to the last
  // instruction that reads it. Returns false if there is no room.
  bool Double(lir::ValueId flag);

 private:
  struct Span {
    lir::BlockId block;
    uint32_t first = 0, last = 0;  // instructions of the block
  };

  const lir::Function& f_;
  const uint32_t granules_, each_;  // granules of the pool, and of one flag
  uint32_t crossing_ = 0;           // granules of flags that cross blocks
  std::vector<Span> spans_;         // by value, for flags
  std::vector<uint32_t> taken_;     // by instruction of the block
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_MESSAGES_FLAG_ROOM_H_
