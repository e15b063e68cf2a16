// See memory.h.
#include "core/sim/rdna2/memory.h"

#include <cstring>

namespace kiln::sim::rdna2 {
namespace {

constexpr uint8_t kUndefinedByte = 0xa5;

}  // namespace

uint8_t* Memory::Find(uint64_t address, uint32_t bytes, uint32_t* present) const {
  for (uint32_t n = bytes; n > 0 && bytes - n < 4; --n) {
    const absl::StatusOr<uint8_t*> at = space.Resolve(address, n);
    if (!at.ok()) continue;
    *present = n;
    return *at;
  }
  return nullptr;
}

bool Memory::Read(uint64_t address, uint32_t bytes, uint8_t* to) const {
  uint32_t present = 0;
  const uint8_t* const data = Find(address, bytes, &present);
  if (data == nullptr) return false;
  std::memset(to, kUndefinedByte, bytes);
  std::memcpy(to, data, present);
  return true;
}

bool Memory::Write(uint64_t address, uint32_t bytes, const uint8_t* from) const {
  uint32_t present = 0;
  uint8_t* const data = Find(address, bytes, &present);
  if (data == nullptr) return false;
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
