// Memory that a simulated program reaches, in one space of invented 64-bit addresses
// (scene/address_space.h): the client's buffers and texel buffers, its images, descriptor memories,
// the code with its constant data, scratch. LDS is not in it.
//
// An image lies at an address that is a multiple of 64 KiB, which the base of its T# names and
// which only identifies it: texels are found through scene's image, never by the layout that the
// hardware would have. An image that is a window of other memory has an address of its own, at
// which nothing is mapped.
//
// The size of a buffer in its V# is rounded up to dwords: bytes of the last dword that the client
// did not give are undefined to loads and swallow stores.
#ifndef KILN_CORE_SIM_RDNA2_MEMORY_H_
#define KILN_CORE_SIM_RDNA2_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/sim/scene/address_space.h"
#include "core/sim/scene/image.h"

namespace kiln::sim::rdna2 {

struct PlacedImage {
  uint64_t address = 0;
  scene::ClientImage* image = nullptr;
  absl::Span<uint8_t> texels;  // scene::BytesOf the image
};

// Does not own what it points to.
struct Memory {
  scene::AddressSpace space;
  std::vector<PlacedImage> images;

  // Copies bytes that lie in one allocation; of the last ones up to three may lie behind it.
  // Returns false, and copies nothing, if others do.
  bool Read(uint64_t address, uint32_t bytes, uint8_t* to) const;
  bool Write(uint64_t address, uint32_t bytes, const uint8_t* from) const;

  // Returns where such bytes are, and how many of them exist; null if others do not.
  uint8_t* Find(uint64_t address, uint32_t bytes, uint32_t* present) const;

  // Returns the image whose T# has this base, or null.
  const PlacedImage* ImageAt(uint64_t address) const;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_MEMORY_H_
