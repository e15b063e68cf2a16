// Moves dwords, bytes and words between vector registers and a location, with the fewest
// instructions that the alignment allows. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_VECTOR_MEMORY_H_
#define KILN_CORE_AMD_SELECT_VECTOR_MEMORY_H_

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "core/amd/select/addresses.h"

namespace kiln::amd {

// Which of consecutive dwords are needed.
struct NeededDwords {
  uint32_t count = 0;  // at most 32
  uint32_t mask = 0;
  bool At(uint32_t dword) const { return (mask >> dword & 1) != 0; }
};

class VectorMemory : public Room {
 public:
  using Dwords = absl::InlinedVector<Operand, 16>;

  VectorMemory(Emission& e, Addresses& addresses) : Room(e), addresses_(addresses) {}

  // Returns the needed ones of the dwords from the location on; others may be absent. The location
  // is a multiple of `alignment` bytes.
  Dwords Load(const Location& location, uint32_t alignment, const NeededDwords& needed);
  // Stores dwords `at` bytes behind a location, a multiple of 4.
  void Store(const Location& location, uint32_t alignment, uint32_t at,
             absl::Span<const Operand> dwords);
  // Move a byte or a word (`bytes` is 1 or 2); a load clears the bits above it.
  Operand LoadSmall(const Location& location, uint32_t at, uint32_t bytes);
  void StoreSmall(const Location& location, uint32_t at, uint32_t bytes, const Operand& value);
  // Move one or two dwords (`unit` is 4 or 8 bytes) each of two places of shared memory.
  Operand LoadTwo(const Location& location, const TwoOffsets& two, uint32_t unit);
  void StoreTwo(const Location& location, const TwoOffsets& two, absl::Span<const Operand> first,
                absl::Span<const Operand> second);

 private:
  Operand LoadDwords(const Location& location, uint32_t at, int dwords, bool two);
  void StoreDwords(const Location& location, uint32_t at, absl::Span<const Operand> dwords,
                   bool two);

  Addresses& addresses_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_VECTOR_MEMORY_H_
