#include "core/amd/select/barriers.h"

#include "core/mid/analysis/alias.h"
#include "core/mir/build.h"

namespace kiln::amd {
namespace {

// Counters that are waited for are 0, others all ones: vm [3:0] and [15:14], exp [6:4], lgkm [13:8]
// (ISA guide, s_waitcnt).
constexpr uint16_t kNoWait = 0xff7f, kVm = 0xc00f, kLgkm = 0x3f00;

void WaitFor(Emission& e, uint16_t counters) {
  Extra extra;
  extra.simm = static_cast<uint16_t>(kNoWait & ~counters);
  e.EmitRaw(Op(Opcode::kSWaitcnt), {}, {}, extra);
}

}  // namespace

// core/amd/waits drops waits for nothing.
void KeepOrder(Emission& e) { WaitFor(e, 0); }

void EndAccesses(Emission& e) {
  WaitFor(e, kVm);
  e.EmitRaw(Op(Opcode::kSWaitcntVscnt), {}, {lir::FixedOperand(isa::kNull, 0)});
}

bool Barriers::OneWave() const {
  return m_.local_size[0] * m_.local_size[1] * m_.local_size[2] <= e_.width();
}

// Returns true if the program has a read whose result may have been in L0 or L1 before a barrier.
// Atomics are executed in L2, stores are written through, and what nothing writes is never stale.
bool Barriers::ReadsThroughCaches() {
  if (reads_.has_value()) return *reads_;
  reads_ = false;
  mir::ForEachRegion(m_, m_.body, [&](mir::RegionId r) {
    for (mir::InstId id : m_.region(r).insts) {
      const mir::Op op = m_.inst(id).op;
      const bool loads =
          op == mir::Op::kLoadSsbo || op == mir::Op::kLoadGlobal || op == mir::Op::kImageLoad;
      *reads_ |= loads && !mid::IsPure(m_, id);
    }
  });
  return *reads_;
}

// Accesses are ended by waits; coherent ones carry cache bits (Addresses), so that plain ones of
// other scopes need an invalidate: L0 and L1 for the device (LLVM, AMDGPUUsage, memory model of
// GFX10). A wave sees its own accesses in order. So do the waves of a workgroup those of buffers
// and images, which share one CU (ABI.md, WGP_MODE 0): its cache keeps them in order (Mesa 25.0.7,
// aco_insert_waitcnt.cpp, perform_barrier).
void Barriers::MemoryBarrier(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const uint32_t classes = inst.imm0;
  const auto scope = static_cast<mir::Scope>(inst.imm1);
  if (scope == mir::Scope::kSubgroup) return;
  if (scope == mir::Scope::kWorkgroup && OneWave()) return;
  const bool outside =
      scope == mir::Scope::kDevice && (classes & (mir::kMemoryBuffer | mir::kMemoryImage)) != 0;
  const bool shared = (classes & mir::kMemoryShared) != 0;
  WaitFor(e_, static_cast<uint16_t>((outside ? kVm : 0) | (shared ? kLgkm : 0)));
  if (!outside) return;
  e_.EmitRaw(Op(Opcode::kSWaitcntVscnt), {}, {lir::FixedOperand(isa::kNull, 0)});
  if ((inst.flags & mir::kReleases) != 0) return;  // what this wave reads may be old
  if (!ReadsThroughCaches()) return;
  e_.EmitRaw(Op(Opcode::kBufferGl1Inv), {}, {});
  e_.EmitRaw(Op(Opcode::kBufferGl0Inv), {}, {});
}

// A control barrier orders memory for the workgroup: shared memory needs a wait, which
// core/amd/waits makes where simm is not 0.
void Barriers::ControlBarrier(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto scope = static_cast<mir::Scope>(inst.imm1);
  if (scope == mir::Scope::kSubgroup) return;
  if (OneWave()) return;
  Wait((inst.imm0 & mir::kMemoryShared) != 0);
}

void Barriers::Wait(bool shared) {
  Extra extra;
  extra.simm = shared ? 1 : 0;
  e_.EmitRaw(Op(Opcode::kSBarrier), {}, {}, extra);
}

}  // namespace kiln::amd
