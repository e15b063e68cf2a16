#include "core/amd/waits/counts.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// s_waitcnt: vmcnt [3:0] and [15:14], expcnt [6:4], lgkmcnt [13:8]; all ones: no wait (RDNA 2 ISA
// guide, 12.5).
Counts Unpack(int simm) {
  Counts c;
  const auto count = [](int n, int none) { return n == none ? kNoWait : n; };
  c.of[kVm] = count((simm & 15) | (simm >> 14 & 3) << 4, kMaxOf[kVm]);
  c.of[kExp] = count(simm >> 4 & 7, kMaxOf[kExp]);
  c.of[kLgkm] = count(simm >> 8 & 63, kMaxOf[kLgkm]);
  return c;
}

uint16_t Pack(const Counts& c) {
  const auto field = [&](CounterIndex i) { return std::min(c.of[i], kMaxOf[i]); };
  const int vm = field(kVm);
  return static_cast<uint16_t>((vm & 15) | field(kExp) << 4 | field(kLgkm) << 8 | (vm >> 4) << 14);
}

}  // namespace

std::optional<Counts> CountsOf(const isa::Instruction& inst) {
  Counts counts;
  switch (inst.op) {
    case Opcode::kSWaitcnt: return Unpack(inst.simm);
    case Opcode::kSWaitcntVscnt: counts.Require(kVs, inst.simm); return counts;
    case Opcode::kSWaitcntVmcnt: counts.Require(kVm, inst.simm); return counts;
    case Opcode::kSWaitcntLgkmcnt: counts.Require(kLgkm, inst.simm); return counts;
    case Opcode::kSWaitcntExpcnt: counts.Require(kExp, inst.simm); return counts;
    default: return std::nullopt;
  }
}

std::vector<isa::Instruction> WaitsFor(const Counts& counts) {
  std::vector<isa::Instruction> waits;
  Counts common = counts;
  common.of[kVs] = kNoWait;
  if (common.Any()) {
    isa::Instruction wait;
    wait.op = Opcode::kSWaitcnt;
    wait.simm = Pack(common);
    waits.push_back(wait);
  }
  if (counts.of[kVs] != kNoWait) {
    isa::Instruction wait;
    wait.op = Opcode::kSWaitcntVscnt;
    wait.src[0] = isa::Sgpr(isa::kNull);
    wait.simm = static_cast<uint16_t>(counts.of[kVs]);
    waits.push_back(wait);
  }
  return waits;
}

}  // namespace kiln::amd
