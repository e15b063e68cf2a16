// Counts the units live in a block under any order of its instructions. The values live at the
// block's ends and those held by parked lanes do not depend on the order.
//
// Cost: linear in operands and in the values live at the ends.
#ifndef KILN_CORE_LIR_SCHEDULE_ORDER_PRESSURE_H_
#define KILN_CORE_LIR_SCHEDULE_ORDER_PRESSURE_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"

namespace kiln::lir::schedule {

class OrderPressure {
 public:
  // The arguments outlive the object.
  OrderPressure(const Machine& machine, const Function& f, const Liveness& live);

  // The maximum by pool.
  std::vector<uint32_t> Peak(BlockId b, const std::vector<InstId>& order);
  // By pool: units before the first instruction, then for each instruction those live after it
  // together with those it defines.
  std::vector<std::vector<int64_t>> Profile(BlockId b, const std::vector<InstId>& order);

 private:
  template <class Visit>
  void Walk(BlockId b, const std::vector<InstId>& order, Visit&& visit);
  void Need(uint32_t slot);
  void NeedAll(const Operand& o);
  void End(const Operand& o);

  const Machine& t_;
  const Function& f_;
  const Liveness& live_;
  UnitCounter units_;
  std::vector<int64_t> held_;    // by pool: units that only parked lanes hold
  std::vector<uint32_t> epoch_;  // by slot: now_ if it is live
  uint32_t now_ = 0;
};

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_ORDER_PRESSURE_H_
