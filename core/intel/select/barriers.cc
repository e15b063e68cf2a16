// Selects fences and barriers, which order memory between threads.
#include "core/intel/select/barriers.h"

#include "core/intel/isa/messages.h"
#include "core/intel/lir/message.h"

namespace kiln::intel {

void Barriers::Fence(uint8_t surface) {
  lir::InstFields fields = e_.Fields(Where::kUniform);
  isa::MessageFields message;
  message.message = isa::Message::kMemoryFence;
  message.header = true;
  message.bti = surface;
  message.commit = true;  // the fence responds when it is done
  fields.aux = AddMessage(f_, {message});
  e_.EmitRaw(kFence, fields, {e_.Def(e_.NewRegisters(1), Type::kUD)},
             {Use(launch_.r0(), Type::kUD, 0, 8)});
}

// Orders memory of these classes (mir::MemoryClass) for the scope. A thread sees its own messages
// in order, so fences are needed only for other threads.
void Barriers::MemoryBarrier(uint32_t classes, mir::Scope scope) {
  const bool alone = at_width_.threads_per_group == 1;
  if (scope == mir::Scope::kSubgroup || (alone && scope == mir::Scope::kWorkgroup)) return;
  if ((classes & mir::kMemoryShared) && abi_.writes_shared && !alone) Fence(isa::kBtiSlm);
  // Typed surfaces are in the same data port.
  if ((classes & (mir::kMemoryBuffer | mir::kMemoryImage)) && abi_.writes_buffers) Fence(0);
}

// The memory fence comes first: writes of lanes before the barrier must be visible after it. The
// lanes of a single thread need no barrier.
void Barriers::ControlBarrier(const mir::Inst& barrier) {
  const auto scope = static_cast<mir::Scope>(barrier.imm1);
  if (scope == mir::Scope::kSubgroup || at_width_.threads_per_group == 1) return;
  MemoryBarrier(barrier.imm0, scope);
  e_.EmitRaw(kBarrier, e_.Fields(Where::kUniform), {e_.Def(e_.NewRegisters(1), Type::kUD)},
             {Use(launch_.r0(), Type::kUD, 0, 8)});
}

}  // namespace kiln::intel
