// The operations that may be outstanding at a point of a program: accesses to memory and exports
// that were issued and have not ended, by the registers that they still write or read.
//
// A counter falls in the order of issue within a queue: loads of vector memory; LDS; each class of
// exports. While an operation is outstanding all later ones of its queue are, whatever else the
// counter counts. So an operation has ended once the counter is at most the number of later ones of
// its queue, its age. Scalar loads and flat accesses have no queue: only 0 says that they ended.
#ifndef KILN_CORE_AMD_WAITS_OUTSTANDING_H_
#define KILN_CORE_AMD_WAITS_OUTSTANDING_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "core/amd/isa/instruction.h"
#include "core/amd/waits/counts.h"

namespace kiln::amd {

enum Queue : uint8_t { kLoads, kLds, kColours, kPositions, kParameters };
inline constexpr int kQueues = 5;

// Types of loads: registers are written in order within a type (Mesa 25.0.7,
// aco_insert_waitcnt.cpp, vmem_type). Bits.
enum LoadType : uint8_t { kTextureType = 1, kVectorType = 2, kRayType = 4, kFlatType = 8 };

// An operation that ends after it was issued.
struct Event {
  std::array<bool, kCounters> counts = {};
  int queue = -1;          // of kVm, kExp, or of kLgkm
  bool unordered = false;  // of kLgkm: no queue
  uint8_t type = 0;        // of loads
  bool reads = false;      // holds the registers that it reads (exports), else those that it writes
  bool lds = false;        // may access LDS

  bool exists() const { return counts != std::array<bool, kCounters>{}; }
};
Event EventOf(const isa::Instruction& inst);

class Outstanding {
 public:
  Outstanding() { entries_.reserve(kUsual); }

  // Returns the waits that the instruction needs before it is issued: for registers that it reads
  // or writes, and at barriers what its simm asks for (1 LDS, 2 buffers, images, global memory).
  // Some may be met in any case: see Pending.
  Counts NeededBy(const isa::Instruction& inst, isa::Wave wave) const;

  void Wait(const Counts& counts);
  void Issue(const isa::Instruction& inst, isa::Wave wave);

  // Adds what may be outstanding there. Returns true if anything was new.
  bool Join(const Outstanding& other);

 private:
  static constexpr size_t kUsual = 16;  // registers
  static constexpr int8_t kEnded = -1;

  struct Entry {
    uint16_t code = 0;  // of isa::Operand
    std::array<int8_t, kQueues> age = {kEnded, kEnded, kEnded, kEnded, kEnded};
    bool unordered = false;
    uint8_t types = 0;

    bool Ended() const;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  Entry& Find(uint16_t code);
  const Entry* FindExisting(uint16_t code) const;
  void Require(const Entry& entry, bool written, const Event& by, Counts* counts) const;
  void Drop();

  std::vector<Entry> entries_;  // by code
  std::bitset<512> busy_;
  bool lds_ = false;  // an access to LDS may be outstanding
};

// How many operations each counter counts at most, at the end of some instructions, for any number
// at their start: min(number + added, most). Such functions are closed under composition, so that
// solving loops needs no look at instructions.
class Pending {
 public:
  void Wait(const Counts& counts);
  void Issue(const Event& event);

  // Changes the numbers of the start to those of the end.
  void Apply(std::array<int, kCounters>* numbers) const;
  // Returns the counts without those that are met in any case, given the numbers of the start.
  Counts Unmet(const std::array<int, kCounters>& start, Counts counts) const;

 private:
  std::array<int, kCounters> added_ = {};
  std::array<int, kCounters> most_ = kMaxOf;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_WAITS_OUTSTANDING_H_
