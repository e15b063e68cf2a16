#include "core/amd/select/barriers.h"

namespace kiln::amd {
namespace {

uint16_t WaitsOf(uint32_t classes) {
  uint16_t waits = 0;
  if ((classes & mir::kMemoryShared) != 0) waits |= kWaitShared;
  if ((classes & (mir::kMemoryBuffer | mir::kMemoryImage)) != 0) waits |= kWaitMemory;
  return waits;
}

}  // namespace

bool Barriers::OneWave() const {
  return m_.local_size[0] * m_.local_size[1] * m_.local_size[2] <= e_.width();
}

// Accesses are ended by waits; coherent ones carry cache bits (Memory), so that plain ones of other
// scopes need an invalidate: L0 where waves share a CU, L1 as well for the device (LLVM,
// AMDGPUUsage, memory model of GFX10). A wave sees its own accesses in order.
void Barriers::MemoryBarrier(uint32_t classes, mir::Scope scope) {
  if (scope == mir::Scope::kSubgroup) return;
  if (scope == mir::Scope::kWorkgroup && OneWave()) return;
  const uint16_t waits = WaitsOf(classes);
  if (waits == 0) return;
  // Counters that are waited for are 0, others all ones: vm [3:0] and [15:14], exp [6:4], lgkm
  // [13:8] (ISA guide, s_waitcnt).
  constexpr uint16_t kNoWait = 0xff7f, kVm = 0xc00f, kLgkm = 0x3f00;
  Extra extra;
  extra.simm = static_cast<uint16_t>(kNoWait & ~((waits & kWaitMemory) != 0 ? kVm : 0) &
                                     ~((waits & kWaitShared) != 0 ? kLgkm : 0));
  e_.EmitRaw(Op(Opcode::kSWaitcnt), {}, {}, extra);
  if ((waits & kWaitMemory) != 0) {
    e_.EmitRaw(Op(Opcode::kSWaitcntVscnt), {}, {lir::FixedOperand(isa::kNull, 0)});
  }
  if (scope != mir::Scope::kDevice || (waits & kWaitMemory) == 0) return;
  e_.EmitRaw(Op(Opcode::kBufferGl1Inv), {}, {});
  e_.EmitRaw(Op(Opcode::kBufferGl0Inv), {}, {});
}

// A control barrier orders memory for the workgroup, whose waves share one L0 (CU mode).
void Barriers::ControlBarrier(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto scope = static_cast<mir::Scope>(inst.imm1);
  if (scope == mir::Scope::kSubgroup) return;
  if (OneWave()) return;
  Wait(inst.imm0);
}

void Barriers::Wait(uint32_t classes) {
  Extra extra;
  extra.simm = WaitsOf(classes);
  e_.EmitRaw(Op(Opcode::kSBarrier), {}, {}, extra);
}

}  // namespace kiln::amd
