// Memory that a simulated EU program reaches: client buffers, shared memory, scratch, constants.
//
// A client buffer is reached in two ways: through a binding table index (offset, bounds checked:
// reads outside give 0 and writes outside are dropped, as the surface state makes the hardware do)
// and through its 64-bit address (A64 messages; core/sim/scene/address_space.h).
#ifndef KILN_CORE_SIM_EU_MEMORY_H_
#define KILN_CORE_SIM_EU_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kiln::sim::eu {

// A bounds-checked window of bytes; does not own them. Bounds are those of dwords: the last one is
// inside even if the window ends in the middle of it (PRM Skylake volume 7, "Bounds Checking and
// Faulting").
struct Surface {
  uint8_t* data = nullptr;
  uint64_t size = 0;

  uint64_t Padding() const { return (4 - size % 4) % 4; }

  // Reads `bytes` (at most 8) at `offset`; 0 if any of them is outside. Bytes after the end of the
  // window, but in its last dword, are undefined, not 0.
  uint64_t Read(uint64_t offset, unsigned bytes) const {
    if (!Inside(offset, bytes)) return 0;
    uint64_t value = 0xa5a5a5a5a5a5a5a5u >> (64 - 8 * bytes);
    std::memcpy(&value, data + offset, Present(offset, bytes));
    return value;
  }

  // Writes the low `bytes` (at most 8) of value; dropped if any of them is outside.
  void Write(uint64_t offset, unsigned bytes, uint64_t value) const {
    if (Inside(offset, bytes)) std::memcpy(data + offset, &value, Present(offset, bytes));
  }

 private:
  bool Inside(uint64_t offset, unsigned bytes) const {
    const uint64_t end = size + Padding();
    return offset <= end && end - offset >= bytes;
  }
  size_t Present(uint64_t offset, unsigned bytes) const {
    return offset >= size ? 0 : std::min<uint64_t>(bytes, size - offset);
  }
};

// A range of memory bytes, not owned; empty if an access is outside.
struct ByteRange {
  uint8_t* data = nullptr;
  uint64_t size = 0;
  uint64_t offset = 0;  // offset of data in its memory; for buffers it may be the address

  bool Overlaps(const ByteRange& o) const {
    return size != 0 && o.size != 0 && data < o.data + o.size && o.data < data + size;
  }
};

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MEMORY_H_
