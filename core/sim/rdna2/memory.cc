// See memory.h.
#include "core/sim/rdna2/memory.h"

#include <cstring>

namespace kiln::sim::rdna2 {
namespace {

// Returns how many of the bytes exist; 0 if more than three of them do not.
uint32_t Present(const scene::AddressSpace& space, uint64_t address, uint32_t bytes,
                 uint8_t** data) {
  for (uint32_t n = bytes; n > 0 && bytes - n < 4; --n) {
    const absl::StatusOr<uint8_t*> at = space.Resolve(address, n);
    if (!at.ok()) continue;
    *data = *at;
    return n;
  }
  return 0;
}

constexpr uint8_t kUndefinedByte = 0xa5;

}  // namespace

bool Memory::Read(uint64_t address, uint32_t bytes, uint8_t* to) const {
  uint8_t* data = nullptr;
  const uint32_t present = Present(space, address, bytes, &data);
  if (present == 0) return false;
  std::memset(to, kUndefinedByte, bytes);
  std::memcpy(to, data, present);
  return true;
}

bool Memory::Write(uint64_t address, uint32_t bytes, const uint8_t* from) const {
  uint8_t* data = nullptr;
  const uint32_t present = Present(space, address, bytes, &data);
  if (present == 0) return false;
  std::memcpy(data, from, present);
  return true;
}

const PlacedImage* Memory::ImageAt(uint64_t address) const {
  for (const PlacedImage& i : images) {
    if (i.address == address) return &i;
  }
  return nullptr;
}

}  // namespace kiln::sim::rdna2
