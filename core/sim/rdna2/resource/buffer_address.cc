// See buffer_address.h.
#include "core/sim/rdna2/resource/buffer_address.h"

namespace kiln::sim::rdna2 {
namespace {

// Returns the byte of a record's element in the buffer.
uint64_t BufferOffset(const BufferResource& r, uint64_t index, uint64_t offset) {
  if (!r.swizzle) return r.stride * index + offset;
  const uint64_t together = uint64_t{8} << r.index_stride;
  constexpr uint64_t kElement = 4;
  const uint64_t block = index / together * r.stride + offset / kElement * kElement;
  return block * together + index % together * kElement + offset % kElement;
}

}  // namespace

std::optional<uint64_t> BufferAddress(const BufferResource& r, const BufferOffsets& o,
                                      uint32_t at) {
  const uint64_t index = uint64_t{o.index} + (r.add_thread_id ? o.thread : 0);
  const uint64_t offset = uint64_t{o.inst} + o.voffset + at;
  const uint64_t place = BufferOffset(r, index, offset);
  bool outside = true;
  switch (r.check) {
    case OutOfBoundsCheck::kStructuredWithOffset:
      outside = index >= r.records || offset >= r.stride;
      break;
    case OutOfBoundsCheck::kStructured: outside = index >= r.records; break;
    case OutOfBoundsCheck::kDisabled: outside = r.records == 0; break;
    case OutOfBoundsCheck::kRaw:
      outside = (r.swizzle ? place : offset + o.soffset) >= r.records;
      break;
  }
  if (outside) return std::nullopt;
  return r.base + o.soffset + place;
}

std::optional<uint64_t> ScalarBufferAddress(const BufferResource& r, uint64_t offset) {
  const uint64_t size = uint64_t{r.records} * (r.stride == 0 ? 1 : r.stride);
  offset &= ~uint64_t{3};
  if (offset >= size) return std::nullopt;
  return (r.base & ~uint64_t{3}) + offset;
}

}  // namespace kiln::sim::rdna2
