// See contract_rules.h.
#include "core/sim/rdna2/contract_rules.h"

#include "absl/strings/match.h"
#include "core/sim/rdna2/access.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Encoding;
using isa::Opcode;

constexpr absl::string_view kResults =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, check_instr: results are there when their counter says so";
constexpr absl::string_view kTypes =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, vmem_type: registers are written in order by each type";
constexpr absl::string_view kDsOrder =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, check_instr: LDS returns in order";
constexpr absl::string_view kScalarOrder =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, unordered_events: scalar loads return out of order";
constexpr absl::string_view kExportSources =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, insert_wait_entry for exports";

constexpr absl::string_view kBarrier =
    "Mesa 25.0.7, aco_insert_waitcnt.cpp, perform_barrier: s_barrier synchronises arrival alone";

constexpr WaitRule kRules[] = {
    {Producer::kTextureLoad, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kVm, kResults},
    {Producer::kTextureLoad, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kVm, kResults},
    {Producer::kTextureLoad, Consumer::kSameLoad, Hazard::kWriteAfterWrite, Counter::kNone, kTypes},
    {Producer::kVectorLoad, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kVm, kResults},
    {Producer::kVectorLoad, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kVm, kResults},
    {Producer::kVectorLoad, Consumer::kSameLoad, Hazard::kWriteAfterWrite, Counter::kNone, kTypes},
    {Producer::kRayLoad, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kVm, kResults},
    {Producer::kRayLoad, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kVm, kResults},
    {Producer::kRayLoad, Consumer::kSameLoad, Hazard::kWriteAfterWrite, Counter::kNone, kTypes},
    {Producer::kFlatLoad, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kVmAndLgkm, kResults},
    {Producer::kFlatLoad, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kVmAndLgkm, kResults},
    {Producer::kLds, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kLgkm, kResults},
    {Producer::kLds, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kLgkm, kResults},
    {Producer::kLds, Consumer::kSameLoad, Hazard::kWriteAfterWrite, Counter::kNone, kDsOrder},
    {Producer::kScalarLoad, Consumer::kAny, Hazard::kReadAfterWrite, Counter::kLgkm, kResults},
    {Producer::kScalarLoad, Consumer::kAny, Hazard::kWriteAfterWrite, Counter::kLgkm, kScalarOrder},
    {Producer::kExport, Consumer::kAny, Hazard::kWriteAfterRead, Counter::kExp, kExportSources},
    {Producer::kTextureLoad, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kVm, kBarrier},
    {Producer::kVectorLoad, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kVm, kBarrier},
    {Producer::kFlatLoad, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kVmAndLgkm, kBarrier},
    {Producer::kLds, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kLgkm, kBarrier},
    {Producer::kLdsStore, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kLgkm, kBarrier},
    {Producer::kVectorStore, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kVs, kBarrier},
    {Producer::kFlatStore, Consumer::kAny, Hazard::kAcrossBarrier, Counter::kVsAndLgkm, kBarrier},
};

bool ReadsMemory(const Op& op) {
  const bool returns = op.Has(isa::opcode_flag::kAtomic) && op.inst.glc;
  return op.Has(isa::opcode_flag::kLoad) || returns;
}

}  // namespace

absl::Span<const WaitRule> WaitRules() { return kRules; }

Counter RequiredWait(Producer producer, bool same_load, Hazard hazard) {
  Counter wait = Counter::kNone;
  for (const WaitRule& rule : kRules) {
    if (rule.producer != producer || rule.hazard != hazard) continue;
    if (rule.consumer == Consumer::kAny) wait = rule.wait;
    if (rule.consumer == Consumer::kSameLoad && same_load) return rule.wait;
  }
  return wait;
}

Producer ProducerOf(const Op& op) {
  switch (op.info->encoding) {
    case Encoding::kSmem: return op.inst.dst.exists() ? Producer::kScalarLoad : Producer::kNone;
    case Encoding::kDs: return op.inst.dst.exists() ? Producer::kLds : Producer::kLdsStore;
    case Encoding::kExp: return Producer::kExport;
    case Encoding::kMimg:
      if (absl::StrContains(op.info->mnemonic, "bvh")) return Producer::kRayLoad;
      if (op.inst.src[2].exists()) return Producer::kTextureLoad;
      // Queries of sizes have neither flag; their result is a load's.
      return op.Has(isa::opcode_flag::kStore) || (op.Has(isa::opcode_flag::kAtomic) && !op.inst.glc)
                 ? Producer::kVectorStore
                 : Producer::kVectorLoad;
    case Encoding::kFlat: return ReadsMemory(op) ? Producer::kFlatLoad : Producer::kFlatStore;
    case Encoding::kMubuf:
    case Encoding::kMtbuf:
    case Encoding::kGlobal:
    case Encoding::kScratch:
      if (ReadsMemory(op)) return Producer::kVectorLoad;
      return AccessOf(op.inst.op).kind == AccessKind::kOther ? Producer::kNone
                                                             : Producer::kVectorStore;
    default: return Producer::kNone;
  }
}

Counter CounterOf(Producer producer) {
  switch (producer) {
    case Producer::kTextureLoad:
    case Producer::kVectorLoad:
    case Producer::kRayLoad: return Counter::kVm;
    case Producer::kFlatLoad: return Counter::kVmAndLgkm;
    case Producer::kLds:
    case Producer::kLdsStore:
    case Producer::kScalarLoad: return Counter::kLgkm;
    case Producer::kVectorStore: return Counter::kVs;
    case Producer::kFlatStore: return Counter::kVsAndLgkm;
    case Producer::kExport: return Counter::kExp;
    default: return Counter::kNone;
  }
}

Sequence SequenceOf(const Op& op, bool memory_ordered) {
  constexpr int kLastColor = 9, kLastPosition = 16;
  switch (ProducerOf(op)) {
    case Producer::kTextureLoad: return memory_ordered ? Sequence::kLoads : Sequence::kTextures;
    case Producer::kRayLoad: return memory_ordered ? Sequence::kLoads : Sequence::kRays;
    case Producer::kFlatLoad:
    case Producer::kVectorLoad: return Sequence::kLoads;
    case Producer::kFlatStore:
    case Producer::kVectorStore: return Sequence::kStores;
    case Producer::kLds:
    case Producer::kLdsStore: return Sequence::kLds;
    case Producer::kExport:
      if (op.inst.target <= kLastColor) return Sequence::kColors;
      return op.inst.target <= kLastPosition ? Sequence::kPositions : Sequence::kParameters;
    case Producer::kScalarLoad:
    case Producer::kNone: break;
  }
  return Sequence::kNone;
}

bool LgkmcntKeepsOrder(const Op& op) { return op.info->encoding == Encoding::kDs; }

absl::string_view NameOf(Counter counter) {
  constexpr absl::string_view kNames[] = {
      "nothing", "vmcnt", "lgkmcnt", "expcnt", "vscnt", "vmcnt and lgkmcnt", "vscnt and lgkmcnt"};
  return kNames[static_cast<size_t>(counter)];
}

absl::string_view NameOf(Hazard hazard) {
  constexpr absl::string_view kNames[] = {"reads", "overwrites", "overwrites a source, unread yet,",
                                          "accesses across a barrier"};
  return kNames[static_cast<size_t>(hazard)];
}

// s_waitcnt: vmcnt [3:0] and [15:14], expcnt [6:4], lgkmcnt [13:8]; all ones: no wait (llvm-mc 19;
// Mesa 25.0.7, aco_ir.cpp, wait_imm::pack).
WaitCounts WaitsOf(const Op& op) {
  WaitCounts waits;
  const int simm = op.inst.simm;
  const auto count = [](int n, int none) { return n == none ? kNoWait : n; };
  switch (op.inst.op) {
    case Opcode::kSWaitcnt:
      waits.vm = count((simm & 15) | (simm >> 14 & 3) << 4, 63);
      waits.exp = count(simm >> 4 & 7, 7);
      waits.lgkm = count(simm >> 8 & 63, 63);
      break;
    case Opcode::kSWaitcntVmcnt: waits.vm = simm & 63; break;
    case Opcode::kSWaitcntExpcnt: waits.exp = simm & 7; break;
    case Opcode::kSWaitcntLgkmcnt: waits.lgkm = simm & 63; break;
    case Opcode::kSWaitcntVscnt: waits.vs = simm & 63; break;
    case Opcode::kSWaitIdle: waits = {0, 0, 0, 0}; break;
    default: break;
  }
  return waits;
}

}  // namespace kiln::sim::rdna2
