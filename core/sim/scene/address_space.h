// The flat 64-bit address space of a simulated program: the bytes that each address reaches.
//
// Addresses are invented: allocations are at least 64 KiB apart in one space that begins at 4 GiB.
// An access outside every allocation is an error: the hardware would fault or corrupt memory.
#ifndef KILN_CORE_SIM_SCENE_ADDRESS_SPACE_H_
#define KILN_CORE_SIM_SCENE_ADDRESS_SPACE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace kiln::sim::scene {

// Does not own the bytes.
class AddressSpace {
 public:
  static constexpr uint64_t kFirstAddress = uint64_t{1} << 32;
  static constexpr uint64_t kAlignment = uint64_t{1} << 16;

  // Maps bytes and returns their address. `data` must stay valid as long as this object is used.
  uint64_t Map(absl::Span<uint8_t> data);

  // Maps at a given address, which must be aligned to kAlignment and free.
  absl::Status MapAt(uint64_t address, absl::Span<uint8_t> data);

  // Returns the bytes [address, address + bytes); OutOfRange if they are not all in one allocation.
  absl::StatusOr<uint8_t*> Resolve(uint64_t address, uint64_t bytes) const;

 private:
  struct Mapping {
    uint64_t address;
    absl::Span<uint8_t> data;
  };
  std::vector<Mapping> mappings_;  // ascending by address
  uint64_t next_ = kFirstAddress;
};

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_ADDRESS_SPACE_H_
