// The waits that a program must perform: the table that the scoreboard judges by.
//
// Changed only with a source. Waits of the machine itself are not in it: for results of VALU and
// SALU, for sources of loads and stores (read at issue), before a counter overflows, at the end.
// Nor is what no wait mends: scalar loads of memory that the dispatch writes (scalar_memory.h).
#ifndef KILN_CORE_SIM_RDNA2_CONTRACT_RULES_H_
#define KILN_CORE_SIM_RDNA2_CONTRACT_RULES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/sim/rdna2/program.h"

namespace kiln::sim::rdna2 {

// Instructions that end after they were issued. Vector loads of one type write registers in order.
enum class Producer : uint8_t {
  kNone,
  kTextureLoad,  // with a sampler
  kVectorLoad,   // other loads and returning atomics of vector memory
  kRayLoad,      // image_bvh
  kFlatLoad,     // of a segment known at run time
  kLds,          // DS instructions with a result
  kLdsStore,     // and those without
  kVectorStore,  // stores, and atomics without result, of vector memory
  kFlatStore,
  kScalarLoad,
  kExport,
};

enum class Consumer : uint8_t {
  kAny,       // but those that have a row of their own
  kSameLoad,  // a load of the same type
};

enum class Hazard : uint8_t {
  kReadAfterWrite,
  kWriteAfterWrite,
  kWriteAfterRead,  // of sources of exports, and exec
  kAcrossBarrier,   // of the same memory by another wave, behind a barrier (access_log.h)
};

// Counters of s_waitcnt.
enum class Counter : uint8_t { kNone, kVm, kLgkm, kExp, kVs, kVmAndLgkm, kVsAndLgkm };

// Instructions that end in the order of their issue, among themselves: after a wait for a count of
// n, all of a sequence but its last n have ended.
enum class Sequence : uint8_t {
  kNone,  // in any order: only a count of 0 says anything about one
  kLoads,
  kTextures,  // apart from other loads, as rays are, unless MEM_ORDERED is set
  kRays,
  kStores,
  kLds,
  kColors,  // exports to MRT, Z and null
  kPositions,
  kParameters,  // and primitives
};
inline constexpr int kSequences = static_cast<int>(Sequence::kParameters) + 1;

struct WaitRule {
  Producer producer;
  Consumer consumer;
  Hazard hazard;
  Counter wait;  // kNone: the machine keeps the order
  absl::string_view source;
};

absl::Span<const WaitRule> WaitRules();

// Returns what a consumer must wait for.
Counter RequiredWait(Producer producer, bool same_load, Hazard hazard);

// Returns what an instruction is in the table.
Producer ProducerOf(const Op& op);

// Returns the counters that count the producer.
Counter CounterOf(Producer producer);

// Returns the sequence in which an instruction ends. `memory_ordered`: MEM_ORDERED of rsrc1.
// Sources: LLVM, AMDGPUUsage, MEM_ORDERED; vmcnt and vscnt count flat accesses in order with others
// (LLVM 19, hasFlatLgkmVMemCountInOrder: above GFX9; Mesa 25.0.7, aco_insert_waitcnt.cpp,
// unordered_events: flat below GFX10 alone); exports: the same, gen.
Sequence SequenceOf(const Op& op, bool memory_ordered);

// Returns whether lgkmcnt counts an instruction in the order of its sequence: LDS alone. Nothing
// but a count of zero says that a flat access ended, which may be one of LDS or of memory (RDNA 2
// ISA guide, chapter 9; both compilers wait for zero once others are counted beside it).
bool LgkmcntKeepsOrder(const Op& op);

// "vmcnt", ...
absl::string_view NameOf(Counter counter);
absl::string_view NameOf(Hazard hazard);

// A count of s_waitcnt that does not wait.
inline constexpr int kNoWait = 1 << 16;

// The counts that an instruction waits for; kNoWait for counters that it does not wait for.
struct WaitCounts {
  int vm = kNoWait, lgkm = kNoWait, exp = kNoWait, vs = kNoWait;
};

// Returns the counts of s_waitcnt, s_waitcnt_vmcnt and kin; all kNoWait for others.
WaitCounts WaitsOf(const Op& op);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CONTRACT_RULES_H_
