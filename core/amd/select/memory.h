// Selection of loads and stores of buffers, shared memory, push constants, constant data and
// addresses, and of the sizes of buffers. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_MEMORY_H_
#define KILN_CORE_AMD_SELECT_MEMORY_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/amd/select/bools.h"
#include "core/amd/select/descriptors.h"
#include "core/amd/select/launch.h"

namespace kiln::amd {

// The kinds of memory that vector instructions reach.
enum class Space : uint8_t { kBuffer, kShared, kGlobal, kScratch };

// Where an access goes. Offsets are bytes; the parts are added.
struct Location {
  Space space = Space::kBuffer;
  Operand descriptor;  // kBuffer: V#
  Operand vector;      // offset in V, of kGlobal without `scalar` the address, two dwords; or none
  Operand scalar;      // kBuffer: offset in S; kGlobal: base address, two dwords of S; or none
  uint32_t constant = 0;
  uint8_t cache = 0;  // CacheBits
  uint8_t flags = 0;  // lir::InstFlags of loads
};

class Memory : public Room {
 public:
  Memory(Emission& e, Launch& launch, Descriptors& descriptors)
      : Room(e), launch_(launch), descriptors_(descriptors) {}

  absl::Status VisitLoad(mir::InstId id);
  absl::Status VisitStore(mir::InstId id);
  // Select loads and stores of private arrays.
  absl::Status VisitPrivateLoad(mir::InstId id);
  absl::Status VisitPrivateStore(mir::InstId id);
  void BufferSize(mir::InstId id);
  void BufferAddress(mir::InstId id);

  // Returns the location of an access to a buffer, shared memory or an address; `next` is the
  // position of the first source after the offset.
  Location LocationOf(mir::InstId id, int* next);
  // Return the address operands of vector instructions: sources 0 to 2 of the encodings.
  struct Address {
    Operand vaddr, resource, soffset;
    Extra extra;
  };
  Address AddressOf(const Location& location, uint32_t at, uint32_t max_immediate);
  // Bytes of private arrays, from the start of a lane's scratch.
  uint32_t private_bytes();

 private:
  void LoadScalar(mir::InstId id, const Operand& base, bool buffer, const Operand& offset);
  absl::Status LoadBounded(mir::InstId id, const Operand& address, uint32_t bytes);
  void LoadVector(mir::InstId id, const Location& location);
  void StoreVector(mir::InstId id, const Location& location, int first);
  Operand LoadDwords(const Location& location, uint32_t at, int dwords);
  void StoreDwords(const Location& location, uint32_t at, absl::Span<const Operand> dwords);
  Operand LoadSmall(const Location& location, uint32_t at, uint32_t bytes);
  void StoreSmall(const Location& location, uint32_t at, uint32_t bytes, const Operand& value);
  // `first_bit`: of the first result in the first dword.
  void SetDwords(mir::InstId id, absl::Span<const Operand> dwords, uint32_t first_bit = 0);
  Operand Extract(const Operand& dword, uint32_t bit);
  struct GlobalAddress {
    mir::ValueId low, high;
    uint32_t constant = 0;
  };
  GlobalAddress GlobalAddressOf(mir::InstId id) const;
  void SplitOffset(const Operand& offset, Location* location);
  uint32_t ArrayOffset(uint32_t array);

  Launch& launch_;
  Descriptors& descriptors_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_MEMORY_H_
