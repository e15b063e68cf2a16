// Memories of the interpreter: buffers, push constants, shared, private and constant memory, memory
// by address; accesses outside of them, and atomics.
#ifndef KILN_CORE_ORACLE_MEMORIES_H_
#define KILN_CORE_ORACLE_MEMORIES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/bitset.h"
#include "core/mir/mir.h"
#include "core/oracle/descriptor_choice.h"
#include "core/oracle/execution.h"
#include "core/oracle/races.h"

namespace kiln::oracle {

// A range of bytes and the rules for accesses outside of it.
struct Memory {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
  std::vector<Access>* accesses = nullptr;  // per granule, if races are to be detected
  bool local = false;
  bool by_address = false;  // accessed by address, not through a descriptor
};

// The value that an atomic stores.
template <class U>
U AtomicResult(mir::AtomicOp op, U old, U value, U comparator);
uint64_t FloatAtomicResult(mir::AtomicOp op, mir::semantics::Flush flush, mir::Type type,
                           uint64_t old, uint64_t value);

class Memories {
 public:
  Memories(Execution& execution, DescriptorChoice& descriptors, Races& races)
      : e_(execution), m_(e_.m), in_(e_.in), descriptors_(descriptors), races_(races) {}

  // Called once, when the number of lanes is known.
  void Prepare();
  void BeginGroup();
  // Executes ops on buffers, addresses and other memories; returns false for other ops.
  bool Exec(mir::InstId id, const BitSet& active);

  // Returns the bytes of buffers whose last value is undefined (Access::raced), in order.
  std::vector<RacedBytes> Raced() const;

  // The record of accesses to an image's texels, if there is one.
  std::vector<Access>* AccessesOfImage(size_t place);

 private:
  bool LooksForRaces() const { return in_.detect_races || in_.shuffle_seed != 0; }
  void FindGranule();
  void Bind();
  template <class T>
  bool IsBoundTo(const T& bound, mir::ResourceKind kind) const;
  uint32_t ElementBytes(mir::InstId id) const;

  bool Inside(uint64_t offset, int i, uint32_t size, const Memory& memory, uint64_t* at);
  bool Note(mir::InstId id, const Memory& memory, uint64_t at, uint32_t size, size_t lane,
            AccessKind kind, bool same);
  uint64_t Before(const Memory& memory, uint64_t at, uint32_t size, size_t lane) const;
  bool Strays(const Memory& memory, uint32_t size, uint64_t* at);

  void Load(mir::InstId id, const Memory& memory, const BitSet& active);
  void LoadAt(mir::InstId id, const Memory& memory, uint64_t offset, size_t lane);
  void Store(mir::InstId id, const Memory& memory, const BitSet& active);
  void StoreAt(mir::InstId id, const Memory& memory, uint64_t offset, size_t lane);
  void Atomic(mir::InstId id, const Memory& memory, const BitSet& active);
  void AtomicAt(mir::InstId id, const Memory& memory, uint64_t offset, size_t lane);
  void WideAtomicAt(mir::InstId id, const Memory& memory, uint64_t offset, size_t lane);

  void Buffer(mir::InstId id, const BitSet& active);
  void SsboSize(mir::InstId id, const BitSet& active);
  void SsboAddress(mir::InstId id, const BitSet& active);
  void Global(mir::InstId id, const BitSet& active);
  uint64_t AddressOfBuffer(size_t place) const;
  Memory At(uint64_t address, uint64_t* offset) const;
  Memory PrivateMemory(mir::InstId id, size_t lane);
  void LoadPrivate(mir::InstId id, const BitSet& active);
  void StorePrivate(mir::InstId id, const BitSet& active);

  Execution& e_;
  const mir::Module& m_;
  LaunchInputs& in_;
  DescriptorChoice& descriptors_;
  Races& races_;

  uint32_t granule_ = 4;         // bytes
  std::vector<Memory> buffers_;  // as LaunchInputs::buffers
  std::vector<std::pair<uint64_t, Memory>> addressed_;
  std::vector<std::vector<Access>> accesses_;        // by buffer
  std::vector<std::vector<Access>> texel_accesses_;  // by image
  std::vector<uint8_t> constant_data_;
  Memory constant_memory_;
  std::vector<uint8_t> shared_;
  Memory shared_memory_;
  std::vector<Access> shared_accesses_;
  std::vector<uint8_t> private_;       // array by array, lane by lane
  std::vector<size_t> private_start_;  // by array
};

}  // namespace kiln::oracle

#endif  // KILN_CORE_ORACLE_MEMORIES_H_
