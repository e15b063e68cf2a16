// Selection of loads and stores of buffers, shared memory, push constants, constant data and
// addresses, and of the sizes of buffers. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_MEMORY_H_
#define KILN_CORE_AMD_SELECT_MEMORY_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/amd/select/launch.h"
#include "core/amd/select/shared_pairs.h"
#include "core/amd/select/vector_memory.h"

namespace kiln::amd {

class Memory : public Room {
 public:
  Memory(Emission& e, Launch& launch, Descriptors& descriptors, Addresses& addresses,
         VectorMemory& memory)
      : Room(e),
        launch_(launch),
        descriptors_(descriptors),
        addresses_(addresses),
        memory_(memory),
        pairs_(FindSharedPairs(m_)),
        seen_(m_.insts.size()) {}

  absl::Status VisitLoad(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  // Select loads and stores of private arrays.
  absl::Status VisitPrivateLoad(mir::InstId id);
  absl::Status VisitPrivateStore(mir::InstId id);
  void BufferSize(mir::InstId id);
  void BufferAddress(mir::InstId id);

  // Bytes of private arrays, from the start of a lane's scratch.
  uint32_t private_bytes();

 private:
  void LoadScalar(mir::InstId id, const Operand& base, bool buffer, mir::ValueId offset);
  absl::Status LoadBounded(mir::InstId id, const Operand& address, uint32_t bytes);
  NeededDwords NeededOf(mir::InstId id);
  void LoadVector(mir::InstId id, const Location& location);
  void LoadSmallElements(mir::InstId id, const Location& location, uint32_t bytes, bool by_words);
  void StoreVector(mir::InstId id, const Location& location, int first);
  void StoreSmallElements(const Location& location, uint32_t bytes, uint32_t alignment,
                          absl::Span<const Operand> values);
  VectorMemory::Dwords StoredValues(mir::InstId id, int first) const;
  VectorMemory::Dwords DwordsToStore(mir::InstId id);
  void AccessTwo(mir::InstId id, mir::InstId other);
  bool IsOfPair(mir::InstId id);
  // `first_bit`: of the first result in the first dword.
  void SetDwords(mir::InstId id, absl::Span<const Operand> dwords, uint32_t first_bit = 0);
  Operand Extract(const Operand& dword, uint32_t bit);
  Operand Joined(const Operand& low, const Operand& high, uint32_t bits);
  uint32_t ArrayOffset(uint32_t array);

  Launch& launch_;
  Descriptors& descriptors_;
  Addresses& addresses_;
  VectorMemory& memory_;
  const std::vector<mir::InstId> pairs_;  // shared_pairs.h
  std::vector<bool> seen_;                // by MIR instruction, of pairs
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_MEMORY_H_
